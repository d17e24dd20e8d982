#include "structtensor/app/schema/schema.h"

#include <google/protobuf/descriptor.pb.h>

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
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"

namespace structtensor::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Files in a folder that is gone with the test. A test fails if anything is printed on standard error, as libprotobuf does by
// default.
class SchemaFilesTest : public ::testing::Test {
 protected:
  SchemaFilesTest() {
    const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / (std::string("schema_") + test.name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "dir");
  }
  ~SchemaFilesTest() override { std::filesystem::remove_all(folder_); }
  void SetUp() override { ::testing::internal::CaptureStderr(); }
  void TearDown() override { EXPECT_EQ(::testing::internal::GetCapturedStderr(), ""); }

  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  absl::StatusOr<Schema> Load(const std::vector<std::string>& files) const {
    return Schema::FromProtoFiles(files, {folder_.string()});
  }

  std::filesystem::path folder_;
};

absl::StatusOr<Schema> TestSchema() { return Schema::FromDescriptorSet(ReadWholeFile(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET)); }

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

TEST_F(SchemaFilesTest, AFolderMayHaveTwoNames) {
  const std::string file = Write("a.proto", "syntax = 'proto3'; message M { int32 x = 1; }");
  const std::filesystem::path link = folder_ / "dir" / "again";
  std::filesystem::create_directory_symlink(folder_, link);
  const absl::StatusOr<Schema> schema = Schema::FromProtoFiles({file}, {link.string(), folder_.string()});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->MessageNames(), ElementsAre("M"));
  std::ofstream(folder_ / "dir" / "a.proto") << "syntax = 'proto3'; message Other {}";
  EXPECT_THAT(MessageOf(Schema::FromProtoFiles({file}, {(folder_ / "dir").string(), folder_.string()}).status()),
              HasSubstr("in an earlier import folder has the same name"));
}

TEST_F(SchemaFilesTest, PathsAndFoldersMayBeWrittenInDifferentWays) {
  const std::string absolute = Write("dir/a.proto", "syntax = 'proto3'; message M { int32 x = 1; }");
  const std::filesystem::path relative_folder = std::filesystem::relative(folder_);
  ASSERT_FALSE(relative_folder.is_absolute());
  const absl::StatusOr<Schema> schema = Schema::FromProtoFiles({absolute}, {relative_folder.string()});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->MessageNames(), ElementsAre("M"));
  EXPECT_TRUE(Schema::FromProtoFiles({(relative_folder / "dir" / "a.proto").string()}, {folder_.string()}).ok());
  const std::string outside = Write("b.proto", "syntax = 'proto3'; message N {}");
  EXPECT_THAT(MessageOf(Schema::FromProtoFiles({outside}, {(relative_folder / "dir").string()}).status()),
              HasSubstr("b.proto: the file is not below an import folder ("));
}

// What a file is named by decides which one it is, whatever other folders have.
TEST_F(SchemaFilesTest, FilesWithoutImportDirsAreThoseThatArePointedAt) {
  const std::string file =
      Write("a.proto", "syntax = 'proto3'; import 'b.proto'; import 'c.proto'; message Outer { B b = 1; C c = 2; }");
  Write("b.proto", "syntax = 'proto3'; message B { int32 x = 1; }");
  Write("dir/a.proto", "syntax = 'proto3'; message Inner {}");
  Write("dir/b.proto", "syntax = 'proto3'; message Wrong {}");
  Write("dir/c.proto", "syntax = 'proto3'; message C { int32 x = 1; }");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_ / "dir");
  const auto names = [](const std::vector<std::string>& files) {
    const absl::StatusOr<Schema> schema = Schema::FromProtoFiles(files, {});
    return schema.ok() ? schema->MessageNames() : std::vector<std::string>{MessageOf(schema.status())};
  };
  EXPECT_THAT(names({file}), ElementsAre("Outer"));
  EXPECT_THAT(names({"../a.proto"}), ElementsAre("Outer"));
  EXPECT_THAT(names({"./../dir/../a.proto"}), ElementsAre("Outer"));
  EXPECT_THAT(names({"a.proto"}), ElementsAre("Inner"));
  EXPECT_THAT(names({(folder_ / "dir" / "a.proto").string()}), ElementsAre("Inner"));
  EXPECT_THAT(names({"b.proto", "b.proto", (folder_ / "dir" / "b.proto").string()}), ElementsAre("Wrong"));
  // Two files cannot have one name in imports.
  EXPECT_THAT(names({file, "a.proto"}), ElementsAre(HasSubstr("a.proto in an earlier import folder has the same name; ")));
  std::filesystem::current_path(folder_);
  EXPECT_THAT(names({"dir/c.proto"}), ElementsAre("C"));
  EXPECT_THAT(names({"c.proto"}), ElementsAre(HasSubstr("c.proto: no such file")));
  EXPECT_THAT(Schema::FromProtoFiles({"c.proto", "dir/c.proto"}, {"dir", "."})->MessageNames(), ElementsAre("C"));
  std::filesystem::current_path(before);
}

TEST_F(SchemaFilesTest, OneFileUnderTwoNamesIsOneProblem) {
  const std::string text =
      "syntax = 'proto3'; package p; enum E { A = 0; B = 1; } message M { E e = 1; oneof o { int32 x = 2; } map<int32, M> m = "
      "3; }";
  Write("dir/x.proto", text);
  Write("both.proto", "syntax = 'proto3'; import 'dir/x.proto'; import 'x.proto'; message R { p.M m = 1; }");
  const std::vector<std::string> dirs = {folder_.string(), (folder_ / "dir").string()};
  for (const std::vector<std::string>& files :
       std::vector<std::vector<std::string>>{{"both.proto"}, {"dir/x.proto", "x.proto"}}) {
    const absl::Status status = Schema::FromProtoFiles(files, dirs).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(MessageOf(status), "x.proto and dir/x.proto are the same file, " + (folder_ / "dir" / "x.proto").string() +
                                     ", below two import folders; use one of the two names wherever it is named or imported");
  }
  // Copies of a file are different files.
  Write("x.proto", text);
  const std::string message = MessageOf(Schema::FromProtoFiles({"both.proto"}, dirs).status());
  EXPECT_THAT(message, StartsWith("x.proto:"));
  EXPECT_THAT(message, HasSubstr("\" is already declared in dir/x.proto; names must be unique in all files of a schema\n"));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("scoping")));
  EXPECT_EQ(std::ranges::count(message, '\n'), 1) << message;  // and the import
  // A file without names of its own may be read twice.
  Write("dir/empty.proto", "syntax = 'proto3';");
  EXPECT_TRUE(Schema::FromProtoFiles({"dir/empty.proto", "empty.proto"}, dirs).ok());
  // Descriptor sets may have copies, too.
  google::protobuf::FileDescriptorSet set;
  for (const char* name : {"a.proto", "b.proto"}) {
    google::protobuf::FileDescriptorProto* const file = set.add_file();
    file->set_name(name);
    for (const char* type : {"M", "N"}) file->add_message_type()->set_name(type);
  }
  EXPECT_EQ(MessageOf(Schema::FromDescriptorSet(set.SerializeAsString()).status()),
            "b.proto: M: \"M\" is already declared in a.proto; names must be unique in all files of a schema");
}

TEST(SchemaTest, MessagesThatColumnsGiveBackAreEqual) {
  const LogSilencer silencer;
  const absl::StatusOr<Schema> schema = TestSchema();
  ASSERT_TRUE(schema.ok()) << schema.status();
  OracleSchema oracle(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const RewriteOptions rewrite = {.shuffle = 0.2,
                                  .pack = 0.2,
                                  .long_varints = 0.1,
                                  .unknown = 0.1,
                                  .repeat = 0.3,
                                  .drop = 0.1,
                                  .zero = 0.1,
                                  .switch_oneof = 0.1};
  for (const MessageType& type : RootTypes()) {
    const plan::MessagePlan& plan = *type.plan();
    const std::string name(plan.full_name);
    BatchDecoder decoder = *BatchDecoder::Create(plan, {.unknown_fields = DecodeOptions::UnknownFields::kKeep});
    BatchEncoder encoder(plan);
    Random random(9);
    for (int i = 0; i < 40; ++i) {
      const auto message = oracle.New(oracle.Find(name));
      Fill(random, {.probability = 0.4, .depth = 3, .extensions = &oracle.pool()}, message.get());
      const std::string bytes =
          Rewrite(random, rewrite, message->GetDescriptor(), oracle.pool(), message->SerializePartialAsString());
      const auto batch = decoder.Decode(std::vector<std::string>{bytes});
      if (!batch.ok()) continue;
      const auto encoded = encoder.Encode(batch->tree());
      ASSERT_TRUE(encoded.ok()) << encoded.status();
      const absl::StatusOr<std::string> difference = schema->DifferenceOfMessages(name, bytes, (*encoded)[0]);
      ASSERT_TRUE(difference.ok()) << difference.status();
      ASSERT_EQ(*difference, "") << name << ", message " << i;
    }
  }
}

// Maps as libprotobuf reads them: the last entry of a key counts, whole.
TEST_F(SchemaFilesTest, MessagesAreComparedAsLibprotobufReadsThem) {
  Write("m.proto", R"(
    syntax = 'proto2';
    enum E { ZERO = 0; ONE = 1; TWO = 2; }
    message S { optional int32 x = 1; optional int32 y = 2; map<string, S> m = 3; }
    message M { map<int32, int32> n = 1; map<bool, S> s = 2; map<string, E> e = 3; optional S one = 4;
                repeated S many = 5; })");
  const absl::StatusOr<Schema> schema = Load({"m.proto"});
  ASSERT_TRUE(schema.ok()) << schema.status();
  const auto number = [](int field, int value) { return std::string{static_cast<char>(field << 3), static_cast<char>(value)}; };
  const auto part = [](int field, const std::string& bytes) {
    return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  const auto n = [&](int key, int value) { return part(1, number(1, key) + number(2, value)); };
  const auto s = [&](int key, const std::string& value) { return part(2, number(1, key) + part(2, value)); };
  const auto e = [&](const std::string& key, int value) { return part(3, part(1, key) + number(2, value)); };
  const auto m = [&](const std::string& key, const std::string& value) { return part(3, part(1, key) + part(2, value)); };
  const std::string x = number(1, 5);
  const std::string y = number(2, 6);
  struct Case {
    std::string a;
    std::string b;
    bool equal;
  };
  for (const Case& c :
       std::vector<Case>{{n(1, 2) + n(1, 3), n(1, 3), true},
                         {n(1, 2) + n(1, 3), n(1, 2), false},
                         {n(1, 2) + n(4, 5) + n(1, 3) + n(6, 7), n(6, 7) + n(4, 5) + n(1, 3), true},
                         {n(1, 2) + n(4, 5), n(1, 2), false},
                         {s(1, x) + s(1, y), s(1, y), true},                                    // entries are not merged,
                         {s(1, x) + s(1, y), s(1, x + y), false},                               //
                         {part(2, number(1, 1) + part(2, x) + part(2, y)), s(1, x + y), true},  // values in one entry are
                         {part(1, number(2, 3)), n(0, 3), true},                                // no key
                         {part(1, number(1, 3)) + part(1, ""), n(3, 0) + n(0, 0), true},        // no value
                         {part(2, number(1, 1)), s(1, ""), true},
                         {part(3, part(1, "k")), e("k", 0), true},
                         {e("k", 1) + e("k", 2), e("k", 2), true},
                         {e("k", 1) + e("k", 9), e("k", 1) + e("k", 9), true},  // 9 is unknown
                         {e("k", 1) + e("k", 9), e("k", 1), false},
                         {part(1, number(1, 1) + number(2, 2) + number(3, 3)), n(1, 2), true},  // unknown, in an entry
                         {part(4, m("a", x)) + part(4, m("a", y)), part(4, m("a", y)), true},   // of merged messages
                         {part(5, m("a", x) + m("a", y)) + part(5, ""), part(5, m("a", y)) + part(5, ""), true},
                         {part(4, m("a", m("b", x) + m("b", y))), part(4, m("a", m("b", y))), true},
                         {part(4, m("a", m("b", x) + m("b", y))), part(4, m("a", m("b", x))), false}}) {
    for (const auto& [a, b] : {std::pair(c.a, c.b), std::pair(c.b, c.a)}) {
      const absl::StatusOr<std::string> difference = schema->DifferenceOfMessages("M", a, b);
      ASSERT_TRUE(difference.ok()) << difference.status();
      EXPECT_EQ(difference->empty(), c.equal) << *difference;
    }
  }
}

std::vector<std::string> TypesAt(const absl::StatusOr<Schema>& schema, std::string_view name,
                                 const std::vector<int32_t>& indexes) {
  const auto types = schema->TypesOfIndexes(name);
  return types.ok() ? (*types)(indexes) : std::vector<std::string>{MessageOf(types.status())};
}

TEST_F(SchemaFilesTest, IndexesNameTheTypesOfAFile) {
  Write("a.proto", R"(syntax = "proto3"; package p; import "b.proto";
      message A { message In { int32 x = 1; } message In2 { message Deep { int32 x = 1; } } In in = 1; }
      message B { b.Other other = 1; })");
  Write("b.proto", R"(syntax = "proto3"; package b; import "google/protobuf/timestamp.proto";
      message Other { google.protobuf.Timestamp t = 1; })");
  const absl::StatusOr<Schema> schema = Load({"a.proto"});
  ASSERT_TRUE(schema.ok()) << schema.status();
  for (const char* name : {"", "p.B", "A.In2.Deep"}) {
    EXPECT_THAT(TypesAt(schema, name, {0}), ElementsAre("p.A"));
    EXPECT_THAT(TypesAt(schema, name, {1}), ElementsAre("p.B"));
    EXPECT_THAT(TypesAt(schema, name, {0, 1}), ElementsAre("p.A.In2"));
    EXPECT_THAT(TypesAt(schema, name, {0, 1, 0}), ElementsAre("p.A.In2.Deep"));
    for (const std::vector<int32_t>& none : {std::vector<int32_t>{}, {2}, {-1}, {0, 2}, {0, -1}, {0, 1, 0, 0}, {INT32_MAX}}) {
      EXPECT_THAT(TypesAt(schema, name, none), IsEmpty());
    }
  }
  // The file of the type.
  EXPECT_THAT(TypesAt(schema, "b.Other", {0}), ElementsAre("b.Other"));
  EXPECT_THAT(TypesAt(schema, "NoSuchType", {0}), ElementsAre(HasSubstr("no message is called NoSuchType")));

  // Of several files, the one that no other one imports, also through a file that was not named.
  EXPECT_THAT(TypesAt(Load({"b.proto", "a.proto"}), "", {1}), ElementsAre("p.B"));
  EXPECT_THAT(TypesAt(Schema::FromDescriptorSet(schema->SerializeDescriptorSet()), "", {1}), ElementsAre("p.B"));
  Write("c.proto", "syntax = 'proto3'; message C {}");
  EXPECT_THAT(TypesAt(Load({"c.proto", "b.proto", "a.proto"}), "", {0}),
              ElementsAre(HasSubstr("the schema has several that no other file imports: a.proto, c.proto; name the type with "
                                    "`message`, or give one file")));
  EXPECT_THAT(TypesAt(Load({"c.proto", "b.proto", "a.proto"}), "b.Other", {0}), ElementsAre("b.Other"));
}

TEST_F(SchemaFilesTest, MapFieldsMayCountAsTypes) {
  Write("a.proto", R"(syntax = "proto3";
      message A { map<string, int32> m = 1; message B { int32 x = 1; } message C { int32 x = 1; } })");
  const absl::StatusOr<Schema> schema = Load({"a.proto"});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(TypesAt(schema, "", {0, 0}), ElementsAre("A.B"));  // or the entry of the map, which is no message of a file
  EXPECT_THAT(TypesAt(schema, "", {0, 1}), ElementsAre("A.B", "A.C"));  // with and without the entry
  EXPECT_THAT(TypesAt(schema, "", {0, 2}), ElementsAre("A.C"));
}

TEST(SchemaTest, PlansAreThoseOfGeneratedCode) {
  const absl::StatusOr<Schema> schema = TestSchema();
  ASSERT_TRUE(schema.ok()) << schema.status();
  for (const MessageType& type : MessageTypes()) {
    const plan::MessagePlan& generated = *type.plan();
    const auto plan = schema->PlanOf(generated.full_name);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan::DebugString(**plan), plan::DebugString(generated));
    ASSERT_EQ((*plan)->fields.size(), generated.fields.size());
    EXPECT_EQ((*plan)->node_size_bytes, generated.node_size_bytes);
    for (size_t i = 0; i < generated.fields.size(); ++i) {
      const plan::FieldPlan& a = (*plan)->fields[i];
      const plan::FieldPlan& b = generated.fields[i];
      EXPECT_EQ(a.column_offset, b.column_offset) << b.name;
      EXPECT_EQ(a.layout, b.layout) << b.name;
      EXPECT_EQ(a.presence_bit, b.presence_bit) << b.name;
      EXPECT_EQ(a.oneof_case, b.oneof_case) << b.name;
      EXPECT_EQ(a.packed, b.packed) << b.name;
      EXPECT_EQ(a.validate_utf8, b.validate_utf8) << b.name;
      EXPECT_EQ(a.default_value.declared, b.default_value.declared) << b.name;
      EXPECT_EQ(a.default_value.bits, b.default_value.bits) << b.name;
      EXPECT_EQ(a.default_value.text, b.default_value.text) << b.name;
    }
  }
}

TEST(SchemaTest, DecodesAsGeneratedCodeDoes) {
  const LogSilencer silencer;
  const absl::StatusOr<Schema> schema = TestSchema();
  ASSERT_TRUE(schema.ok()) << schema.status();
  OracleSchema oracle(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  for (const MessageType& type : RootTypes()) {
    const plan::MessagePlan& generated = *type.plan();
    const auto plan = schema->PlanOf(generated.full_name);
    ASSERT_TRUE(plan.ok()) << plan.status();
    Random random(3);
    std::vector<std::string> bytes;
    for (int i = 0; i < 20; ++i) {
      const auto message = oracle.New(oracle.Find(std::string(generated.full_name)));
      Fill(random, {.probability = 0.4, .depth = 2, .extensions = &oracle.pool()}, message.get());
      bytes.push_back(message->SerializePartialAsString());
    }
    const DecodeOptions options = {.on_error = DecodeOptions::OnError::kSkip,
                                   .unknown_fields = DecodeOptions::UnknownFields::kKeep};
    BatchDecoder of_generated = *BatchDecoder::Create(generated, options);
    BatchDecoder of_schema = *BatchDecoder::Create(**plan, options);
    EXPECT_EQ(DifferenceOfDecoders(of_generated, of_schema, std::vector<std::string_view>(bytes.begin(), bytes.end())), "")
        << type.name;
  }
}

TEST(SchemaTest, PlansKeepWhatTheyConsistOf) {
  std::shared_ptr<const plan::MessagePlan> plan;
  {
    const absl::StatusOr<Schema> schema = TestSchema();
    plan = *schema->PlanOf("Maps");
  }
  BatchDecoder decoder(*plan);
  EXPECT_TRUE(decoder.Decode(std::vector<std::string_view>{"", ""}).ok());
  EXPECT_EQ(plan->full_name, "structtensor.testing.Maps");
}

TEST(SchemaTest, DecodersMadeWithTheSharedPlanKeepItAlive) {
  std::vector<DecodedBatch> batches;
  for (const bool projected : {false, true}) {
    DecodeOptions options;
    if (projected) options.fields = {"seconds"};
    std::weak_ptr<const plan::MessagePlan> watched;
    {
      absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> plan = TestSchema()->PlanOf("google.protobuf.Timestamp");
      ASSERT_TRUE(plan.ok()) << plan.status();
      watched = *plan;
      absl::StatusOr<BatchDecoder> decoder = BatchDecoder::Create(*std::move(plan), options);
      ASSERT_TRUE(decoder.ok()) << decoder.status();
      absl::StatusOr<DecodedBatch> batch = decoder->Decode(std::vector<std::string>{"\x08\x07", ""});
      ASSERT_TRUE(batch.ok()) << batch.status();
      batches.push_back(*std::move(batch));
    }
    EXPECT_FALSE(watched.expired()) << "the batch has outlived its decoder, and needs the plan";
    EXPECT_EQ(batches.back().nrows(), 2);
    EXPECT_EQ(batches.back().plan().full_name, "google.protobuf.Timestamp");
    batches.clear();
    EXPECT_TRUE(watched.expired());
  }
}

TEST(SchemaTest, FindsPlansByFullNames) {
  std::function<const plan::MessagePlan*(std::string_view)> find;
  {
    const absl::StatusOr<Schema> schema = TestSchema();
    ASSERT_TRUE(schema.ok()) << schema.status();
    find = schema->PlanFinder();
  }
  const std::string name(MessageTypes().front().plan()->full_name);
  const plan::MessagePlan* const plan = find(name);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->full_name, name);
  EXPECT_EQ(std::function(find)(name), plan);
  EXPECT_EQ(find(std::string_view(name).substr(name.rfind('.') + 1)), nullptr);
  EXPECT_EQ(find(""), nullptr);
  EXPECT_EQ(find("no.such.Type"), nullptr);
}

TEST_F(SchemaFilesTest, TextFormat) {
  const std::string path = Write("tree.proto", R"(
    syntax = 'proto2';
    package t;
    import 'google/protobuf/any.proto';
    message Tree { optional Tree child = 1; required int32 x = 2; optional google.protobuf.Any any = 3;
                   optional string s = 4; })");
  const absl::StatusOr<Schema> schema = Load({path});
  ASSERT_TRUE(schema.ok()) << schema.status();
  const absl::StatusOr<TextFormat> format = schema->TextFormatOf("Tree");
  ASSERT_TRUE(format.ok()) << format.status();
  std::string serialized = "kept", problem, text;
  size_t byte = 0;
  ASSERT_TRUE(
      format->AppendMessage("child { s: 'ö' } any { [type.googleapis.com/t.Tree] { x: 1 } }", serialized, &byte, &problem))
      << problem;
  ASSERT_TRUE(format->AppendText(serialized.substr(4), text).ok());
  EXPECT_EQ(text, "child {\n  s: \"ö\"\n}\nany {\n  [type.googleapis.com/t.Tree] {\n    x: 1\n  }\n}\n");
  for (const auto& [wrong, at] : std::vector<std::pair<std::string, size_t>>{
           {"x: 1\n\tx: 'a'", 9}, {"x: 1 y: 2", 5}, {"x: 99999999999", 3}, {"child {", 7}, {"\xff", 0}, {"x: 1 x: 2", 8}}) {
    serialized = "kept";
    EXPECT_FALSE(format->AppendMessage(wrong, serialized, &byte, &problem)) << wrong;
    EXPECT_EQ(serialized, "kept");
    EXPECT_FALSE(problem.empty());
    EXPECT_NEAR(static_cast<double>(byte), static_cast<double>(at), 2) << wrong << ": " << problem;
  }
  // Nested messages are read up to protobuf's limit on depth, and no deeper.
  for (const int depth : {90, 120, 100'000}) {
    std::string nested;
    for (int i = 0; i < depth; ++i) nested += "child {";
    nested.append(static_cast<size_t>(depth), '}');
    EXPECT_EQ(format->AppendMessage(nested, serialized, &byte, &problem), depth == 90) << depth;
  }
  EXPECT_TRUE(schema->TextFormatOf("Tree", {.ignore_extra_fields = true})
                  ->AppendMessage("y: 2 z { a: [1] }", serialized, &byte, &problem));
  EXPECT_EQ(format->AppendText("\x08", text).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(schema->TextFormatOf("Bush").status().code(), absl::StatusCode::kNotFound);
}

TEST(SchemaTest, WritesADescriptorSetThatItReads) {
  const absl::StatusOr<Schema> schema = TestSchema();
  const absl::StatusOr<Schema> again = Schema::FromDescriptorSet(schema->SerializeDescriptorSet());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(plan::DebugString(**again->PlanOf("Everything2")), plan::DebugString(**schema->PlanOf("Everything2")));
}

TEST_F(SchemaFilesTest, ProtoFilesWithImports) {
  Write("dir/common.proto", "syntax = 'proto3'; package shop; message Money { string currency = 1; int64 units = 2; }");
  const std::string path = Write("dir/order.proto", R"(
    syntax = 'proto3';
    package shop;
    import 'dir/common.proto';
    import 'google/protobuf/timestamp.proto';
    message Order {
      message Line { string name = 1; Money price = 2; }
      repeated Line lines = 1;
      google.protobuf.Timestamp placed = 2;
      map<string, Money> discounts = 3;
    })");
  for (const std::string& name : {path, std::string("dir/order.proto")}) {
    const absl::StatusOr<Schema> schema = Load({name});
    ASSERT_TRUE(schema.ok()) << schema.status();
    EXPECT_THAT(schema->MessageNames(), ElementsAre("shop.Order", "shop.Order.Line"));
    const auto plan = schema->PlanOf("Order");
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ((*plan)->FindByName("placed")->message->well_known, plan::WellKnown::kTimestamp);
    EXPECT_EQ((*plan)->FindByName("discounts")->cardinality, plan::Cardinality::kMap);
    EXPECT_EQ(*schema->Resolve("Money"), "shop.Money");
    EXPECT_EQ(*schema->Resolve("Order.Line"), "shop.Order.Line");
    EXPECT_EQ(*schema->Resolve("google.protobuf.Timestamp"), "google.protobuf.Timestamp");
  }
}

TEST_F(SchemaFilesTest, ExtensionsOfAnyFileAreFields) {
  Write("base.proto", "syntax = 'proto2'; message Base { extensions 100 to 200; }");
  Write("more.proto", "syntax = 'proto2'; import 'base.proto'; extend Base { optional int32 extra = 100; }");
  EXPECT_NE((**Load({"base.proto", "more.proto"})->PlanOf("Base")).FindByName("[extra]"), nullptr);
  EXPECT_EQ((**Load({"base.proto"})->PlanOf("Base")).FindByName("[extra]"), nullptr);
}

TEST_F(SchemaFilesTest, NamesThatAreNotThereAreAnsweredWithThoseThatAre) {
  Write("a.proto", "syntax = 'proto3'; package p; message Span { message Event {} } message Trace { message Event {} }");
  const absl::StatusOr<Schema> schema = Load({"a.proto"});
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(schema->Resolve("Spam").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(MessageOf(schema->Resolve("Spam").status()), HasSubstr("did you mean p.Span?"));
  EXPECT_THAT(MessageOf(schema->Resolve("span").status()), HasSubstr("did you mean p.Span?"));
  EXPECT_THAT(MessageOf(schema->Resolve("Zebra").status()), HasSubstr("there are p.Span, p.Span.Event, p.Trace"));
  EXPECT_EQ(schema->Resolve("Event").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(MessageOf(schema->Resolve("Event").status()), HasSubstr("p.Span.Event, p.Trace.Event"));
  for (const char* name : {"", ".", "p.", ".Span", "pan", "p.Span.", "EventEntry"})
    EXPECT_FALSE(schema->Resolve(name).ok()) << name;
  EXPECT_FALSE(schema->Resolve(std::string(100'000, 'x')).ok());
}

TEST_F(SchemaFilesTest, MistakesAreNamedByFileAndLine) {
  Write("syntax.proto", "syntax = 'proto3';\nmessage A {\n  int32 = 1;\n}\n");
  EXPECT_THAT(MessageOf(Load({"syntax.proto"}).status()), HasSubstr("syntax.proto:3:"));
  Write("type.proto", "syntax = 'proto3';\nmessage A { Missing field = 1; }\n");
  EXPECT_THAT(MessageOf(Load({"type.proto"}).status()), HasSubstr("type.proto:2:"));
  EXPECT_THAT(MessageOf(Load({"type.proto"}).status()), HasSubstr("Missing"));
  Write("import.proto", "syntax = 'proto3';\nimport 'nowhere.proto';\n");
  EXPECT_THAT(MessageOf(Load({"import.proto"}).status()), HasSubstr("nowhere.proto"));
  EXPECT_EQ(Load({"not_there.proto"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(MessageOf(Load({"not_there.proto"}).status()), HasSubstr("not_there.proto"));
  EXPECT_EQ(Load({}).status().code(), absl::StatusCode::kInvalidArgument);
  std::string many = "syntax = 'proto3';\nmessage A {\n";
  for (int i = 0; i < 10'000; ++i)
    many += "  Missing" + std::to_string(i) + " f" + std::to_string(i) + " = " + std::to_string(i + 1) + ";\n";
  Write("many.proto", many + "}\n");
  EXPECT_LT(MessageOf(Load({"many.proto"}).status()).size(), 10'000u);
}

TEST_F(SchemaFilesTest, FilesWithoutSyntaxAreProto2) {
  Write("old.proto", "message A { optional int32 x = 1; required int32 y = 2; }\n");
  EXPECT_TRUE(Load({"old.proto"}).ok());
  Write("mark.proto", "\xef\xbb\xbfmessage A { optional int32 x = 1; }\n");
  EXPECT_TRUE(Load({"mark.proto"}).ok());
  Write("first.proto", "message A { optional int32 = 1; }\n");
  EXPECT_THAT(MessageOf(Load({"first.proto"}).status()), HasSubstr("first.proto:1:28: "));
  Write("second.proto", "// comment\nmessage A { optional int32 = 1; }\n");
  EXPECT_THAT(MessageOf(Load({"second.proto"}).status()), HasSubstr("second.proto:2:28: "));
  Write("empty.proto", "");
  EXPECT_TRUE(Load({"empty.proto"}).ok());
}

TEST_F(SchemaFilesTest, AnUnsupportedEditionIsTheOnlyProblem) {
  Write("future.proto", "// comment\nedition = '2999';\nmessage A { int32 x = 1; weird y = 2; }\n");
  Write("importer.proto", "syntax = 'proto3'; import 'future.proto'; message B { A a = 1; }\n");
  for (const std::string file : {"future.proto", "importer.proto"}) {
    const absl::Status status = Load({file}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(MessageOf(status), StartsWith("future.proto: edition 2999 is not known here: this build of structtensor has "
                                              "protobuf "));
    EXPECT_THAT(MessageOf(status), HasSubstr("\nhint: build structtensor with a newer protobuf"));
    EXPECT_EQ(std::ranges::count(MessageOf(status), '\n'), 1);
  }
}

TEST_F(SchemaFilesTest, ADamagedEditionIsAMistakeInALine) {
  for (const std::string statement : {"edition = 2023;", "edition '2023';", "edition = 'abc';", "edition"}) {
    Write("damaged.proto", statement + "\nmessage A { int32 x = 1; }\n");
    const std::string message = MessageOf(Load({"damaged.proto"}).status());
    EXPECT_THAT(message, StartsWith("damaged.proto:")) << statement;
    EXPECT_THAT(message, ::testing::Not(HasSubstr("newer protobuf"))) << statement;
  }
}

TEST_F(SchemaFilesTest, EditionsAreReadIfProtobufSupportsThem) {
  Write("a.proto", "edition = '2023';\nmessage A { int32 x = 1 [features.field_presence = IMPLICIT]; }\n");
  Write("b.proto", "edition = \"2024\";\nimport 'a.proto';\nexport message B { A a = 1; }\n");
  const absl::Status a = Load({"a.proto"}).status();
  const absl::Status b = Load({"b.proto"}).status();
#if GOOGLE_PROTOBUF_VERSION >= 5027000
  EXPECT_TRUE(a.ok()) << a;
#else
  EXPECT_THAT(MessageOf(a), StartsWith("a.proto: edition 2023 needs protobuf 27 or later, and this build"));
#endif
#if GOOGLE_PROTOBUF_VERSION >= 6032000
  EXPECT_TRUE(b.ok()) << b;
#else
  EXPECT_THAT(MessageOf(b), StartsWith("b.proto: edition 2024 needs protobuf 32 or later, and this build"));
#endif
}

// protobuf 3.21 compares the names of proto3 fields without case and underscores.
TEST_F(SchemaFilesTest, NamesThatDifferInCase) {
  Write("case.proto", "syntax = 'proto3';\nmessage A { int32 Name = 1; int32 name = 2; }\n");
  const absl::Status status = Load({"case.proto"}).status();
#if GOOGLE_PROTOBUF_VERSION >= 4022000
  EXPECT_TRUE(status.ok()) << status;
#else
  EXPECT_THAT(MessageOf(status), StartsWith("case.proto:2:35: field names \"name\" and \"Name\" differ only in case"));
  EXPECT_THAT(MessageOf(status), HasSubstr("\nhint: build structtensor with a newer protobuf"));
#endif
  // Names that are equal in JSON are an error in all releases.
  Write("equal.proto", "syntax = 'proto3';\nmessage A { int32 a_name = 1; int32 aName = 2; }\n");
  EXPECT_THAT(MessageOf(Load({"equal.proto"}).status()), HasSubstr("conflicts with"));
}

TEST_F(SchemaFilesTest, DescriptorSetsMayRepeatAFile) {
  google::protobuf::FileDescriptorSet set;
  set.add_file()->set_name("a.proto");
  set.mutable_file(0)->add_message_type()->set_name("A");
  *set.add_file() = set.file(0);
  set.mutable_file(1)->mutable_source_code_info()->add_location()->add_path(4);
  const absl::StatusOr<Schema> schema = Schema::FromDescriptorSet(set.SerializeAsString());
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_THAT(schema->MessageNames(), ElementsAre("A"));
  EXPECT_THAT(schema->RootMessageNames(), ElementsAre("A"));
  set.mutable_file(1)->mutable_message_type(0)->set_name("B");
  EXPECT_EQ(MessageOf(Schema::FromDescriptorSet(set.SerializeAsString()).status()),
            "the FileDescriptorSet has two different files named a.proto; leave one of them out");
  set.mutable_file(1)->set_name("b.proto");
  set.mutable_file(1)->set_package("a..b");
  EXPECT_THAT(MessageOf(Schema::FromDescriptorSet(set.SerializeAsString()).status()), StartsWith("b.proto: "));
}

TEST_F(SchemaFilesTest, TypesWithTooManyPathsAreNoTable) {
  // Each has twice the columns of the one below.
  std::string text = "syntax = 'proto3'; message M0 { int32 x = 1; }\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string below = "M" + std::to_string(i - 1);
    text += "message M" + std::to_string(i) + " { " + below + " a = 1; " + below + " b = 2; }\n";
  }
  Write("many.proto", text);
  const auto plan = *Load({"many.proto"})->PlanOf("M40");
  BatchDecoder decoder(*plan);
  const auto batch = decoder.Decode(std::vector<std::string_view>{""});
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT(MessageOf(ToStructuredTensor(*batch).status()), HasSubstr("more than 1000000 columns"));
}

TEST_F(SchemaFilesTest, DescriptorSetsThatAreNone) {
  EXPECT_EQ(Schema::FromDescriptorSet("").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Schema::FromDescriptorSet("no descriptors").status().code(), absl::StatusCode::kInvalidArgument);
  google::protobuf::FileDescriptorSet set;
  google::protobuf::FileDescriptorProto* const file = set.add_file();
  file->set_name("a.proto");
  file->add_dependency("b.proto");
  const absl::Status missing = Schema::FromDescriptorSet(set.SerializeAsString()).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(MessageOf(missing), HasSubstr("b.proto"));
  // Damaged ones are an error or a schema, and never anything worse.
  const std::string good = ReadWholeFile(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    std::string damaged = good;
    for (size_t changes = 1 + Pick(random, 4); changes > 0; --changes)
      damaged[Pick(random, damaged.size())] = static_cast<char>(Pick(random, 256));
    const absl::StatusOr<Schema> schema = Schema::FromDescriptorSet(damaged);
    if (!schema.ok()) continue;
    for (const std::string& name : schema->MessageNames()) EXPECT_TRUE(schema->PlanOf(name).ok());
  }
}

}  // namespace
}  // namespace structtensor::testing
