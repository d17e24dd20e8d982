# cmake -DSTRUCTTENSOR_PROTOBUF_VERSION=... -DMODULE=.../StructtensorGenerate.cmake -DPROTO=... -P refuse_edition.cmake
include(${MODULE})
structtensor_refuse_edition(target ${PROTO})
message("not refused")
