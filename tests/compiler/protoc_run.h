// Runs protoc with the plugin on .proto files written for the occasion.
#ifndef STRUCTTENSOR_TESTS_COMPILER_PROTOC_RUN_H_
#define STRUCTTENSOR_TESTS_COMPILER_PROTOC_RUN_H_

#include <map>
#include <string>
#include <vector>

namespace structtensor {

// File name -> content.
using Files = std::map<std::string, std::string>;

struct ProtocOutcome {
  int exit_code;
  std::string messages;  // what went to standard error
  Files generated;
};

// Runs protoc --structtensor_out on those of `protos` that `names` lists, in that order.
//   parameters  of --structtensor_opt, "" for none
ProtocOutcome RunProtoc(const Files& protos, const std::vector<std::string>& names, const std::string& parameters = "");

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_COMPILER_PROTOC_RUN_H_
