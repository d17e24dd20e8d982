// What the plugin answers to files that the libprotobuf it was built with cannot read.
#ifndef STRUCTTENSOR_COMPILER_EDITIONS_H_
#define STRUCTTENSOR_COMPILER_EDITIONS_H_

#include "google/protobuf/compiler/plugin.pb.h"

namespace structtensor::compiler {

// Whether a file of the request is of an edition while this plugin was built with a protobuf that knows none: a newer protoc
// may well run it. If so, `response` says in one sentence what to do; libprotobuf itself would tell of what is wrong with
// descriptors.
bool RefuseEditions(const google::protobuf::compiler::CodeGeneratorRequest& request,
                    google::protobuf::compiler::CodeGeneratorResponse& response);

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_EDITIONS_H_
