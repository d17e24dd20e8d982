# structtensor_generate: compiles decoders for .proto files into a target.
#
#   structtensor_generate(TARGET ingest PROTOS recipe.proto [IMPORT_DIRS dir...] [DESCRIPTOR_SET file] [OPTIONS name=value...]
#                         [OUT_DIR dir] [DEPENDS file...] [CORE | SHARED])
#
# Runs protoc once for all PROTOS. So if one file declares an extension of a message in another file, the message's decoder
# decodes it. Writes x.structtensor.h and .cc for each x.proto below OUT_DIR (default: a separate folder for the target in the
# build tree; a relative path is below the current build folder). Adds the sources and the include directory to TARGET, and links it to structtensor::structtensor. With CORE, it
# links to structtensor::core: only the decoders and encoders, without tensors. With SHARED, it links to structtensor::shared,
# which is libstructtensor.so.
#
# docs/generated_code.md describes the arguments.
#
# Files may import structtensor/options.proto (annotations) and protobuf's own files; nothing else is needed for that.
function(structtensor_generate)
  structtensor_protoc(${ARGN})
  cmake_parse_arguments(ARG "CORE;SHARED" "TARGET" "" ${ARGN})
  if(ARG_CORE AND ARG_SHARED)
    message(FATAL_ERROR "structtensor_generate(TARGET ${ARG_TARGET}): CORE and SHARED name different libraries, so leave one out")
  elseif(ARG_SHARED AND NOT TARGET structtensor::shared)
    message(FATAL_ERROR "structtensor_generate(TARGET ${ARG_TARGET}): there is no libstructtensor.so here, so leave SHARED out, or build "
                        "structtensor with a shared Abseil and STRUCTTENSOR_BUILD_SHARED")
  endif()
  if(ARG_CORE)
    target_link_libraries(${ARG_TARGET} PUBLIC structtensor::core)
  elseif(ARG_SHARED)
    target_link_libraries(${ARG_TARGET} PUBLIC structtensor::shared)
  else()
    target_link_libraries(${ARG_TARGET} PUBLIC structtensor::structtensor)
  endif()
endfunction()

# For cross builds: makes the target structtensor::protoc-gen-structtensor for STRUCTTENSOR_HOST_PLUGIN, which runs on the
# machine that builds.
function(structtensor_import_plugin)
  if(NOT EXISTS "${STRUCTTENSOR_HOST_PLUGIN}")
    message(FATAL_ERROR "STRUCTTENSOR_HOST_PLUGIN: there is no file '${STRUCTTENSOR_HOST_PLUGIN}'. Build protoc-gen-structtensor for this "
                        "machine first, and name it")
  endif()
  add_executable(structtensor::protoc-gen-structtensor IMPORTED GLOBAL)
  set_target_properties(structtensor::protoc-gen-structtensor PROPERTIES IMPORTED_LOCATION "${STRUCTTENSOR_HOST_PLUGIN}")
endfunction()

# structtensor_generate without the link. For the library that all generated code links.
function(structtensor_protoc)
  cmake_parse_arguments(ARG "CORE;SHARED" "TARGET;DESCRIPTOR_SET;OUT_DIR" "PROTOS;IMPORT_DIRS;OPTIONS;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "structtensor_generate(TARGET ${ARG_TARGET}): unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_TARGET OR NOT ARG_PROTOS)
    message(FATAL_ERROR "structtensor_generate needs TARGET and PROTOS")
  endif()
  if(NOT ARG_OUT_DIR)
    set(ARG_OUT_DIR ${CMAKE_CURRENT_BINARY_DIR}/${ARG_TARGET}.structtensor)
  endif()
  get_filename_component(ARG_OUT_DIR "${ARG_OUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  if(NOT ARG_IMPORT_DIRS)
    set(ARG_IMPORT_DIRS ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(import_dirs)
  foreach(dir ${ARG_IMPORT_DIRS})
    get_filename_component(dir ${dir} ABSOLUTE)
    list(APPEND import_dirs ${dir})
  endforeach()

  set(names)
  set(inputs)
  foreach(proto ${ARG_PROTOS})
    if(ARG_DESCRIPTOR_SET)
      list(APPEND names ${proto})
      continue()
    endif()
    get_filename_component(path ${proto} ABSOLUTE)
    set(name)
    foreach(dir ${import_dirs})
      file(RELATIVE_PATH relative ${dir} ${path})
      if(NOT relative MATCHES "^\\.\\." AND (NOT name OR NOT EXISTS ${path}))
        set(name ${relative})
      endif()
    endforeach()
    if(NOT name)
      message(FATAL_ERROR "structtensor_generate(TARGET ${ARG_TARGET}): ${proto} is below none of IMPORT_DIRS (${ARG_IMPORT_DIRS})")
    endif()
    get_source_file_property(generated ${path} GENERATED)
    if(NOT EXISTS ${path} AND NOT generated AND NOT ARG_DEPENDS)
      message(FATAL_ERROR "structtensor_generate(TARGET ${ARG_TARGET}): there is no file ${path} (if the build makes it, name it in DEPENDS)")
    endif()
    structtensor_refuse_edition(${ARG_TARGET} ${path})
    list(APPEND names ${name})
    list(APPEND inputs ${path})
  endforeach()

  set(outputs)
  set(sources)
  foreach(name ${names})
    string(REGEX REPLACE "\\.proto(devel)?$" "" stem ${name})
    list(APPEND sources ${ARG_OUT_DIR}/${stem}.structtensor.cc)
    list(APPEND outputs ${ARG_OUT_DIR}/${stem}.structtensor.cc ${ARG_OUT_DIR}/${stem}.structtensor.h)
  endforeach()
  if(ARG_DESCRIPTOR_SET)
    get_filename_component(descriptor_set ${ARG_DESCRIPTOR_SET} ABSOLUTE)
    set(schema --descriptor_set_in=${descriptor_set})
    list(APPEND inputs ${descriptor_set})
  else()
    list(TRANSFORM import_dirs PREPEND -I OUTPUT_VARIABLE schema)
    list(APPEND schema -I${STRUCTTENSOR_PROTOBUF_INCLUDE_DIR} -I${STRUCTTENSOR_OPTIONS_IMPORT_DIR})
  endif()
  set(parameters)
  if(ARG_OPTIONS MATCHES "(^|;)converter=")
    list(APPEND sources ${ARG_OUT_DIR}/converter_main.structtensor.cc)
    list(APPEND outputs ${ARG_OUT_DIR}/converter_main.structtensor.cc)
  endif()
  if(ARG_OPTIONS)
    list(JOIN ARG_OPTIONS "," joined)
    set(parameters --structtensor_opt=${joined})
  endif()
  file(MAKE_DIRECTORY ${ARG_OUT_DIR})
  list(JOIN names " " listed)
  if(NOT ARG_DESCRIPTOR_SET)
    # protoc lists the imports of one file at a time, so this file imports all PROTOS. Generated code depends on imported files,
    # for example on their annotations.
    string(MD5 key "${ARG_OUT_DIR} ${names}")
    set(all_dir ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/structtensor/${key})
    file(MAKE_DIRECTORY ${all_dir})
    set(all ${all_dir}/structtensor_imports_${key})
    set(imports "")
    foreach(name ${names})
      string(APPEND imports "import public \"${name}\";\n")
    endforeach()
    file(CONFIGURE OUTPUT ${all}.proto @ONLY
         CONTENT "syntax = \"proto3\";\noption optimize_for = LITE_RUNTIME; // other files may not import files that have this\n${imports}")
    cmake_policy(PUSH)
    cmake_policy(SET CMP0116 NEW)
    add_custom_command(
      OUTPUT ${all}.pb
      COMMAND protobuf::protoc ${schema} -I${all_dir} --descriptor_set_out=${all}.pb --dependency_out=${all}.d ${all}.proto
      COMMAND ${CMAKE_COMMAND} -DTARGET=${all}.pb -DFILE=${all}.d -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/StructtensorDepfile.cmake
      DEPENDS protobuf::protoc ${all}.proto ${inputs} ${ARG_DEPENDS}
      DEPFILE ${all}.d
      COMMENT "Listing the imports of ${listed}"
      VERBATIM)
    cmake_policy(POP)
    list(APPEND inputs ${all}.pb)
  endif()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND protobuf::protoc --plugin=protoc-gen-structtensor=$<TARGET_FILE:structtensor::protoc-gen-structtensor> ${schema}
            --structtensor_out=${ARG_OUT_DIR} ${parameters} ${names}
    DEPENDS structtensor::protoc-gen-structtensor protobuf::protoc ${inputs} ${ARG_DEPENDS}
    COMMENT "Generating decoders for ${listed}"
    VERBATIM)
  target_sources(${ARG_TARGET} PRIVATE ${sources})
  target_include_directories(${ARG_TARGET} PUBLIC $<BUILD_INTERFACE:${ARG_OUT_DIR}>)
endfunction()

# Stops the configuration if protobuf is too old for the edition of the .proto file. protoc itself would fail in the middle of a
# build, and only report that it did not expect the word `edition`.
function(structtensor_refuse_edition target path)
  if(NOT EXISTS ${path})
    return()
  endif()
  file(STRINGS ${path} edition REGEX "^[ \t]*edition[ \t]*=[ \t]*[\"'][0-9]")
  file(STRINGS ${path} syntax REGEX "^[ \t]*syntax[ \t]*=")
  if(syntax OR NOT edition MATCHES "[\"']([0-9]+)")
    return()
  endif()
  set(edition ${CMAKE_MATCH_1})
  set(needed 27)
  if(edition GREATER 2023)
    set(needed 32)
  endif()
  if(STRUCTTENSOR_PROTOBUF_VERSION VERSION_LESS needed)
    message(FATAL_ERROR "structtensor_generate(TARGET ${target}): ${path}: edition ${edition} needs protobuf ${needed} or later, and this "
                        "build has protobuf ${STRUCTTENSOR_PROTOBUF_VERSION}\nhint: build structtensor with a newer protobuf (its "
                        "tools/protobuf builds one), or write the file in proto2 or proto3")
  endif()
endfunction()

# structtensor_add_converter: adds a command that converts files of one message type into Arrow, Parquet or JSON lines.
#
#   structtensor_add_converter(recipe_to_columns PROTO recipe.proto MESSAGE cookbook.Recipe [PROTOS more.proto...]
#                              [IMPORT_DIRS ...] [DESCRIPTOR_SET ...] [OPTIONS ...] [DEPENDS ...])
#
# MESSAGE is the full name of the message type, which PROTO declares. Needs a structtensor that was built with its converter.
function(structtensor_add_converter name)
  cmake_parse_arguments(ARG "" "PROTO;MESSAGE;DESCRIPTOR_SET" "PROTOS;IMPORT_DIRS;OPTIONS;DEPENDS" ${ARGN})
  if(NOT ARG_PROTO OR NOT ARG_MESSAGE)
    message(FATAL_ERROR "structtensor_add_converter(${name}) needs PROTO and MESSAGE")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "structtensor_add_converter(${name}): unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET structtensor::convert)
    message(FATAL_ERROR "structtensor_add_converter(${name}): structtensor was built without its converter (configure it with "
                        "-DSTRUCTTENSOR_BUILD_CONVERTER=ON), or the zlib, zstd, LZ4, RE2, CLI11 or Arrow C++ (STRUCTTENSOR_PYTHON names a Python "
                        "with pyarrow) that it needs are not found here")
  endif()
  add_executable(${name})
  set(forward)
  foreach(option DESCRIPTOR_SET IMPORT_DIRS DEPENDS)
    if(ARG_${option})
      list(APPEND forward ${option} ${ARG_${option}})
    endif()
  endforeach()
  structtensor_generate(TARGET ${name} PROTOS ${ARG_PROTO} ${ARG_PROTOS} ${forward}
                        OPTIONS converter=${ARG_MESSAGE} ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE structtensor::convert)
endfunction()
