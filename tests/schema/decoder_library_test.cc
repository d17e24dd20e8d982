// Decoders that a compiler makes while the program runs: equal to those of generated code, over random and damaged messages of
// all types.
#include "structtensor/decode/decoder_library.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "batch_compare.h"
#include "delimited_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "log_silencer.h"
#include "message_types.h"
#include "oracle.h"
#include "random_message.h"
#include "rewrite.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/schema/schema.h"

namespace structtensor::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class DecoderLibraryTest : public ::testing::Test {
 protected:
  DecoderLibraryTest() {
    const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("decoder_library_") + test.name() + "_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~DecoderLibraryTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  // With nothing but the headers of the runtime: no Abseil, no libprotobuf.
  absl::StatusOr<std::shared_ptr<const DecoderLibrary>> Compile(const std::string& source) const {
    const std::string path = Write("decoders.cc", source);
    const std::string library = (folder_ / "decoders.so").string();
    const std::string command = std::string(STRUCTTENSOR_CXX) +
                                " -std=c++20 -O0 -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror "
                                "-I" STRUCTTENSOR_RUNTIME_DIR " -o '" +
                                library + "' '" + path + "'";
    if (std::system(command.c_str()) != 0) return absl::InternalError("the compiler has failed");
    return DecoderLibrary::Open(library);
  }

  std::filesystem::path folder_;
  LogSilencer silencer_;
};

absl::StatusOr<Schema> AllTypes() { return Schema::FromDescriptorSet(ReadWholeFile(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET)); }

std::vector<std::string> RandomMessages(OracleSchema& oracle, const std::string& full_name) {
  Random random(11);
  std::vector<std::string> messages;
  for (int i = 0; i < 30; ++i) {
    const auto message = oracle.New(oracle.Find(full_name));
    Fill(random, {.probability = 0.4, .depth = 2, .extensions = &oracle.pool()}, message.get());
    messages.push_back(message->SerializePartialAsString());
    const RewriteOptions options = {.shuffle = 0.3,
                                    .pack = 0.3,
                                    .long_varints = 0.1,
                                    .unknown = 0.1,
                                    .repeat = 0.2,
                                    .unknown_enum = 0.1,
                                    .switch_oneof = 0.3};
    messages.push_back(Rewrite(random, options, message->GetDescriptor(), oracle.pool(), messages.back()));
    messages.push_back(Corrupt(random, messages.back()));
  }
  return messages;
}

TEST_F(DecoderLibraryTest, DecodesAsGeneratedCodeDoes) {
  const Schema schema = AllTypes().value();
  std::vector<std::string> roots;
  for (const MessageType& type : RootTypes()) roots.emplace_back(type.plan()->full_name);
  const absl::StatusOr<std::string> source = schema.DecoderLibrarySource(roots);
  ASSERT_TRUE(source.ok()) << source.status();
  const auto library = Compile(*source);
  ASSERT_TRUE(library.ok()) << library.status();
  OracleSchema oracle(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  for (const MessageType& type : RootTypes()) {
    const plan::MessagePlan& generated = *type.plan();
    const auto plan = schema.PlanOf(generated.full_name, Schema::Annotations::kApply, *library);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ((*plan)->decode, (*library)->Find(generated));
    EXPECT_EQ((*plan)->decode_program, nullptr);  // the engine's
    const std::vector<std::string> messages = RandomMessages(oracle, std::string(generated.full_name));
    DecodeOptions skip = {.on_error = DecodeOptions::OnError::kSkip, .unknown_fields = DecodeOptions::UnknownFields::kKeep};
    DecodeOptions null_rows = {.on_error = DecodeOptions::OnError::kNull, .recursion_depth = 1};
    for (const DecodeOptions& options : {skip, null_rows}) {
      BatchDecoder of_generated = *BatchDecoder::Create(generated, options);
      BatchDecoder of_library = *BatchDecoder::Create(*plan, options);
      EXPECT_EQ(DifferenceOfDecoders(of_generated, of_library, std::vector<std::string_view>(messages.begin(), messages.end())),
                "")
          << type.name;
    }
  }
}

TEST_F(DecoderLibraryTest, HasTheTypesThatAreReached) {
  const std::string file = Write("a.proto", R"(
    syntax = "proto3";
    package a;
    message Outer { Inner inner = 1; map<string, Value> values = 2; message Inner { repeated Outer again = 1; } }
    message Value { int32 x = 1; }
    message Unreached { int32 x = 1; }
  )");
  const absl::StatusOr<Schema> schema = Schema::FromProtoFiles({file}, {folder_.string()});
  ASSERT_TRUE(schema.ok()) << schema.status();
  const std::string source = schema->DecoderLibrarySource({"Outer"}).value();
  EXPECT_EQ(source, Schema::FromProtoFiles({file}, {folder_.string()})->DecoderLibrarySource({"a.Outer"}).value());
  EXPECT_THAT(source, Not(HasSubstr("Unreached")));
  const auto library = Compile(source);
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_THAT((*library)->MessageNames(), ElementsAre("a.Outer", "a.Outer.Inner", "a.Outer.ValuesEntry", "a.Value"));
  EXPECT_NE((*schema->PlanOf("Unreached", Schema::Annotations::kApply, *library))->decode_program, nullptr);
  EXPECT_EQ((*schema->PlanOf("Value", Schema::Annotations::kApply, *library))->decode_program, nullptr);

  // A type of that name with other columns.
  const std::string changed = Write("b.proto", "syntax = 'proto3'; package a; message Value { int32 x = 1; int32 y = 2; }");
  const absl::StatusOr<Schema> other = Schema::FromProtoFiles({changed}, {folder_.string()});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE((*other->PlanOf("Value", Schema::Annotations::kApply, *library))->decode_program, nullptr);
  EXPECT_EQ(schema->DecoderLibrarySource({"Nothing"}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DecoderLibraryTest, WhatIsNoLibraryIsRefused) {
  const auto expect_refused = [](const absl::StatusOr<std::shared_ptr<const DecoderLibrary>>& library,
                                 const std::string& problem) {
    EXPECT_EQ(library.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(library.status().message()), HasSubstr(problem));
  };
  expect_refused(DecoderLibrary::Open((folder_ / "nothing.so").string()), "cannot open");
  expect_refused(DecoderLibrary::Open(Write("text.so", "text")), "cannot open");
  expect_refused(Compile("int x;"), "is not a library of decoders");
  const std::string file = Write("a.proto", "syntax = 'proto3'; message M { int32 x = 1; }");
  std::string source = Schema::FromProtoFiles({file}, {folder_.string()})->DecoderLibrarySource({"M"}).value();
  const std::string version = "    ::structtensor::plan::kContractVersion, {}";
  const size_t at = source.find(version);
  ASSERT_NE(at, std::string::npos);
  source.replace(at, version.size(), "    ::structtensor::plan::kContractVersion + 1, {}");
  std::filesystem::remove(folder_ / "decoders.so");
  expect_refused(Compile(source), "compiled for another structtensor");
}

}  // namespace
}  // namespace structtensor::testing
