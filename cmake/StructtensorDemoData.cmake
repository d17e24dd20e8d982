# Sets STRUCTTENSOR_DEMO_DATA to whether STRUCTTENSOR_PYTHON has the packages with the demo's real data and schemas
# (opentelemetry-proto, opentelemetry-sdk, onnx), and STRUCTTENSOR_ONNX_IMPORT_DIR to the folder with onnx/onnx.proto.
set(STRUCTTENSOR_PYTHON "" CACHE FILEPATH "Python with the packages of tools/requirements.txt")
set(STRUCTTENSOR_PYDATA ${structtensor_SOURCE_DIR}/tools/pydata)
set(STRUCTTENSOR_DEMO_DATA OFF)
if(STRUCTTENSOR_PYTHON)
  execute_process(COMMAND ${STRUCTTENSOR_PYTHON} -c "import opentelemetry.proto, opentelemetry.sdk" RESULT_VARIABLE missing
                  OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND ${STRUCTTENSOR_PYTHON} ${STRUCTTENSOR_PYDATA}/onnx_models.py RESULT_VARIABLE onnx_missing
                  OUTPUT_VARIABLE STRUCTTENSOR_ONNX_IMPORT_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT missing AND NOT onnx_missing)
    set(STRUCTTENSOR_DEMO_DATA ON)
  endif()
endif()
if(NOT STRUCTTENSOR_DEMO_DATA)
  message(STATUS "The demo's data is left out: STRUCTTENSOR_PYTHON lacks the packages of tools/requirements.txt (set it to what "
                 "`tools/setup --print-python` prints)")
endif()
