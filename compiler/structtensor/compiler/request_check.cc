#include "structtensor/compiler/request_check.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "google/protobuf/compiler/code_generator.h"
#include "google/protobuf/descriptor.h"
#include "structtensor/compiler/schema/proto_files.h"

namespace structtensor::compiler {
namespace {

namespace pb = ::google::protobuf;

// protoc looks at these fields before it looks at the error. If they are missing, it adds sentences of its own.
void AcceptAllEditions(pb::compiler::CodeGeneratorResponse& response) {
  constexpr int kMaximum = std::numeric_limits<int32_t>::max();
#if GOOGLE_PROTOBUF_VERSION >= 5027000
  response.set_supported_features(pb::compiler::CodeGenerator::FEATURE_PROTO3_OPTIONAL |
                                  pb::compiler::CodeGenerator::FEATURE_SUPPORTS_EDITIONS);
  response.set_minimum_edition(0);
  response.set_maximum_edition(kMaximum);
#else
  // Numbers in plugin.proto of releases that support editions.
  constexpr uint64_t kFeatureSupportsEditions = 2;
  constexpr int kMinimumEdition = 3;
  constexpr int kMaximumEdition = 4;
  response.set_supported_features(pb::compiler::CodeGenerator::FEATURE_PROTO3_OPTIONAL | kFeatureSupportsEditions);
  response.mutable_unknown_fields()->AddVarint(kMinimumEdition, 0);
  response.mutable_unknown_fields()->AddVarint(kMaximumEdition, kMaximum);
#endif
}

}  // namespace

bool RefuseRequest(const pb::compiler::CodeGeneratorRequest& request, pb::compiler::CodeGeneratorResponse& response) {
  schema::FileProblems problems;
  pb::DescriptorPool pool;
  for (const pb::FileDescriptorProto& file : request.proto_file()) {
    const std::string too_new = schema::NeedsNewerProtobuf(file);
    if (!too_new.empty()) {
      problems.AddTooNew(file.name(), too_new);
    } else if (problems.empty()) {  // the problems of files that import a file with problems follow from these
      pool.BuildFileCollectingErrors(file, &problems);
    }
  }
  if (problems.empty()) return false;
  response.set_error(problems.Text());
  AcceptAllEditions(response);
  return true;
}

}  // namespace structtensor::compiler
