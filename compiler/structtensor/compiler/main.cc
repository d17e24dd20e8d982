// protoc-gen-structtensor: protoc --structtensor_out=DIR [--structtensor_opt=NAME=VALUE,...] x.proto ...
#include <unistd.h>

#include <iostream>
#include <string>

#include "google/protobuf/compiler/plugin.h"
#include "google/protobuf/compiler/plugin.pb.h"
#include "structtensor/compiler/generator.h"
#include "structtensor/compiler/request_check.h"
#include "structtensor/compiler/schema/proto_files.h"

// Like google::protobuf::compiler::PluginMain, but checks the request before libprotobuf builds descriptors from it.
int main(int argc, char** argv) {
  namespace pb = ::google::protobuf;
  const auto fail = [argv](const std::string& problem) {
    std::cerr << argv[0] << ": " << problem << "\n";
    return 1;
  };
  if (argc > 1) return fail(std::string("unknown argument '") + argv[1] + "': protoc runs this program without any");
  const structtensor::schema::QuietLibprotobuf quiet;
  pb::compiler::CodeGeneratorRequest request;
  if (!request.ParseFromFileDescriptor(STDIN_FILENO)) {
    return fail("standard input holds no CodeGeneratorRequest: this program is run by protoc --structtensor_out=DIR x.proto");
  }
  pb::compiler::CodeGeneratorResponse response;
  if (!structtensor::compiler::RefuseRequest(request, response)) {
    std::string problem;
    if (!pb::compiler::GenerateCode(request, structtensor::compiler::Generator(), &response, &problem)) return fail(problem);
  }
  return response.SerializeToFileDescriptor(STDOUT_FILENO) ? 0 : fail("cannot write the answer to standard output");
}
