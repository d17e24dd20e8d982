// A feature pipeline: tf.Examples become tensors, and tensors go to a model.
//
//   score_examples [FILE.tfrecord]
//
// Prints the number and the score of each example; without a file, of three that it makes itself. The model is a logistic
// regression over three numbers and over the words of a text, with weights that are written out here. Tensors are handed to it
// as any library takes them: contiguous values, and row_splits of what is ragged. A model of ONNX Runtime or LibTorch would get
// the same pointers.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/tf_example/encode_examples.h"
#include "structtensor/io/tf_example/parse_examples.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/value.h"

namespace {

using structtensor::DType;
using structtensor::FixedLenFeature;
using structtensor::StructuredTensor;
using structtensor::Tensor;
using structtensor::Value;
using structtensor::VarLenFeature;

constexpr size_t kMeasures = 3;
constexpr float kWeights[kMeasures] = {0.5F, -1.0F, 0.25F};
constexpr size_t kBatch = 1024;

// What the model knows of a word: a number that its letters decide.
float WeightOf(std::string_view word) {
  uint32_t hash = 0;
  for (const char c : word) hash = hash * 31 + static_cast<unsigned char>(c);
  return static_cast<float>(static_cast<int>(hash % 5) - 2) / 10;
}

// The scores of a batch. measures: [rows, kMeasures]; words: row r has [splits[r], splits[r + 1]).
std::vector<float> Model(std::span<const float> measures, std::span<const int64_t> splits, const Tensor& words) {
  std::vector<float> scores(measures.size() / kMeasures);
  for (size_t row = 0; row < scores.size(); ++row) {
    float sum = 0;
    for (size_t i = 0; i < kMeasures; ++i) sum += kWeights[i] * measures[row * kMeasures + i];
    for (int64_t i = splits[row]; i < splits[row + 1]; ++i) sum += WeightOf(words.string_at(i));
    scores[row] = 1 / (1 + std::exp(-sum));
  }
  return scores;
}

absl::Status Score(std::span<const std::string_view> examples, int64_t first) {
  const structtensor::FeatureSpecs features = {
      {"measures", FixedLenFeature{.shape = structtensor::Shape({kMeasures}), .dtype = DType::kFloat}},
      {"words", VarLenFeature{.dtype = DType::kString}}};
  const absl::StatusOr<StructuredTensor> rows = structtensor::ParseExamples(examples, features);
  if (!rows.ok()) return rows.status();  // names the row and the feature
  const absl::StatusOr<Value> measures = rows->field_value("measures");
  const absl::StatusOr<Value> words = rows->field_value("words");
  if (!measures.ok()) return measures.status();
  if (!words.ok()) return words.status();
  const structtensor::RaggedTensor& ragged = *words->ragged();
  const std::vector<float> scores =
      Model(measures->tensor()->values<float>(), {ragged.row_splits().data(), ragged.row_splits().size_elements()},
            ragged.flat_values());
  for (size_t i = 0; i < scores.size(); ++i)
    std::printf("%lld %.4f\n", static_cast<long long>(first) + static_cast<long long>(i), scores[i]);
  return absl::OkStatus();
}

absl::Status ScoreFile(const char* path) {
  auto reader = structtensor::RecordReader::Create({path}, {.format = structtensor::RecordFormat::kTfRecord});
  if (!reader.ok()) return reader.status();
  structtensor::RecordBatch batch;
  for (int64_t first = 0;;) {
    const absl::StatusOr<bool> more = (*reader)->NextBatch(kBatch, size_t{16} << 20, &batch);
    if (!more.ok() || !*more) return more.status();
    const absl::Status scored = Score(batch.messages(), first);
    if (!scored.ok()) return scored;
    first += static_cast<int64_t>(batch.messages().size());
  }
}

absl::Status ScoreOwn() {
  using Dict = structtensor::NestedValue::Dict;
  using List = structtensor::NestedValue::List;
  const absl::StatusOr<Value> rows = structtensor::Constant(List{
      Dict{{"measures", List{1.0, 0.0, 0.0}}, {"words", List{"good", "cheap"}}},
      Dict{{"measures", List{0.0, 2.0, 0.0}}, {"words", List{}}}, Dict{{"measures", List{0.5, 0.25, 0.0}}, {"words", List{}}}});
  if (!rows.ok()) return rows.status();
  const absl::StatusOr<std::vector<std::string>> examples = structtensor::EncodeExamples(*rows->structured());
  if (!examples.ok()) return examples.status();
  return Score(std::vector<std::string_view>(examples->begin(), examples->end()), 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "usage: score_examples [FILE.tfrecord]\n");
    return 2;
  }
  const absl::Status scored = argc == 2 ? ScoreFile(argv[1]) : ScoreOwn();
  if (!scored.ok()) std::fprintf(stderr, "score_examples: %s\n", std::string(scored.message()).c_str());
  return scored.ok() ? 0 : 1;
}
