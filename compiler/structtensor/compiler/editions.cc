#include "editions.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "google/protobuf/compiler/code_generator.h"

namespace structtensor::compiler {

namespace pb = ::google::protobuf;

#if GOOGLE_PROTOBUF_VERSION >= 4025000

bool RefuseEditions(const pb::compiler::CodeGeneratorRequest&, pb::compiler::CodeGeneratorResponse&) { return false; }

#else

namespace {

// Numbers in plugin.proto since editions exist. protoc looks at these fields before it looks at the error. If they are missing,
// it adds sentences of its own.
constexpr uint64_t kFeatureSupportsEditions = 2;
constexpr int kMinimumEdition = 3;
constexpr int kMaximumEdition = 4;

}  // namespace

bool RefuseEditions(const pb::compiler::CodeGeneratorRequest& request, pb::compiler::CodeGeneratorResponse& response) {
  for (const pb::FileDescriptorProto& file : request.proto_file()) {
    if (file.syntax() != "editions") continue;
    constexpr int kVersion = GOOGLE_PROTOBUF_VERSION;
    response.set_error(
        absl::StrCat(file.name(), " is of an edition, and this protoc-gen-structtensor was built with protobuf ",
                     kVersion / 1000000, ".", kVersion / 1000 % 1000, ".", kVersion % 1000,
                     ", which does not support editions: build structtensor with protobuf 27 or later (its tools/protobuf27 "
                     "brings it), or write the file in proto2 or proto3"));
    response.set_supported_features(pb::compiler::CodeGenerator::FEATURE_PROTO3_OPTIONAL | kFeatureSupportsEditions);
    response.mutable_unknown_fields()->AddVarint(kMinimumEdition, 0);
    response.mutable_unknown_fields()->AddVarint(kMaximumEdition, std::numeric_limits<int32_t>::max());
    return true;
  }
  return false;
}

#endif

}  // namespace structtensor::compiler
