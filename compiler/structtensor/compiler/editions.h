// What the plugin answers to files that the libprotobuf it was built with cannot read.
#ifndef STRUCTTENSOR_COMPILER_EDITIONS_H_
#define STRUCTTENSOR_COMPILER_EDITIONS_H_

#include "google/protobuf/compiler/plugin.pb.h"

namespace structtensor::compiler {

// Whether a file of the request uses editions while this plugin was built with a protobuf that does not know them. This happens
// when a newer protoc runs the plugin. If so, `response` says in one sentence what to do; libprotobuf's own message would be
// about invalid descriptors.
bool RefuseEditions(const google::protobuf::compiler::CodeGeneratorRequest& request,
                    google::protobuf::compiler::CodeGeneratorResponse& response);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_EDITIONS_H_
