// The plugin as protoc sees it.
#ifndef STRUCTTENSOR_COMPILER_GENERATOR_H_
#define STRUCTTENSOR_COMPILER_GENERATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "google/protobuf/compiler/code_generator.h"

namespace structtensor::compiler {

// Writes x.structtensor.h and x.structtensor.cc for each x.proto of a run. The files of a run are seen together: extensions
// that one of them declares are decoded by the messages of another.
class Generator : public google::protobuf::compiler::CodeGenerator {
 public:
  bool Generate(const google::protobuf::FileDescriptor* file, const std::string& parameter,
                google::protobuf::compiler::GeneratorContext* context, std::string* error) const override;
  bool GenerateAll(const std::vector<const google::protobuf::FileDescriptor*>& files, const std::string& parameter,
                   google::protobuf::compiler::GeneratorContext* context, std::string* error) const override;
  uint64_t GetSupportedFeatures() const override;
#if GOOGLE_PROTOBUF_VERSION >= 5027000
  google::protobuf::Edition GetMinimumEdition() const override { return google::protobuf::EDITION_PROTO2; }
  google::protobuf::Edition GetMaximumEdition() const override;
#endif
};

}  // namespace structtensor::compiler

#endif  // STRUCTTENSOR_COMPILER_GENERATOR_H_
