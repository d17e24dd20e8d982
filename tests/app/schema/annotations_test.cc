// Annotations in .proto files and in text format: which are accepted and which are refused, and that generated code and the
// engine apply them in the same way.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "annotated.structtensor.h"
#include "annotated2.structtensor.h"
#include "batch_compare.h"
#include "delimited_file.h"
#include "log_silencer.h"
#include "oracle.h"
#include "random_message.h"
#include "structtensor/app/schema/schema.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor::testing {
namespace {

namespace pb = google::protobuf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// .proto files in a folder that is gone with the test. None of them has structtensor/options.proto beside it.
class AnnotationFilesTest : public ::testing::Test {
 protected:
  AnnotationFilesTest() {
    const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("annotations_") + test.name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~AnnotationFilesTest() override { std::filesystem::remove_all(folder_); }

  // Of a file a.proto.
  absl::StatusOr<Schema> Load(const std::string& text) const {
    std::ofstream(folder_ / "a.proto") << text;
    return Schema::FromProtoFiles({"a.proto"}, {folder_.string()});
  }
  std::string ErrorOf(const std::string& text) const { return std::string(Load(text).status().message()); }

  std::filesystem::path folder_;
  LogSilencer silencer_;
};

constexpr char kHead[] =
    "syntax = 'proto3'; package p; import 'structtensor/options.proto'; import 'google/protobuf/timestamp.proto';\n";

std::string PlanText(const absl::StatusOr<Schema>& schema, const std::string& type) {
  if (!schema.ok()) return schema.status().ToString();
  const auto plan = schema->PlanOf(type);
  return plan.ok() ? plan::DebugString(**plan) : plan.status().ToString();
}

const plan::MessagePlan* const* GeneratedPlans() {
  static const plan::MessagePlan* const plans[] = {&annotated::TripColumns::plan(), &annotated::StringsColumns::plan(),
                                                   &annotated::SizesColumns::plan(), &annotated::WholeColumns::plan(), nullptr};
  return plans;
}

absl::StatusOr<Schema> AnnotatedSchema() {
  return Schema::FromDescriptorSet(ReadWholeFile(STRUCTTENSOR_ANNOTATED_DESCRIPTOR_SET));
}

TEST(AnnotatedSchemaTest, PlansAreThoseOfGeneratedCode) {
  const absl::StatusOr<Schema> schema = AnnotatedSchema();
  ASSERT_TRUE(schema.ok()) << schema.status();
  for (auto generated = GeneratedPlans(); *generated != nullptr; ++generated) {
    const auto plan = schema->PlanOf((*generated)->full_name);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan::DebugString(**plan), plan::DebugString(**generated));
    ASSERT_EQ((*plan)->fields.size(), (*generated)->fields.size());
    for (size_t i = 0; i < (*plan)->fields.size(); ++i) {
      const plan::FieldPlan& a = (*plan)->fields[i];
      const plan::FieldPlan& b = (*generated)->fields[i];
      EXPECT_EQ(a.skipped, b.skipped) << a.name;
      ASSERT_EQ(a.annotations == nullptr, b.annotations == nullptr) << a.name;
      if (a.annotations == nullptr) continue;
      EXPECT_TRUE(*a.annotations == *b.annotations) << a.name;
    }
  }
}

TEST(AnnotatedSchemaTest, RowsAreThoseOfGeneratedCode) {
  const LogSilencer silencer;
  const absl::StatusOr<Schema> schema = AnnotatedSchema();
  ASSERT_TRUE(schema.ok()) << schema.status();
  OracleSchema oracle(STRUCTTENSOR_ANNOTATED_DESCRIPTOR_SET);
  for (auto generated = GeneratedPlans(); *generated != nullptr; ++generated) {
    const auto plan = schema->PlanOf((*generated)->full_name);
    Random random(5);
    std::vector<std::string> bytes;
    for (int i = 0; i < 60; ++i) {
      const auto message = oracle.New(oracle.Find(std::string((*generated)->full_name)));
      Fill(random, {.probability = 0.4, .depth = 3, .extensions = &oracle.pool()}, message.get());
      bytes.push_back(message->SerializePartialAsString());
    }
    const std::vector<std::string_view> messages(bytes.begin(), bytes.end());
    for (const int recursion_depth : {0, 1}) {
      const DecodeOptions options = {.on_error = DecodeOptions::OnError::kSkip,
                                     .unknown_fields = DecodeOptions::UnknownFields::kKeep,
                                     .recursion_depth = recursion_depth};
      BatchDecoder of_generated = *BatchDecoder::Create(**generated, options);
      BatchDecoder of_schema = *BatchDecoder::Create(**plan, options);
      ASSERT_EQ(DifferenceOfDecoders(of_generated, of_schema, messages), "") << (*generated)->full_name;
      const auto batch_a = of_generated.Decode(messages);
      const auto batch_b = of_schema.Decode(messages);
      ASSERT_TRUE(batch_a.ok() && batch_b.ok());
      for (const Optionals optionals : {Optionals::kRagged, Optionals::kNullable, Optionals::kDefaultFilled}) {
        const TensorOptions tensor_options = {.optionals = optionals};
        const auto a = ToStructuredTensor(*batch_a, tensor_options);
        const auto b = ToStructuredTensor(*batch_b, tensor_options);
        ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
        ASSERT_EQ(TypeSpec(a->spec()), TypeSpec(b->spec()));
        ASSERT_EQ(ToJson(*a), ToJson(*b));
      }
    }
  }
}

TEST(AnnotatedSchemaTest, AnnotationsAreIgnoredOnRequest) {
  const absl::StatusOr<Schema> schema = AnnotatedSchema();
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto plan = schema->PlanOf("Trip", Schema::Annotations::kIgnore);
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const plan::FieldPlan& field : (*plan)->fields) {
    EXPECT_FALSE(field.skipped) << field.name;
    EXPECT_EQ(field.annotations, nullptr) << field.name;
  }
  const auto strings = schema->PlanOf("Strings", Schema::Annotations::kIgnore);
  EXPECT_FALSE((*strings)->fields[0].validate_utf8);
  EXPECT_TRUE(BatchDecoder(**plan).Decode(std::vector<std::string_view>{""}).ok());
}

TEST(AnnotatedSchemaTest, DescriptorSetsNeedNotHaveTheFileOfAnnotations) {
  pb::FileDescriptorSet set;
  ASSERT_TRUE(set.ParseFromString(ReadWholeFile(STRUCTTENSOR_ANNOTATED_DESCRIPTOR_SET)));
  pb::FileDescriptorSet few;
  for (const pb::FileDescriptorProto& file : set.file()) {
    if (file.package() == "structtensor.testing.annotated") *few.add_file() = file;
  }
  ASSERT_EQ(few.file_size(), 2);
  EXPECT_EQ(PlanText(Schema::FromDescriptorSet(few.SerializeAsString()), "Trip"), PlanText(AnnotatedSchema(), "Trip"));
}

TEST(AnnotatedSchemaTest, TypesOfOwnFilesAreNoneThatFilesHold) {
  const absl::StatusOr<Schema> schema = AnnotatedSchema();
  ASSERT_TRUE(schema.ok()) << schema.status();
  for (const std::string& name : schema->MessageNames()) EXPECT_THAT(name, HasSubstr("structtensor.testing.annotated."));
  EXPECT_THAT(schema->RootMessageNames(),
              ElementsAre("structtensor.testing.annotated.Trip", "structtensor.testing.annotated.Strings",
                          "structtensor.testing.annotated.Sizes", "structtensor.testing.annotated.Whole"));
  EXPECT_EQ(*schema->Resolve("google.protobuf.FieldOptions"), "google.protobuf.FieldOptions");
}

TEST_F(AnnotationFilesTest, OptionsProtoNeedNotBeThere) {
  EXPECT_THAT(PlanText(Load(std::string(kHead) + "message M { string a = 1 [(structtensor.field).name = 'b']; }"), "M"),
              HasSubstr("1 a: singular implicit string utf8 column=b\n"));
}

TEST_F(AnnotationFilesTest, AnnotationsOfATypeHoldForItsFieldsUnlessTheySayOtherwise) {
  const absl::StatusOr<Schema> schema = Load(std::string(kHead) + R"(
    enum E { option (structtensor.enumeration) = {enum_as: NAME optional_as: RAGGED}; ZERO = 0; }
    message M { optional E a = 1; repeated E b = 2; E c = 3; map<int32, E> d = 4;
                optional E e = 5 [(structtensor.field) = {enum_as: NUMBER optional_as: NULLABLE}]; })");
  const std::string text = PlanText(schema, "M");
  EXPECT_THAT(text, AllOf(HasSubstr("1 a: singular explicit enum p.E open ragged names\n"),
                          HasSubstr("2 b: repeated enum p.E open packed names\n"),
                          HasSubstr("3 c: singular implicit enum p.E open names\n"),
                          HasSubstr("2 value: singular implicit enum p.E open names\n"),
                          HasSubstr("5 e: singular explicit enum p.E open nullable numbers\n")));
}

TEST_F(AnnotationFilesTest, MistakesAreReportedWithPlaceFieldAndRemedy) {
  struct {
    std::string text;  // after kHead, which is line 1
    const char* error;
  } const kCases[] = {
      {"message M {\n  int32 a = 1 [(structtensor.field).enum_as = NAME];\n}",
       "a.proto:3:3: p.M.a: enum_as is for fields whose type is an enum; take it out"},
      {"message M { string a = 1 [(structtensor.field).bytes_as = UTF8]; }", "p.M.a: bytes_as is for fields of type bytes"},
      {"message M { int64 a = 1 [(structtensor.field).timestamps = SECONDS]; }", "p.M.a: timestamps is for fields of type"},
      {"message M { string a = 1 [(structtensor.field).optional_as = RAGGED]; }", "p.M.a: optional_as is for fields that may"},
      {"message M { repeated M a = 1 [(structtensor.field).optional_as = RAGGED]; }", "p.M.a: optional_as is for"},
      {"message M { string a = 1 [(structtensor.field).recursion_depth = 1]; }", "p.M.a: recursion_depth is for messages"},
      {"message M { M a = 1 [(structtensor.field).recursion_depth = 0]; }", "recursion_depth is a number from 1 to 10"},
      {"message M { M a = 1 [(structtensor.field).recursion_depth = 11]; }", "recursion_depth is a number from 1 to 10"},
      {"message M { string a = 1 [(structtensor.field).name = '']; }", "p.M.a: name is empty"},
      {"message M { string a = 1 [(structtensor.field).name = 'x\\0y']; }", "p.M.a: name and prefix are without zero bytes"},
      {"message M { string a = 1 [(structtensor.field).name = '\\xff']; }", "p.M.a: name and prefix are UTF-8"},
      {absl::StrCat("message M { string a = 1 [(structtensor.field).name = '", std::string(1001, 'x'), "']; }"),
       "p.M.a: name and prefix have at most 1000 bytes"},
      {"message M { string a = 1 [(structtensor.field).prefix = 'x']; }", "p.M.a: prefix is of use only with flatten"},
      {"message M { string a = 1 [(structtensor.field).flatten = true]; }", "p.M.a: flatten is for messages that are not"},
      {"message M { M a = 1 [(structtensor.field).recursion_depth = -1]; }", "recursion_depth is a number from 1 to 10"},
      {"message N { int32 x = 1; } message M { repeated N a = 1 [(structtensor.field).flatten = true]; }",
       "p.M.a: flatten is for messages that are not"},
      {"message M { google.protobuf.Timestamp a = 1 [(structtensor.field).flatten = true]; }", "becomes a value"},
      {"message N { int32 x = 1; } message M { N a = 1 [(structtensor.field) = {flatten: true name: 'b'}]; }", "use prefix"},
      {"message M { M a = 1 [(structtensor.field).flatten = true]; }", "p.M.a: a p.M contains a p.M"},
      {"message N { repeated M m = 1; } message M { N a = 1 [(structtensor.field).flatten = true]; }",
       "p.M.a: a p.N contains a p.M"},
      {"message M { string a = 1; string b = 2 [(structtensor.field).name = 'a']; }",
       "p.M.b: another column is called a; give one of them another name"},
      {"message M { string a = 1 [(structtensor.field).name = 'c']; string b = 2 [(structtensor.field).name = 'c']; }",
       "p.M.b: another column is called c"},
      {"message M { string a = 1 [(structtensor.field).skip = true]; string b = 2 [(structtensor.field).name = 'a']; "
       "string c = 3 [(structtensor.field).name = 'a']; }",
       "p.M.c: another column is called a"},
      {"message N { int32 a = 1; } message M { string a = 1; N n = 2 [(structtensor.field).flatten = true]; }",
       "p.M.n: flattened, it would have a column called a, as another field has; set another prefix"},
      {"message N { oneof o { int32 a = 1; } } message M { oneof o { int32 b = 1; } N n = 2 [(structtensor.field).flatten = "
       "true]; }",
       "p.M.n: flattened, it would have a column called o_case"},
      {"message N { int32 x = 1; } message M { string a = 1 [(structtensor.field).name = 'n.unknown_fields']; "
       "N n = 2 [(structtensor.field).flatten = true]; }",
       "n.unknown_fields"},
      {"message N { option (structtensor.message).name = 'x'; }",
       "p.N: name, bytes_as, fixed_size, flatten and prefix are for single fields"},
      {"message N { option (structtensor.message).fixed_size = 4; }", "p.N: name, bytes_as, fixed_size, flatten and prefix"},
      {"message M { string a = 1 [(structtensor.field).fixed_size = 4]; }", "p.M.a: fixed_size is for fields of type bytes"},
      {"message M { bytes a = 1 [(structtensor.field).fixed_size = -1]; }", "fixed_size is a number from 1 to 65536, or 0"},
      {"message M { bytes a = 1 [(structtensor.field).fixed_size = 65537]; }", "fixed_size is a number from 1 to 65536, or 0"},
      {"message M { bytes a = 1 [(structtensor.field) = {fixed_size: 4 bytes_as: UTF8}]; }", "take one of them out"},
      {"message M { optional bytes a = 1 [(structtensor.field) = {fixed_size: 4 optional_as: DEFAULT}]; }",
       "p.M.a: fixed_size with optional_as: DEFAULT needs a default of that size"},
      {"message N { option (structtensor.message).enum_as = NAME; }", "p.N: enum_as is for enums"},
      {"enum E { option (structtensor.enumeration).timestamps = SECONDS; A = 0; }", "p.E: timestamps is for"},
      {"message M { int32 a = 1 [(structtensor.field).colour = 1]; }", "a.proto:2:"},
      {"message M { int32 a = 1 [(structtensor.field).timestamps = HOURS]; }", "a.proto:2:"},
  };
  for (const auto& each : kCases) EXPECT_THAT(ErrorOf(kHead + std::string(each.text)), HasSubstr(each.error)) << each.text;
}

TEST_F(AnnotationFilesTest, SizesAreTakenBackByStrings) {
  const std::string proto = std::string(kHead) + "message M { bytes a = 1 [(structtensor.field).fixed_size = 65536]; }";
  EXPECT_THAT(PlanText(Load(proto), "M"), HasSubstr("1 a: singular implicit bytes fixed_size_bytes=65536\n"));
  const absl::StatusOr<Schema> schema = Load(proto);
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto without = schema->WithAnnotations("annotation { path: 'p.M.a' options { fixed_size: 0 } }", "n");
  EXPECT_THAT(PlanText(without, "M"), HasSubstr("1 a: singular implicit bytes\n"));
  const auto as_text = schema->WithAnnotations("annotation { path: 'p.M.a' options { bytes_as: UTF8 } }", "n");
  EXPECT_THAT(std::string(as_text.status().message()), HasSubstr("take one of them out"));
}

TEST_F(AnnotationFilesTest, NamesOfSkippedFieldsAreFreeForOthers) {
  for (const char* const text : {
           "message M { string a = 1 [(structtensor.field).skip = true]; string b = 2 [(structtensor.field).name = 'a']; }",
           "message M { string b = 1 [(structtensor.field).name = 'a']; string a = 2 [(structtensor.field).skip = true]; }",
           "message M { string c = 1 [(structtensor.field) = {name: 'a' skip: true}]; "
           "string b = 2 [(structtensor.field).name = 'a']; }",
           "message N { string a = 1; string b = 2 [(structtensor.field).skip = true]; } message M { "
           "string a = 1 [(structtensor.field).skip = true]; string b = 2; N n = 3 [(structtensor.field).flatten = true]; }",
           "message N { string a = 1; } message M { string a = 1; "
           "N n = 2 [(structtensor.field) = {flatten: true skip: true}]; }",
       }) {
    const absl::StatusOr<Schema> schema = Load(kHead + std::string(text));
    ASSERT_TRUE(schema.ok()) << text << schema.status();
    const auto plan = schema->PlanOf("M");
    ASSERT_TRUE(plan.ok()) << plan.status();
    const plan::FieldPlan* const field = (*plan)->FindByColumnName("a");
    ASSERT_NE(field, nullptr) << text;
    EXPECT_FALSE(field->skipped) << text;
  }
}

TEST_F(AnnotationFilesTest, OfTwoSelectedColumnsWithOneNameThereIsAnError) {
  const absl::StatusOr<Schema> schema = Load(kHead + std::string("message M { string a = 1 [(structtensor.field).skip = true]; "
                                                                 "string b = 2 [(structtensor.field).name = 'a']; }"));
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto plan = *schema->PlanOf("M");
  const auto rows = [&](std::vector<std::string> fields) -> absl::StatusOr<std::string> {
    DecodeOptions options;
    options.fields = std::move(fields);
    absl::StatusOr<BatchDecoder> decoder = BatchDecoder::Create(*plan, options);
    if (!decoder.ok()) return decoder.status();
    const std::vector<std::string> messages = {"\x0a\x01x\x12\x01y"};
    const absl::StatusOr<DecodedBatch> batch = decoder->Decode(messages);
    if (!batch.ok()) return batch.status();
    const absl::StatusOr<StructuredTensor> tensor = ToStructuredTensor(*batch);
    if (!tensor.ok()) return tensor.status();
    return ToJson(*tensor);
  };
  EXPECT_EQ(rows({}).value(), R"([{"a":"y"}])");
  EXPECT_EQ(rows({"a"}).value(), R"([{"a":"x"}])");
  const absl::Status both = rows({"a", "b"}).status();
  EXPECT_EQ(both.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(both.message(), HasSubstr("two columns are called a: a skipped field is selected"));
}

TEST_F(AnnotationFilesTest, SkipOfATypeIsForItsFieldsAndNotForRows) {
  const absl::StatusOr<Schema> schema =
      Load(kHead + std::string("message M { option (structtensor.message).skip = true; int32 a = 1; M m = 2; }"));
  const std::string text = PlanText(schema, "M");
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto plan = *schema->PlanOf("M");
  EXPECT_FALSE(plan->fields[0].skipped) << text;
  EXPECT_TRUE(plan->fields[1].skipped) << text;
}

TEST_F(AnnotationFilesTest, DictionariesAreNames) {
  const std::string messages = "enum E { A = 0; B = 1; } message M { E e = 1 [(structtensor.field).enum_as = DICTIONARY]; }";
  const absl::StatusOr<Schema> schema = Load(kHead + messages);
  EXPECT_THAT(PlanText(schema, "M"), HasSubstr("p.E open dictionary"));
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto with = [&](const std::string& enum_as) {
    return PlanText(schema->WithAnnotations("annotation { path: 'p.M.e' options { enum_as: " + enum_as + " } }", "t"), "M");
  };
  EXPECT_THAT(with("NAME"), AllOf(HasSubstr(" names"), ::testing::Not(HasSubstr("dictionary"))));
  EXPECT_THAT(with("NUMBER"), ::testing::Not(HasSubstr("names")));
  EXPECT_THAT(ErrorOf(kHead + std::string("message M { int32 a = 1 [(structtensor.field).enum_as = DICTIONARY]; }")),
              HasSubstr("p.M.a: enum_as is for fields whose type is an enum"));
}

TEST_F(AnnotationFilesTest, ManyMistakesAreAShortMessage) {
  std::string text = std::string(kHead) + "message M {\n";
  for (int i = 1; i <= 5000; ++i) {
    text += "int32 a" + std::to_string(i) + " = " + std::to_string(i) + " [(structtensor.field).enum_as = NAME];\n";
  }
  EXPECT_LT(ErrorOf(text + "}").size(), 5000u);
}

TEST_F(AnnotationFilesTest, FlattenedMessagesAreBounded) {
  // Each has twice the columns of the one below.
  std::string text = std::string(kHead) + "message M0 { int32 x = 1; }\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string below = "M" + std::to_string(i - 1);
    text += "message M" + std::to_string(i) + " { " + below + " a = 1 [(structtensor.field) = {flatten: true prefix: 'a'}]; " +
            below + " b = 2 [(structtensor.field) = {flatten: true prefix: 'b'}]; }\n";
  }
  EXPECT_THAT(ErrorOf(text), HasSubstr("columns in all"));
  std::string chain = std::string(kHead) + "message M0 { int32 x = 1; }\n";
  for (int i = 1; i <= 101; ++i) {
    chain +=
        "message M" + std::to_string(i) + " { M" + std::to_string(i - 1) + " a = 1 [(structtensor.field).flatten = true]; }\n";
  }
  EXPECT_THAT(ErrorOf(chain), HasSubstr("more than 100 messages in each other are flattened"));
}

TEST_F(AnnotationFilesTest, NamesOfFlattenedColumnsAreBounded) {
  std::string text = std::string(kHead) + "message M0 {";
  for (int i = 1; i <= 1500; ++i) text += " int32 x" + std::to_string(i) + " = " + std::to_string(i) + ";";
  text += " }\n";
  for (int i = 1; i <= 90; ++i) {
    text += "message M" + std::to_string(i) + " { M" + std::to_string(i - 1) +
            " a = 1 [(structtensor.field) = {flatten: true prefix: '" + std::string(1000, 'a') + "'}]; }\n";
  }
  EXPECT_THAT(ErrorOf(text), HasSubstr("bytes in all"));
}

// --- Text format

TEST_F(AnnotationFilesTest, ATextSaysWhatOptionsSay) {
  const std::string plain =
      "syntax = 'proto3'; package p; import 'google/protobuf/timestamp.proto';\n"
      "enum E { ZERO = 0; } message N { int32 x = 1; }\n"
      "message M { string a = 1; optional E b = 2; N n = 3; bytes c = 4; google.protobuf.Timestamp t = 5; string gone = 6; }";
  const std::string options =
      std::string(kHead) +
      "enum E { option (structtensor.enumeration).enum_as = NAME; ZERO = 0; } message N { int32 x = 1; }\n"
      "message M { string a = 1 [(structtensor.field).name = 'A']; optional E b = 2; N n = 3 [(structtensor.field).flatten = "
      "true];"
      " bytes c = 4 [(structtensor.field).bytes_as = UTF8];"
      " google.protobuf.Timestamp t = 5 [(structtensor.field).timestamps = MILLISECONDS];"
      " string gone = 6 [(structtensor.field).skip = true]; }";
  const std::string text = R"(
    # Comments are allowed.
    annotation { path: "p.M.a" options { name: "A" } }
    annotation { path: "p.E" options { enum_as: NAME } }
    annotation { path: "p.M.n" options { flatten: true } }
    annotation { path: "p.M.c" options { bytes_as: UTF8 } }
    annotation { path: "google.protobuf.Timestamp" options { timestamps: MILLISECONDS } }
    annotation { path: "p.M.gone" options { skip: true } })";
  const std::string expected = PlanText(Load(options), "M");
  const absl::StatusOr<Schema> schema = Load(plain);
  ASSERT_TRUE(schema.ok()) << schema.status();
  const std::string without = PlanText(schema, "M");
  const absl::StatusOr<Schema> annotated = schema->WithAnnotations(text, "notes.txt");
  ASSERT_TRUE(annotated.ok()) << annotated.status();
  EXPECT_EQ(PlanText(annotated, "M"), expected);
  EXPECT_NE(expected, without);
  EXPECT_EQ(PlanText(schema, "M"), without);
  EXPECT_EQ(annotated->MessageNames(), schema->MessageNames());
  // They travel with the descriptors.
  EXPECT_EQ(PlanText(Schema::FromDescriptorSet(annotated->SerializeDescriptorSet()), "p.M"), expected);
}

TEST_F(AnnotationFilesTest, ATextCannotAnnotateEntriesOfMaps) {
  const absl::StatusOr<Schema> schema = Load("syntax = 'proto3'; package p; message M { map<int32, int32> m = 1; }");
  ASSERT_TRUE(schema.ok()) << schema.status();
  const absl::StatusOr<Schema> annotated =
      schema->WithAnnotations("annotation { path: \"p.M.MEntry\" options { skip: true } }", "notes.txt");
  EXPECT_THAT(std::string(annotated.status().message()), HasSubstr("entries of maps have no annotations"));
}

TEST_F(AnnotationFilesTest, ATextOverridesOptionsOneByOne) {
  const absl::StatusOr<Schema> schema =
      Load(std::string(kHead) +
           "message M { optional bytes a = 1 [(structtensor.field) = {name: 'b' bytes_as: UTF8 optional_as: RAGGED}]; }");
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto annotated = schema->WithAnnotations(
      "annotation { path: 'p.M.a' options { name: 'c' } } annotation { path: 'p.M.a' options { bytes_as: BYTES } }", "n");
  EXPECT_THAT(PlanText(annotated, "M"), HasSubstr("1 a: singular explicit bytes column=c ragged\n"));
}

TEST_F(AnnotationFilesTest, ATextTakesOptionsBack) {
  const absl::StatusOr<Schema> schema =
      Load(std::string(kHead) +
           "enum E { option (structtensor.enumeration).enum_as = NAME; ZERO = 0; } message N { int32 x = 1; }\n"
           "message M { N n = 1 [(structtensor.field) = {flatten: true prefix: 'n_'}]; E e = 2;"
           " string gone = 3 [(structtensor.field).skip = true]; string a = 4 [(structtensor.field).name = 'b']; }");
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto annotated = schema->WithAnnotations(
      "annotation { path: 'p.M.n' options { flatten: false } } annotation { path: 'p.E' options { enum_as: NUMBER } }"
      "annotation { path: 'p.M.gone' options { skip: false } } annotation { path: 'p.M.a' options { name: 'a' } }",
      "n");
  const std::string text = PlanText(annotated, "M");
  EXPECT_THAT(text, AllOf(HasSubstr("1 n: singular explicit message p.N\n"), HasSubstr("enum p.E open numbers\n"),
                          HasSubstr("3 gone: singular implicit string utf8\n"), HasSubstr("column=a\n")));
}

TEST_F(AnnotationFilesTest, ExtensionsAndNestedTypesHavePaths) {
  const absl::StatusOr<Schema> schema = Load(
      "syntax = 'proto2'; message M { message N { enum E { A = 0; } optional E e = 1; optional group G = 2 { optional int32 x "
      "= 1; } }\n"
      "optional N n = 1; extensions 100 to 200; } extend M { optional int32 extra = 100; } message S { extend M { optional "
      "int32 scoped = 101; } }");
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto annotated = schema->WithAnnotations(R"(
      annotation { path: "M.N.E" options { enum_as: NAME } }
      annotation { path: "M.N.g" options { flatten: true } }
      annotation { path: "extra" options { name: "extra" } }
      annotation { path: "S.scoped" options { name: "scoped" } })",
                                                 "n");
  EXPECT_THAT(PlanText(annotated, "M"), AllOf(HasSubstr("M.N.E closed names"), HasSubstr("M.N.G flatten"),
                                              HasSubstr("100 [extra]: singular explicit int32 column=extra"),
                                              HasSubstr("101 [S.scoped]: singular explicit int32 column=scoped")));
}

TEST_F(AnnotationFilesTest, MistakesInATextAreReportedWithTheirPlace) {
  const absl::StatusOr<Schema> schema =
      Load(std::string(kHead) + "message Recipe { string title = 1; map<string, int32> ratings = 2; }");
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto error = [&](const std::string& text) {
    return std::string(schema->WithAnnotations(text, "notes.txt").status().message());
  };
  EXPECT_THAT(error("annotation {\n  path: 'p.Recipe.title'\n  options { nam: 'x' }\n}"),
              AllOf(HasSubstr("notes.txt:3:"), HasSubstr("nam")));
  EXPECT_THAT(error("annotation { path: 'p.Recipe.title' options { timestamps: HOURS } }"), HasSubstr("notes.txt:1:"));
  EXPECT_THAT(
      error("\nannotation { path: 'p.Recipe.titl' options { skip: true } }"),
      HasSubstr(
          "notes.txt:2:1: the schema has no field, message type or enum called p.Recipe.titl; did you mean p.Recipe.title?"));
  EXPECT_THAT(error("annotation { path: 'Recipe.title' options { skip: true } }"), HasSubstr("did you mean p.Recipe.title?"));
  EXPECT_THAT(error("annotation { path: 'zzzzzzzzzzzzz' options { skip: true } }"), HasSubstr("write its full name"));
  EXPECT_THAT(error("annotation { path: 'p.Recipe.title' }"), HasSubstr("notes.txt:1:1: an annotation has a path and options"));
  EXPECT_THAT(error("annotation { options { skip: true } }"), HasSubstr("an annotation has a path and options"));
  EXPECT_THAT(error("annotation { path: 'p.Recipe.title' options { enum_as: NAME } }"),
              HasSubstr("notes.txt:1:1: p.Recipe.title: enum_as is for fields whose type is an enum"));
  EXPECT_THAT(error("annotation { path: 'p.Recipe.RatingsEntry.value' options { name: 'x' } }"),
              HasSubstr("entries of maps have no annotations; annotate the map"));
  EXPECT_THAT(error("annotation { path: 'google.protobuf.Timestamp.nanos' options { skip: true } }"),
              HasSubstr("is one value"));
  EXPECT_THAT(error("annotation { path: 'p.Recipe.title' options { name: 'a' } }\n"
                    "annotation { path: 'p.Recipe.title' options { skip: true name: 'b' } }"),
              HasSubstr("notes.txt:2:1: p.Recipe.title has name at notes.txt:1:1 already; take one of them out"));
  EXPECT_THAT(error("annotation { path: 'p.Recipe.title' options { name: 'ratings' } }"),
              HasSubstr("notes.txt:1:1: p.Recipe.title: another column is called ratings"));
  EXPECT_THAT(error("{"), HasSubstr("notes.txt:1:"));
  EXPECT_TRUE(schema->WithAnnotations("", "notes.txt").ok());
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "annotation { path: 'p.None' options { skip: true } }\n";
  EXPECT_LT(error(many).size(), 5000u);
}

TEST_F(AnnotationFilesTest, DamagedStringsAreErrorsOrAnnotations) {
  const absl::StatusOr<Schema> schema = AnnotatedSchema();
  ASSERT_TRUE(schema.ok()) << schema.status();
  const std::string good =
      "annotation { path: \"structtensor.testing.annotated.Trip.id\" options { name: \"x\" } }\n"
      "annotation { path: \"structtensor.testing.annotated.Tree\" options { recursion_depth: 3 } }\n";
  Random random(9);
  for (int i = 0; i < 100; ++i) {
    std::string damaged = good;
    for (size_t changes = 1 + Pick(random, 3); changes > 0; --changes)
      damaged[Pick(random, damaged.size())] = static_cast<char>(Pick(random, 256));
    const absl::StatusOr<Schema> annotated = schema->WithAnnotations(damaged, "n");
    if (!annotated.ok()) continue;
    EXPECT_TRUE(annotated->PlanOf("Trip").ok());
  }
}

TEST(AnnotatedSchemaTest, DamagedDescriptorSetsAreErrorsOrSchemas) {
  const LogSilencer silencer;
  const std::string good = ReadWholeFile(STRUCTTENSOR_ANNOTATED_DESCRIPTOR_SET);
  // The end has the annotated files.
  const size_t begin = good.find("annotated.proto");
  ASSERT_NE(begin, std::string::npos);
  Random random(6);
  int schemas = 0;
  for (int i = 0; i < 500; ++i) {
    std::string damaged = good;
    for (size_t changes = 1 + Pick(random, 2); changes > 0; --changes) {
      damaged[begin + Pick(random, damaged.size() - begin)] = static_cast<char>(Pick(random, 256));
    }
    const absl::StatusOr<Schema> schema = Schema::FromDescriptorSet(damaged);
    if (!schema.ok()) continue;
    ++schemas;
    for (const std::string& name : schema->MessageNames()) {
      const auto plan = schema->PlanOf(name);
      ASSERT_TRUE(plan.ok()) << plan.status();
      BatchDecoder decoder = *BatchDecoder::Create(**plan, {.recursion_depth = 1, .allow_missing_required = true});
      const auto batch = decoder.Decode(std::vector<std::string_view>{"", ""});
      ASSERT_TRUE(batch.ok()) << batch.status();
      EXPECT_TRUE(ToStructuredTensor(*batch, {.optionals = Optionals::kNullable}).ok());
    }
  }
  EXPECT_GT(schemas, 10);
}

// In types with presence words and without, however many messages there are.
TEST_F(AnnotationFilesTest, RequiredFieldsThatAreSkippedAreNotMissed) {
  for (const int fields : {5, 100}) {
    std::string text =
        "syntax = 'proto2'; import 'structtensor/options.proto';\nmessage M {\n"
        "required int32 a = 1 [(structtensor.field).skip = true];\n"
        "required M m = 2 [(structtensor.field).skip = true];\n";
    for (int i = 3; i < fields; ++i) text += "optional int32 f" + std::to_string(i) + " = " + std::to_string(i) + ";\n";
    const absl::StatusOr<Schema> schema = Load(text + "}");
    ASSERT_TRUE(schema.ok()) << schema.status();
    const auto plan = *schema->PlanOf("M");
    ASSERT_EQ(plan->presence_words, fields < 64);
    BatchDecoder decoder(*plan);
    std::vector<std::string> messages(100, "\x18\x07");
    EXPECT_TRUE(decoder.Decode(messages).ok());
    for (std::string& message : messages) message = std::string("\x08\x05\x12\x00\x18\x07", 6);
    const auto batch = decoder.Decode(messages);
    EXPECT_TRUE(batch.ok()) << batch.status();
  }
}

}  // namespace
}  // namespace structtensor::testing
