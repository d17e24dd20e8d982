// tests/python/package/test_examples.py compares with TensorFlow; here is what C++ sees, and damage of every kind.
#include "structtensor/io/tf_example/parse_examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/io/tf_example/encode_examples.h"
#include "structtensor/io/tf_example/infer_features.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;
using List = NestedValue::List;
using Dict = NestedValue::Dict;

StructuredTensor Rows(const NestedValue& rows) {
  const absl::StatusOr<Value> value = Constant(rows);
  EXPECT_TRUE(value.ok()) << value.status();
  return *value->structured();
}

std::string Json(const StructuredTensor& rows) { return ToJson(rows); }

// Each example is an allocation of its own, so that a sanitizer sees reads past its end.
class Messages {
 public:
  explicit Messages(const std::vector<std::string>& messages) {
    for (const std::string& message : messages) {
      copies_.emplace_back(new char[message.size()]);
      std::memcpy(copies_.back().get(), message.data(), message.size());
      views_.emplace_back(copies_.back().get(), message.size());
    }
  }
  operator std::span<const std::string_view>() const { return views_; }  // NOLINT: that is what it is for

 private:
  std::vector<std::unique_ptr<char[]>> copies_;
  std::vector<std::string_view> views_;
};

std::vector<std::string> Encode(const StructuredTensor& rows) {
  absl::StatusOr<std::vector<std::string>> encoded = EncodeExamples(rows);
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  return *std::move(encoded);
}

const std::vector<std::string>& SomeExamples() {
  static const auto* const kExamples = new std::vector<std::string>(
      Encode(Rows(List{Dict{{"age", int64_t{7}},
                            {"words", List{"a", "b"}},
                            {"weights", List{0.5, 1.5}},
                            {"lengths", List{int64_t{1}, int64_t{1}}}},
                       Dict{{"age", int64_t{-1}}, {"words", List{}}, {"weights", List{2.5}}, {"lengths", List{int64_t{0}}}},
                       Dict{{"age", int64_t{1} << 40},
                            {"words", List{"a long word, longer than others"}},
                            {"weights", List{}},
                            {"lengths", List{int64_t{1}}}}})));
  return *kExamples;
}

FeatureSpecs SomeFeatures() {
  using Kind = RaggedFeaturePartition::Kind;
  return {{"age", FixedLenFeature{.dtype = DType::kInt64, .default_value = Tensor::Scalar(int64_t{5})}},
          {"words", RaggedFeature{.dtype = DType::kBytes}},
          {"grouped",
           RaggedFeature{
               .dtype = DType::kBytes, .value_key = "words", .partitions = {{.kind = Kind::kRowLengths, .key = "lengths"}}}},
          {"weights",
           FixedLenSequenceFeature{.dtype = DType::kFloat, .allow_missing = true, .default_value = Tensor::Scalar(-1.0F)}},
          {"place", SparseFeature{.index_keys = {"lengths"}, .value_key = "lengths", .dtype = DType::kInt64, .size = {100}}}};
}

TEST(ParseExamplesTest, EveryKindOfFeature) {
  const absl::StatusOr<StructuredTensor> rows = ParseExamples(Messages(SomeExamples()), SomeFeatures());
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->field_value("age")->tensor()->values<int64_t>()[2], int64_t{1} << 40);
  EXPECT_EQ(rows->field_value("words")->ragged()->row_splits()[3], 3);
  EXPECT_EQ(rows->field_value("weights")->tensor()->shape(), Shape({3, 2}));
  EXPECT_EQ(rows->field_value("weights")->tensor()->values<float>()[3], -1.0F);
  EXPECT_THAT(Json(*rows), HasSubstr(R"("grouped":[["YQ=="],["Yg=="]])"));
  EXPECT_THAT(Json(*rows), HasSubstr(R"("place":[{"indices":[1],"values":1},{"indices":[1],"values":1}])"));
}

TEST(ParseExamplesTest, ErrorsNameRowAndFeature) {
  const auto error_of = [](const std::vector<std::string>& messages, const FeatureSpecs& features) {
    const absl::Status status = ParseExamples(Messages(messages), features).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  FeatureSpecs features = {{"age", FixedLenFeature{.shape = Shape({2}), .dtype = DType::kInt64}}};
  EXPECT_EQ(error_of(SomeExamples(), features), "row 0: feature \"age\": it has 1 value, but 2 are expected for the shape [2]");
  features = {{"agee", FixedLenFeature{}}};
  EXPECT_EQ(error_of(SomeExamples(), features), "row 0: feature \"agee\": it is missing, and has no default");
  EXPECT_EQ(error_of({"", std::string("\x0a\x05\x0a", 3)}, {{"age", VarLenFeature{}}}), "row 1: byte 3: not a tf.Example");
  EXPECT_EQ(ParseExamples({}, {}).status(), absl::InvalidArgumentError("there are no features to parse"));
  EXPECT_EQ(ParseExamples({}, {{"a", VarLenFeature{}}, {"a", VarLenFeature{}}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseExamples({}, {{"", VarLenFeature{}}}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ParseExamplesTest, WrongMessagesAreLeftOutOrAbsent) {
  using OnError = ParseExamplesOptions::OnError;
  std::vector<std::string> messages =
      Encode(Rows(List{Dict{{"a", List{1, 2}}, {"n", List{1, 1}}}, Dict{{"a", List{3}}, {"n", List{1}}},
                       Dict{{"a", List{4, 5}}, {"n", List{2}}}, Dict{{"a", List{6, 7}}, {"n", List{3}}}}));
  messages.insert(messages.begin() + 1, "\x0a\x01\xff");
  const FeatureSpecs features = {
      {"a", FixedLenFeature{.shape = Shape({2}), .dtype = DType::kInt64}},
      {"n", RaggedFeature{.dtype = DType::kInt64}},
  };
  std::vector<ExampleError> errors;
  const auto parse = [&](const FeatureSpecs& specs, OnError on_error) {
    absl::StatusOr<StructuredTensor> rows = ParseExamples(Messages(messages), specs, {.on_error = on_error}, &errors);
    return rows.ok() ? Json(*rows) : std::string(rows.status().message());
  };
  EXPECT_EQ(parse(features, OnError::kSkip), R"([{"a":[1,2],"n":[1,1]},{"a":[4,5],"n":[2]},{"a":[6,7],"n":[3]}])");
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].row, 1);
  EXPECT_EQ(errors[0].feature, "");
  EXPECT_EQ(errors[0].problem, "not a tf.Example");
  EXPECT_EQ(errors[1].row, 2);
  EXPECT_EQ(errors[1].feature, "a");
  EXPECT_EQ(errors[1].problem, "it has 1 value, but 2 are expected for the shape [2]");
  EXPECT_EQ(messages[2].at(static_cast<size_t>(errors[1].byte_offset)), '\x1a');  // an int64_list
  EXPECT_EQ(parse(features, OnError::kNull), R"([{"a":[1,2],"n":[1,1]},{"a":[null,null],"n":[]},{"a":[null,null],"n":[]},)"
                                             R"({"a":[4,5],"n":[2]},{"a":[6,7],"n":[3]}])");
  EXPECT_EQ(errors.size(), 2u);
  EXPECT_THAT(parse(features, OnError::kFail), HasSubstr("row 1: byte"));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].row, 1);

  // What only shows when columns are put together.
  const FeatureSpecs grouped = {
      {"a",
       RaggedFeature{.dtype = DType::kInt64, .partitions = {{.kind = RaggedFeaturePartition::Kind::kRowLengths, .key = "n"}}}}};
  EXPECT_EQ(parse(grouped, OnError::kSkip), R"([{"a":[[1],[2]]},{"a":[[3]]},{"a":[[4,5]]}])");
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[1].row, 4);
  EXPECT_EQ(errors[1].feature, "a");
  // Errors that are not about one message stay errors.
  EXPECT_EQ(parse({}, OnError::kSkip), "there are no features to parse");
  const FeatureSpecs huge = {{"a", FixedLenFeature{.shape = Shape({int64_t{1} << 50}), .dtype = DType::kInt64}}};
  EXPECT_THAT(parse(huge, OnError::kNull), HasSubstr("take more than half of the machine's memory"));
  EXPECT_EQ(parse(huge, OnError::kSkip), "[]");
  EXPECT_EQ(errors.size(), messages.size());

  const absl::StatusOr<FeatureSpecs> inferred = InferFeatures(Messages(messages), &errors);
  ASSERT_TRUE(inferred.ok()) << inferred.status();
  EXPECT_EQ(inferred->size(), 2u);
  EXPECT_EQ(errors.size(), 1u);
}

TEST(ParseExamplesTest, LongListsAreReadAsShortOnes) {
  // With nothing after the list, and with enough bytes after it for reading in blocks.
  for (const int count : {1, 5, 15, 16, 17, 100, 1000}) {
    List numbers;
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < count; ++i) {
      expected.push_back((i % 7 == 0 ? -1 : 1) * (int64_t{1} << (i % 63)));
      numbers.push_back(expected.back());
    }
    const std::vector<std::string> encoded =
        Encode(Rows(List{Dict{{"a", numbers}, {"z", std::string(100, 'x')}}, Dict{{"a", numbers}, {"z", ""}}}));
    const absl::StatusOr<StructuredTensor> rows = ParseExamples(Messages(encoded), {{"a", VarLenFeature{}}});
    ASSERT_TRUE(rows.ok()) << rows.status();
    const std::span<const int64_t> values = rows->field_value("a")->ragged()->flat_values().values<int64_t>();
    ASSERT_EQ(values.size(), 2 * expected.size());
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], expected[i % expected.size()]);
  }
}

TEST(ParseExamplesTest, DamageIsReadOrRefused) {
  std::mt19937 random(11);
  int read = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::string> examples = SomeExamples();
    std::string& example = examples[random() % examples.size()];
    for (uint32_t changes = 1 + random() % 3; changes > 0 && !example.empty(); --changes) {
      const size_t at = random() % example.size();
      switch (random() % 4) {
        case 0:
          example[at] = static_cast<char>(random());
          break;
        case 1:
          example.erase(at);
          break;
        case 2:
          example.erase(at, 1);
          break;
        default:
          example.insert(at, 1, "\x0a\x12\x1a\x01\xff"[random() % 5]);
      }
    }
    const Messages messages(examples);
    const absl::StatusOr<StructuredTensor> rows = ParseExamples(messages, SomeFeatures());
    rows.ok() ? ++read : ++refused;
    if (rows.ok()) {
      ASSERT_EQ(rows->nrows(), 3);
      Json(*rows);  // looks at everything
    }
    const auto sequences =
        ParseSequenceExamples(messages, {{"age", VarLenFeature{}}}, {{"words", VarLenFeature{.dtype = DType::kBytes}}});
    if (sequences.ok()) Json(sequences->sequences);
    // What is inferred reads what it was inferred from.
    const absl::StatusOr<FeatureSpecs> inferred = InferFeatures(messages);
    if (!inferred.ok() || inferred->empty()) continue;
    const absl::StatusOr<StructuredTensor> again = ParseExamples(messages, *inferred);
    // The empty name is the name of a feature, but of no field.
    if (inferred->front().first.empty()) continue;
    ASSERT_TRUE(again.ok()) << again.status();
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace structtensor
