// Requests of protoc that the libprotobuf of this build cannot read.
#ifndef STRUCTTENSOR_COMPILER_REQUEST_CHECK_H_
#define STRUCTTENSOR_COMPILER_REQUEST_CHECK_H_

#include "google/protobuf/compiler/plugin.pb.h"

namespace structtensor::compiler {

// Returns true if libprotobuf does not accept the files of the request, which happens when a newer protoc runs the plugin. Then
// `response` has the reason. Without this check, libprotobuf would print it in its own form.
bool RefuseRequest(const google::protobuf::compiler::CodeGeneratorRequest& request,
                   google::protobuf::compiler::CodeGeneratorResponse& response);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_REQUEST_CHECK_H_
