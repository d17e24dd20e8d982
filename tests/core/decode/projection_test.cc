// DecodeOptions::fields: what is decoded is what decoding everything gives for these fields, and the rest is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "oracle.h"
#include "random_message.h"
#include "rewrite.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/text.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

constexpr TensorOptions kTensorOptions = {.optionals = Optionals::kNullable, .well_known_types = WellKnownTypes::kStructs};

std::string JsonRow(const Value& value, int64_t row) {
  std::string text;
  AppendJson(value, row, text);
  return text;
}

// Messages that libprotobuf and we accept, written in every way.
std::vector<std::string> Messages(const plan::MessagePlan& plan, size_t count) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const google::protobuf::Descriptor* type = schema.Find(std::string(plan.full_name));
  Random random(20);
  std::vector<std::string> messages;
  BatchDecoder decoder(plan);
  while (messages.size() < count) {
    const auto message = schema.New(type);
    Fill(random, {.probability = 0.5, .extensions = &schema.pool()}, message.get());
    const RewriteOptions rewrite{
        .shuffle = 0.3, .pack = 0.3, .long_varints = 0.1, .unknown = 0.1, .wrong_wire_type = 0.1, .repeat = 0.2, .drop = 0.05};
    std::string bytes = Rewrite(random, rewrite, type, schema.pool(), message->SerializePartialAsString());
    const std::string_view view = bytes;
    if (decoder.Decode(std::span(&view, 1)).ok()) messages.push_back(std::move(bytes));
  }
  return messages;
}

absl::StatusOr<StructuredTensor> Decode(const plan::MessagePlan& plan, const std::vector<std::string>& messages,
                                        std::vector<std::string> fields = {}, int recursion_depth = 0) {
  auto decoder = BatchDecoder::Create(plan, {.fields = std::move(fields), .recursion_depth = recursion_depth});
  if (!decoder.ok()) return decoder.status();
  absl::StatusOr<DecodedBatch> batch;
  for (int round = 0; round < 2; ++round) {  // the second one with the memory of the first
    batch = decoder->Decode(messages.begin(), messages.end());
    if (!batch.ok()) return batch.status();
  }
  return ToStructuredTensor(*batch, kTensorOptions);
}

// Returns nothing if there is no such field. Recursive message fields that occur in no message are left out.
std::optional<Value> FieldOf(const StructuredTensor& structs, std::string_view name) {
  for (size_t i = 0; i < structs.field_names().size(); ++i) {
    if (structs.field_names()[i] == name) return structs.flat_field(i);
  }
  return std::nullopt;
}

void ExpectSameRows(const std::optional<Value>& part, const std::optional<Value>& whole, const std::string& path) {
  ASSERT_EQ(part.has_value(), whole.has_value()) << path;
  if (!part.has_value()) return;
  ASSERT_EQ(part->nrows(), whole->nrows()) << path;
  for (int64_t row = 0; row < whole->nrows(); ++row)
    ASSERT_EQ(JsonRow(*part, row), JsonRow(*whole, row)) << path << ", row " << row;
}

class ProjectionTest : public ::testing::TestWithParam<const plan::MessagePlan*> {
 protected:
  const plan::MessagePlan& plan_ = *GetParam();
  std::vector<std::string> messages_ = Messages(plan_, 40);
};

TEST_P(ProjectionTest, EachFieldAlone) {
  const auto whole = Decode(plan_, messages_);
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (const plan::FieldPlan& field : plan_.fields) {
    if (field.cardinality == plan::Cardinality::kOneofCase) continue;
    const std::string name(field.name);
    const auto part = Decode(plan_, messages_, {name});
    ASSERT_TRUE(part.ok()) << part.status();
    ASSERT_LE(part->field_names().size(), field.oneof_case >= 0 ? 2u : 1u) << name;
    ExpectSameRows(FieldOf(*part, name), FieldOf(*whole, name), name);
  }
}

TEST_P(ProjectionTest, EachFieldOfEachMessageFieldAlone) {
  const auto whole = Decode(plan_, messages_);
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (const plan::FieldPlan& outer : plan_.fields) {
    if (!outer.is_message() || outer.cardinality == plan::Cardinality::kMap) continue;
    for (const plan::FieldPlan& inner : outer.message->fields) {
      if (inner.cardinality == plan::Cardinality::kOneofCase) continue;
      const std::string path = std::string(outer.name) + "." + std::string(inner.name);
      const auto part = Decode(plan_, messages_, {path});
      ASSERT_TRUE(part.ok()) << part.status();
      const std::optional<Value> part_outer = FieldOf(*part, outer.name);
      const std::optional<Value> whole_outer = FieldOf(*whole, outer.name);
      ASSERT_EQ(part_outer.has_value(), whole_outer.has_value()) << path;
      if (!part_outer.has_value()) continue;
      ExpectSameRows(FieldOf(*part_outer->structured(), inner.name), FieldOf(*whole_outer->structured(), inner.name), path);
    }
  }
}

TEST_P(ProjectionTest, EachKeyAlone) {
  constexpr int kRecursionDepth = 1;  // so that what data reaches does not change the fields
  const auto whole = Decode(plan_, messages_, {}, kRecursionDepth);
  ASSERT_TRUE(whole.ok()) << whole.status();
  size_t compared = 0;
  for (const plan::FieldPlan& map : plan_.fields) {
    if (map.cardinality != plan::Cardinality::kMap) continue;
    const Value entries = *FieldOf(*whole, map.name);
    const Value keys = *FieldOf(*entries.structured(), "key");
    const Value values = *FieldOf(*entries.structured(), "value");
    const RowPartition& rows = entries.structured()->row_partitions().front();
    std::set<std::string> chosen;
    for (int64_t i = 0; i < std::min<int64_t>(keys.nrows(), 5); ++i) {
      const std::string key = JsonRow(keys, i);
      if (key.find('\\') == key.npos) chosen.insert(key);  // escapes are JSON's, not those of paths
    }
    std::vector<std::string> paths;
    for (const std::string& key : chosen) {
      paths.push_back(std::string(map.name) + "[" + key + "]");
    }
    if (paths.empty()) continue;
    const auto part = Decode(plan_, messages_, paths, kRecursionDepth);
    ASSERT_TRUE(part.ok()) << part.status();
    const Value by_key = *FieldOf(*part, map.name);
    ASSERT_EQ(by_key.structured()->field_names().size(), paths.size());
    for (const std::string& key : chosen) {
      const bool quoted = key.front() == '"';
      const Value found = *FieldOf(*by_key.structured(), quoted ? key.substr(1, key.size() - 2) : key);
      for (int64_t row = 0; row < rows.nrows(); ++row) {
        std::string expected = "null";
        for (int64_t i = rows.row(row).begin; i < rows.row(row).end; ++i) {
          if (JsonRow(keys, i) == key) expected = JsonRow(values, i);
        }
        ASSERT_EQ(JsonRow(found, row), expected) << map.name << " " << key << ", row " << row;
        compared += expected != "null";
      }
    }
  }
  if (plan_.full_name == MapsColumns::plan().full_name) {
    EXPECT_GT(compared, 30u);
  }
}

std::string TypeName(const ::testing::TestParamInfo<const plan::MessagePlan*>& info) {
  const std::string_view name = info.param->full_name;
  return std::string(name.substr(name.rfind('.') + 1));
}

INSTANTIATE_TEST_SUITE_P(Types, ProjectionTest,
                         ::testing::Values(&EverythingColumns::plan(), &Everything2Columns::plan(), &MapsColumns::plan()),
                         TypeName);

TEST(ProjectionPathTest, ErrorsSayWhatThereIs) {
  const std::vector<std::string> messages = {""};
  const auto error = [&](std::string path) {
    return std::string(Decode(MapsColumns::plan(), messages, {std::move(path)}).status().message());
  };
  EXPECT_THAT(error("lables"), ::testing::HasSubstr("field path lables: "));
  EXPECT_THAT(error("lables"), ::testing::HasSubstr("Maps has no field lables; it has by_int32, by_int64,"));
  EXPECT_THAT(error("labels[\"a\""), ::testing::HasSubstr("expected ']'"));
  EXPECT_THAT(error("by_int32[\"x\"]"),
              ::testing::HasSubstr("field path by_int32[\"x\"]: 'x' is not a key of a map with keys of type int32"));
  EXPECT_THAT(error("labels[7]"), ::testing::HasSubstr("field path labels[7]: the keys of labels are strings: write [\"7\"]"));
  EXPECT_THAT(error("labels.value.length"), ::testing::HasSubstr("labels.value is not a message"));
  EXPECT_THAT(error("labels.value[0]"), ::testing::HasSubstr("labels.value is not a map, so it has no key [0]"));
  EXPECT_THAT(error("labels[*]"), ::testing::HasSubstr("expected the name of a field, found [*] after labels"));
  EXPECT_THAT(error("*"), ::testing::HasSubstr("expected the name of a field, found *;"));
  EXPECT_THAT(error(""), ::testing::HasSubstr("it must name a field"));
}

// Beside a key, parts of all entries would be ambiguous: the map is either a list of entries or a struct of keys.
TEST(ProjectionPathTest, KeysBesidePartsOfAllEntriesAreRefused) {
  for (const std::string other : {"named.key", "named.value.value"}) {
    const absl::Status status = BatchDecoder::Create(TreeColumns::plan(), {.fields = {other, "named[\"a\"]"}}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("keys of the map named and parts of all its entries"));
  }
  const std::vector<std::string> messages = {LenField(5, LenField(1, "a") + LenField(2, VarintField(1, 5)))};
  for (const std::string whole : {"named", "named.value"}) {
    const auto part = Decode(TreeColumns::plan(), messages, {whole, "named[\"a\"]"}, 1);
    const auto alone = Decode(TreeColumns::plan(), messages, {whole}, 1);
    ASSERT_TRUE(part.ok() && alone.ok()) << part.status();
    EXPECT_EQ(JsonRow(*part, 0), JsonRow(*alone, 0));
  }
}

TEST(ProjectionPathTest, WhatIsNotChosenIsNotJudged) {
  const std::vector<std::string> messages = {LenField(21, LenField(1, "key") + LenField(2, "\xff\xff")) +
                                             LenField(20, LenField(1, "a") + LenField(2, "b"))};
  EXPECT_FALSE(Decode(MapsColumns::plan(), messages).ok());
  const auto part = Decode(MapsColumns::plan(), messages, {"labels[\"a\"]"});
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(JsonRow(*part, 0), R"({"labels":{"a":"b"}})");
}

TEST(ProjectionPathTest, RequiredFieldsThatAreNotChosenNeedNotBeThere) {
  const std::vector<std::string> messages = {LenField(2, "note"), ""};
  EXPECT_FALSE(Decode(RequiredColumns::plan(), messages).ok());
  EXPECT_FALSE(Decode(RequiredColumns::plan(), messages, {"note", "id"}).ok());
  const auto part = Decode(RequiredColumns::plan(), messages, {"note"});
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(JsonRow(*part, 0), R"({"note":"note"})");
}

}  // namespace
}  // namespace structtensor::testing
