#include "structtensor/io/tf_example/parse_examples.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/physical_memory.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/tf_example/internal/compose_features.h"
#include "structtensor/io/tf_example/internal/feature_columns.h"
#include "structtensor/io/tf_example/internal/feature_reader.h"
#include "structtensor/io/tf_example/internal/row_error.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using namespace tf_example_internal;  // NOLINT: everything in it is made for files like this one

template <typename... Text>
absl::Status Wrong(const std::string& name, const Text&... text) {
  return absl::InvalidArgumentError(absl::StrCat("feature \"", name, "\": ", text...));
}

// --- What is read

// A feature of the messages: its values, with all rows one after another.
struct Source {
  enum class Form : uint8_t { kFixed, kBlocks, kList };

  std::string key;
  Form form;
  FeatureColumn column;
  int64_t block_elements = 1;  // of kFixed and kBlocks
  Shape block_shape = {};      // of kFixed and kBlocks
  std::optional<Tensor> default_value = {};
  bool allow_missing = true;               // of kBlocks
  std::vector<int64_t> row_splits = {0};   // not of kFixed; of feature lists, the splits of the steps
  std::vector<int64_t> step_splits = {0};  // of feature lists: the steps of each row
  int64_t last_row = -1;                   // the last row that had it
  int64_t byte_offset = 0;                 // where it begins in the message of that row
};

template <typename... Text>
absl::Status WrongRow(int64_t row, const Source& source, const Text&... text) {
  return FeatureError({row, source.last_row == row ? source.byte_offset : 0, source.key, absl::StrCat(text...)});
}

// The features that specs need, each feature once.
class Sources {
 public:
  // Errors: InvalidArgument if another spec needs the same feature in another form.
  absl::StatusOr<size_t> Add(Source source) {
    const auto [found, is_new] = numbers_.try_emplace(source.key, sources_.size());
    if (is_new) {
      keys_.push_back(source.key);
      sources_.push_back(std::move(source));
      return sources_.size() - 1;
    }
    const Source& other = sources_[found->second];
    if (other.form != Source::Form::kList || source.form != Source::Form::kList) {
      return Wrong(source.key, "two specs read it, and one of them has a fixed length");
    }
    if (other.column.dtype() != source.column.dtype()) {
      return Wrong(source.key, "one spec reads it as ", std::string(DTypeName(other.column.dtype())), ", another as ",
                   std::string(DTypeName(source.column.dtype())));
    }
    return found->second;
  }

  std::vector<Source>& all() { return sources_; }
  Source& operator[](size_t i) { return sources_[i]; }
  const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::vector<Source> sources_;
  std::vector<std::string> keys_;
  absl::flat_hash_map<std::string, size_t> numbers_;
};

// A field of the result: the features that it is made of.
struct PlannedField {
  const std::string* name;
  const FeatureSpec* spec;
  size_t values;                    // index in Sources
  std::vector<size_t> others = {};  // of partitions (0 for a uniform one) or of indices
};

absl::Status CheckDType(const std::string& name, DType dtype) {
  if (KindOf(dtype) != FeatureKind::kNone) return absl::OkStatus();
  return Wrong(name, "dtype is ", std::string(DTypeName(dtype)), "; features are int64, float, bytes or string");
}

// Returns the number of elements of a block, and checks its default. `one_element`: the default has only one
// (FixedLenSequenceFeature).
absl::StatusOr<int64_t> CheckShape(const std::string& name, const Shape& shape, DType dtype,
                                   const std::optional<Tensor>& default_value, bool one_element) {
  if (!shape.rank_known() || !shape.is_fully_known()) {
    return Wrong(name, "the shape is ", shape.DebugString(), "; all of its sizes must be known (VarLenFeature has any number)");
  }
  int64_t elements = 1;
  for (const int64_t size : shape.dims()) {
    if (size < 0 || __builtin_mul_overflow(elements, size, &elements)) {
      return Wrong(name, "the shape ", shape.DebugString(), " is too big");
    }
  }
  if (!default_value.has_value()) return elements;
  if (default_value->dtype() != dtype || default_value->nullable()) {
    return Wrong(name, "the default is ", std::string(DTypeName(default_value->dtype())), "; its dtype must be ",
                 std::string(DTypeName(dtype)));
  }
  if (one_element ? default_value->size_elements() != 1 : default_value->shape() != shape) {
    return Wrong(name, "the default has the shape ", default_value->shape().DebugString(),
                 one_element ? "; it must be one value" : absl::StrCat("; it must be ", shape.DebugString()));
  }
  return elements;
}

absl::StatusOr<PlannedField> PlanField(const std::string& name, const FeatureSpec& spec, bool of_steps, Sources& sources) {
  using Form = Source::Form;
  PlannedField field{.name = &name, .spec = &spec, .values = 0};
  const auto add_list = [&](const std::string& key, DType dtype) {
    return sources.Add({.key = key, .form = Form::kList, .column = FeatureColumn(dtype)});
  };
  if (const auto* fixed = std::get_if<FixedLenFeature>(&spec)) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckDType(name, fixed->dtype));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t elements,
                                  CheckShape(name, fixed->shape, fixed->dtype, fixed->default_value, false));
    STRUCTTENSOR_ASSIGN_OR_RETURN(field.values, sources.Add({.key = name,
                                                             .form = Form::kFixed,
                                                             .column = FeatureColumn(fixed->dtype),
                                                             .block_elements = elements,
                                                             .block_shape = fixed->shape,
                                                             .default_value = fixed->default_value}));
    return field;
  }
  if (const auto* blocks = std::get_if<FixedLenSequenceFeature>(&spec)) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckDType(name, blocks->dtype));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t elements,
                                  CheckShape(name, blocks->shape, blocks->dtype, blocks->default_value, true));
    if (elements == 0) return Wrong(name, "the shape ", blocks->shape.DebugString(), " has no elements to count blocks by");
    if (!of_steps && !blocks->allow_missing) {
      return Wrong(name, "a FixedLenSequenceFeature of tf.Example needs allow_missing");
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(field.values, sources.Add({.key = name,
                                                             .form = Form::kBlocks,
                                                             .column = FeatureColumn(blocks->dtype),
                                                             .block_elements = elements,
                                                             .block_shape = blocks->shape,
                                                             .default_value = blocks->default_value,
                                                             .allow_missing = blocks->allow_missing}));
    return field;
  }
  if (const auto* list = std::get_if<VarLenFeature>(&spec)) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckDType(name, list->dtype));
    STRUCTTENSOR_ASSIGN_OR_RETURN(field.values, add_list(name, list->dtype));
    return field;
  }
  if (const auto* ragged = std::get_if<RaggedFeature>(&spec)) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckDType(name, ragged->dtype));
    if (ragged->row_splits_dtype != DType::kInt64 && ragged->row_splits_dtype != DType::kInt32) {
      return Wrong(name, "row_splits_dtype is ", std::string(DTypeName(ragged->row_splits_dtype)),
                   "; it must be int64 or int32");
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(field.values, add_list(ragged->value_key.empty() ? name : ragged->value_key, ragged->dtype));
    for (const RaggedFeaturePartition& partition : ragged->partitions) {
      field.others.push_back(0);
      if (partition.kind == RaggedFeaturePartition::Kind::kUniformRowLength) {
        if (partition.uniform_row_length >= 1) continue;
        return Wrong(name, "the uniform row length ", partition.uniform_row_length, " is not positive");
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(field.others.back(), add_list(partition.key, DType::kInt64));
    }
    return field;
  }
  const auto& sparse = std::get<SparseFeature>(spec);
  STRUCTTENSOR_RETURN_IF_ERROR(CheckDType(name, sparse.dtype));
  if (sparse.index_keys.empty()) return Wrong(name, "a SparseFeature needs an index_key for each axis");
  if (sparse.value_key.empty()) return Wrong(name, "a SparseFeature needs a value_key");
  if (sparse.size.size() != sparse.index_keys.size()) {
    return Wrong(name, "there are ", sparse.index_keys.size(), " index keys, but ", sparse.size.size(), " sizes");
  }
  for (const std::string& key : sparse.index_keys) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const size_t index, add_list(key, DType::kInt64));
    field.others.push_back(index);
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(field.values, add_list(sparse.value_key, sparse.dtype));
  return field;
}

absl::StatusOr<std::vector<PlannedField>> PlanFields(const FeatureSpecs& features, bool of_steps, Sources& sources) {
  std::vector<PlannedField> fields;
  for (const auto& [name, spec] : features) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(PlannedField field, PlanField(name, spec, of_steps, sources));
    fields.push_back(std::move(field));
  }
  return fields;
}

// --- Reading

struct FoundFeature {
  size_t source;
  std::string_view feature;
};

absl::Status WrongKind(int64_t row, const Source& source, FeatureKind kind) {
  return WrongRow(row, source, "it has ", std::string(KindName(kind)), ", but ", std::string(DTypeName(source.column.dtype())),
                  " is expected, of ", std::string(KindName(source.column.kind())));
}

absl::Status ProblemOf(int64_t row, const Source& source, ListProblem problem) {
  const std::string text(TextOf(problem));
  if (problem == ListProblem::kTooManyBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("row ", row, ": feature \"", source.key, "\": ", text));
  }
  return WrongRow(row, source, text);
}

// Appends the values of `feature`, which has a list of the source's kind.
absl::Status AppendFeature(int64_t row, FeatureStream stream, ListRules rules, Source& source) {
  const ListProblem problem = source.column.AppendList(stream, rules);
  return problem == ListProblem::kNone ? absl::OkStatus() : ProblemOf(row, source, problem);
}

// Checks the number of values that the row has of `source`.
absl::Status CheckCount(int64_t row, int64_t count, const Source& source) {
  if (source.form == Source::Form::kFixed && count != source.block_elements) {
    return WrongRow(row, source, "it has ", count, count == 1 ? " value, but " : " values, but ", source.block_elements,
                    source.block_elements == 1 ? " is expected" : " are expected", " for the shape ",
                    source.block_shape.DebugString());
  }
  if (source.form == Source::Form::kBlocks && count % source.block_elements != 0) {
    return WrongRow(row, source, "it has ", count, " values, which are not blocks of the shape ",
                    source.block_shape.DebugString());
  }
  return absl::OkStatus();
}

// Appends what a row without the feature has.
absl::Status AppendMissing(int64_t row, Source& source) {
  if (source.form != Source::Form::kFixed) return absl::OkStatus();
  if (!source.default_value.has_value()) return WrongRow(row, source, "it is missing, and has no default");
  const ListProblem problem = source.column.AppendTensor(*source.default_value);
  return problem == ListProblem::kNone ? absl::OkStatus() : ProblemOf(row, source, problem);
}

// For a tf.Example or a context: finishes the row, after the features that it has were read.
absl::Status FinishRow(int64_t row, Sources& sources) {
  for (Source& source : sources.all()) {
    if (source.last_row != row) STRUCTTENSOR_RETURN_IF_ERROR(AppendMissing(row, source));
    if (source.form != Source::Form::kFixed) source.row_splits.push_back(source.column.size());
  }
  return absl::OkStatus();
}

absl::Status ReadFeatures(int64_t row, std::string_view message, const std::vector<FoundFeature>& found, Sources& sources) {
  // If a key is repeated, its last feature counts.
  for (size_t i = found.size(); i-- > 0;) {
    Source& source = sources[found[i].source];
    bool known;
    const FeatureKind kind = KindOf(found[i].feature, &known);
    if (!known) {
      return FeatureError({row, OffsetIn(message, found[i].feature), source.key, "it begins with no kind of list"});
    }
    const bool is_dense = source.form != Source::Form::kList;
    if ((is_dense && kind == FeatureKind::kNone) || source.last_row == row) continue;
    source.last_row = row;
    source.byte_offset = OffsetIn(message, found[i].feature);
    if (kind == FeatureKind::kNone) continue;
    if (kind != source.column.kind()) return WrongKind(row, source, kind);
    const int64_t before = source.column.size();
    STRUCTTENSOR_RETURN_IF_ERROR(
        AppendFeature(row, FeatureStream(found[i].feature.substr(1), EndOf(message)), ListRules::kExample, source));
    STRUCTTENSOR_RETURN_IF_ERROR(CheckCount(row, source.column.size() - before, source));
  }
  return FinishRow(row, sources);
}

absl::Status ReadContext(int64_t row, std::string_view message, const std::vector<FoundFeature>& found, Sources& sources) {
  for (size_t i = found.size(); i-- > 0;) {
    Source& source = sources[found[i].source];
    if (source.last_row == row) continue;
    source.last_row = row;
    source.byte_offset = OffsetIn(message, found[i].feature);
    const int64_t before = source.column.size();
    if (!found[i].feature.empty()) {
      bool known;
      const FeatureKind kind = KindOf(found[i].feature, &known);
      if (kind != source.column.kind()) return WrongKind(row, source, kind);
      STRUCTTENSOR_RETURN_IF_ERROR(
          AppendFeature(row, FeatureStream(found[i].feature.substr(1), EndOf(message)), ListRules::kSequenceExample, source));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(CheckCount(row, source.column.size() - before, source));
  }
  return FinishRow(row, sources);
}

absl::Status ReadFeatureList(int64_t row, std::string_view list, const uint8_t* readable_end, Source& source) {
  FeatureStream stream(list, readable_end);
  const uint8_t tag = LengthTag(static_cast<uint8_t>(source.column.kind()));
  for (int64_t step = 0; !stream.AtEnd(); ++step) {
    uint32_t size_bytes;
    if (!stream.ExpectTag(LengthTag(1)) || !stream.ReadVarint32(&size_bytes) || size_bytes == 1) {
      return WrongRow(row, source, "step ", step, " is damaged");
    }
    const auto wrong_kind = [&] {
      bool known;
      const char byte = static_cast<char>(stream.PeekTag());
      const FeatureKind kind = KindOf(std::string_view(&byte, stream.AtEnd() ? 0 : 1), &known);
      return WrongRow(row, source, "step ", step, " has ", std::string(KindName(kind)), ", but ",
                      std::string(DTypeName(source.column.dtype())), " is expected, of ",
                      std::string(KindName(source.column.kind())));
    };
    const int64_t before = source.column.size();
    if (size_bytes > 2) {
      const uint8_t* const outer = stream.PushLimit(size_bytes);
      if (stream.PeekTag() != tag) return wrong_kind();
      stream.ExpectTag(tag);
      const ListProblem problem = source.column.AppendList(stream, ListRules::kSequenceExample);
      if (problem != ListProblem::kNone) return ProblemOf(row, source, problem);
      stream.PopLimit(outer);
    } else if (size_bytes == 2) {
      uint32_t list_bytes;
      if (stream.PeekTag() != tag) return wrong_kind();
      stream.ExpectTag(tag);
      if (!stream.ReadVarint32(&list_bytes) || list_bytes != 0) return WrongRow(row, source, "step ", step, " is damaged");
    }
    const int64_t count = source.column.size() - before;
    if (source.form == Source::Form::kBlocks && count != source.block_elements) {
      return WrongRow(row, source, "step ", step, " has ", count, " values, but ", source.block_elements,
                      " are expected for the shape ", source.block_shape.DebugString());
    }
    source.row_splits.push_back(source.column.size());
  }
  return absl::OkStatus();
}

absl::Status ReadFeatureLists(int64_t row, std::string_view message, const std::vector<FoundFeature>& found, Sources& sources) {
  for (size_t i = found.size(); i-- > 0;) {
    Source& source = sources[found[i].source];
    if (source.last_row == row) continue;
    source.last_row = row;
    source.byte_offset = OffsetIn(message, found[i].feature);
    STRUCTTENSOR_RETURN_IF_ERROR(ReadFeatureList(row, found[i].feature, EndOf(message), source));
  }
  for (Source& source : sources.all()) {
    if (source.last_row != row && source.form == Source::Form::kBlocks && !source.allow_missing) {
      return WrongRow(row, source, "the feature list is missing; allow_missing takes it as empty");
    }
    source.step_splits.push_back(static_cast<int64_t>(source.row_splits.size()) - 1);
  }
  return absl::OkStatus();
}

// --- Columns

// Makes a tensor [rows, longest] + shape. Row i has the blocks [splits[i], splits[i + 1]), and `padding` after them. One long
// row makes all rows long. *room_bytes: how much all such tensors of a call may take; the tensor's bytes are subtracted.
absl::StatusOr<Tensor> PaddedBlocks(const std::string& name, const Source& source, std::span<const int64_t> splits,
                                    const Tensor& padding, int64_t* room_bytes) {
  const int64_t nrows = static_cast<int64_t>(splits.size()) - 1;
  int64_t longest = 0;
  for (size_t i = 0; i + 1 < splits.size(); ++i) longest = std::max(longest, splits[i + 1] - splits[i]);
  // The most bytes that a number, or an offset of a string, takes.
  constexpr int64_t kMaxElementBytes = 8;
  int64_t bytes = kMaxElementBytes;
  for (const int64_t factor : {nrows, longest, source.block_elements}) {
    if (__builtin_mul_overflow(bytes, factor, &bytes) || bytes > *room_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("feature \"", name, "\": ", nrows, " rows, padded to ", longest,
                       " blocks of the longest one, take more than half of the machine's memory, "
                       "the limit for padded features; read fewer rows at a time"));
    }
  }
  *room_bytes -= bytes;
  FeatureColumn padded(source.column.dtype());
  padded.Reserve(nrows * longest * source.block_elements);
  for (size_t i = 0; i + 1 < splits.size(); ++i) {
    const int64_t begin = splits[i] * source.block_elements, end = splits[i + 1] * source.block_elements;
    ListProblem problem = padded.AppendFrom(source.column, begin, end);
    for (int64_t j = end - begin; j < longest * source.block_elements && problem == ListProblem::kNone; ++j) {
      problem = padded.AppendTensor(padding);
    }
    if (problem != ListProblem::kNone) return ProblemOf(static_cast<int64_t>(i), source, problem);
  }
  return std::move(padded).Finish(Shape({nrows, longest}).Concat(source.block_shape));
}

Tensor NoValue(DType dtype) {
  if (dtype == DType::kInt64) return Tensor::Scalar(int64_t{0});
  if (dtype == DType::kFloat) return Tensor::Scalar(0.0F);
  return Tensor::Scalar("", dtype);
}

// --- Rows in place of wrong messages

// The features, with a default for each FixedLenFeature that has none, so that an empty message becomes a row.
absl::StatusOr<FeatureSpecs> WithDefaults(int64_t nrows, FeatureSpecs features) {
  int64_t room_bytes = PhysicalMemoryBytes() / 2;
  for (auto& [name, spec] : features) {
    auto* const fixed = std::get_if<FixedLenFeature>(&spec);
    if (fixed == nullptr || fixed->default_value.has_value()) continue;
    const int64_t elements = fixed->shape.num_elements();
    int64_t bytes = sizeof(int64_t);
    for (const int64_t factor : {nrows, elements}) {
      if (__builtin_mul_overflow(bytes, factor, &bytes) || bytes > room_bytes) {
        return absl::ResourceExhaustedError(absl::StrCat("feature \"", name, "\": ", nrows, " rows of the shape ",
                                                         fixed->shape.DebugString(),
                                                         " take more than half of the machine's memory; read fewer rows at a "
                                                         "time, or skip invalid messages"));
      }
    }
    room_bytes -= bytes;
    const auto count = static_cast<size_t>(elements);
    fixed->default_value = fixed->dtype == DType::kInt64
                               ? Tensor::FromBuffer(Buffer<int64_t>::FromVector(std::vector<int64_t>(count)), fixed->shape)
                           : fixed->dtype == DType::kFloat
                               ? Tensor::FromBuffer(Buffer<float>::FromVector(std::vector<float>(count)), fixed->shape)
                               : Tensor::FromStrings(Buffer<int32_t>::FromVector(std::vector<int32_t>(count + 1)),
                                                     Buffer<char>::FromVector({}), fixed->dtype)
                                     .Reshape(fixed->shape);
  }
  return features;
}

// `rows` with nullable tensors for FixedLenFeatures, whose values are absent in the rows of `errors`.
absl::StatusOr<StructuredTensor> WithAbsentRows(const StructuredTensor& rows, const FeatureSpecs& features,
                                                std::span<const ExampleError> errors) {
  std::vector<Field> fields;
  for (size_t i = 0; i < features.size(); ++i) {
    const std::string& name = features[i].first;
    const Value& value = rows.flat_field(i);
    if (!std::holds_alternative<FixedLenFeature>(features[i].second)) {
      fields.push_back({name, value});
      continue;
    }
    const Tensor& tensor = *value.tensor();
    const auto elements = static_cast<size_t>(tensor.size_elements());
    const size_t row_elements = rows.nrows() == 0 ? 0 : elements / static_cast<size_t>(rows.nrows());
    std::vector<uint8_t> bits(elements / 8 + 1, 0xff);
    for (const ExampleError& error : errors) {
      const size_t begin = static_cast<size_t>(error.row) * row_elements;
      for (size_t j = begin; j < begin + row_elements; ++j) bits[j / 8] &= static_cast<uint8_t>(~(1u << (j % 8)));
    }
    const Validity validity(Buffer<uint8_t>::FromVector(std::move(bits)));
    fields.push_back({name, tensor.dtype() == DType::kInt64
                                ? Tensor::FromBuffer(tensor.buffer<int64_t>(), tensor.shape(), tensor.dtype(), validity)
                            : tensor.dtype() == DType::kFloat
                                ? Tensor::FromBuffer(tensor.buffer<float>(), tensor.shape(), tensor.dtype(), validity)
                                : Tensor::FromStrings(tensor.string_offsets(), tensor.string_bytes(), tensor.dtype(), validity)
                                      .Reshape(tensor.shape())});
  }
  return StructuredTensor::FromFields(rows.nrows(), std::move(fields));
}

// Returns the splits of blocks, made from the splits of their values.
std::vector<int64_t> BlockSplits(const Source& source) {
  std::vector<int64_t> splits;
  for (const int64_t split : source.row_splits) splits.push_back(split / source.block_elements);
  return splits;
}

FeatureRows RowsOf(const Source& source) { return {source.row_splits, source.column.int64s()}; }

// Makes the columns of features. Specs may share a feature, and each of them needs its column.
class Columns {
 public:
  explicit Columns(Sources& sources) : sources_(sources), columns_(sources.all().size()) {}

  const Tensor& Of(size_t source) {
    std::optional<Tensor>& column = columns_[source];
    if (column.has_value()) return *column;
    // Integers are copied, because they may also say where other values are.
    FeatureColumn& values = sources_[source].column;
    column = values.kind() == FeatureKind::kInt64 ? FeatureColumn(values).Finish() : std::move(values).Finish();
    return *column;
  }
  // For a feature that no other spec needs.
  Tensor Take(size_t source, Shape shape) { return std::move(sources_[source].column).Finish(std::move(shape)); }

 private:
  Sources& sources_;
  std::vector<std::optional<Tensor>> columns_;
};

RowPlace PlaceOfWholeRow(int64_t row) { return {row, ""}; }

absl::StatusOr<StructuredTensor> FieldsOfExamples(int64_t nrows, const std::vector<PlannedField>& planned, Sources& sources) {
  Columns columns(sources);
  std::vector<Field> fields;
  int64_t room_bytes = PhysicalMemoryBytes() / 2;
  for (const PlannedField& field : planned) {
    Source& source = sources[field.values];
    std::vector<FeatureRows> others;
    for (const size_t other : field.others) others.push_back(RowsOf(sources[other]));
    const std::string& name = *field.name;
    if (source.form == Source::Form::kFixed) {
      fields.push_back({name, columns.Take(field.values, source.block_shape.Prepend(nrows))});
    } else if (source.form == Source::Form::kBlocks) {
      const Tensor padding = source.default_value.has_value() ? *source.default_value : NoValue(source.column.dtype());
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor padded, PaddedBlocks(name, source, BlockSplits(source), padding, &room_bytes));
      fields.push_back({name, padded});
    } else if (const auto* sparse = std::get_if<SparseFeature>(field.spec)) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value,
                                    SparseValues(name, *sparse, source.row_splits, columns.Of(field.values), others));
      fields.push_back({name, value});
    } else {
      const auto* const ragged = std::get_if<RaggedFeature>(field.spec);
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value,
                                    GroupValues(name, ragged == nullptr ? RaggedFeature{} : *ragged, source.row_splits,
                                                columns.Of(field.values), others, PlaceOfWholeRow));
      fields.push_back({name, value});
    }
  }
  return StructuredTensor::FromFields(nrows, std::move(fields));
}

absl::StatusOr<Value> FieldOfLists(const PlannedField& field, Sources& sources, Columns& columns) {
  const Source& source = sources[field.values];
  const std::string& name = *field.name;
  std::vector<FeatureRows> others;
  const auto* const ragged = std::get_if<RaggedFeature>(field.spec);
  for (size_t i = 0; i < field.others.size(); ++i) {
    const Source& other = sources[field.others[i]];
    others.push_back(RowsOf(other));
    if (ragged->partitions[i].kind == RaggedFeaturePartition::Kind::kUniformRowLength) continue;
    for (size_t row = 0; row + 1 < source.step_splits.size(); ++row) {
      if (source.step_splits[row + 1] == other.step_splits[row + 1]) continue;
      const int64_t steps = source.step_splits[row + 1] - source.step_splits[row];
      const int64_t other_steps = other.step_splits[row + 1] - other.step_splits[row];
      return FeatureError(
          {static_cast<int64_t>(row), 0, name,
           absl::StrCat("it has ", steps, " steps, but feature \"", other.key, "\", its partition, ", other_steps)});
    }
  }
  const auto place_of_step = [&source](int64_t step) {
    const auto above = std::ranges::upper_bound(source.step_splits, step);
    return RowPlace{above - source.step_splits.begin() - 1, absl::StrCat("step ", step - *(above - 1), ": ")};
  };
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value steps,
                                GroupValues(name, ragged == nullptr ? RaggedFeature{} : *ragged, source.row_splits,
                                            columns.Of(field.values), others, place_of_step));
  RowPartition rows = RowPartition::FromRowSplitsUnchecked(Buffer<int64_t>::FromVector(source.step_splits));
  STRUCTTENSOR_ASSIGN_OR_RETURN(rows, rows.Cast(ragged == nullptr ? DType::kInt64 : ragged->row_splits_dtype));
  return WithOuterPartition(rows, steps);
}

absl::Status CheckSpecsOf(const FeatureSpecs& features, bool of_steps) {
  for (const auto& [name, spec] : features) {
    if (std::holds_alternative<SparseFeature>(spec)) return Wrong(name, "tf.SequenceExample has no SparseFeature");
    if (of_steps && std::holds_alternative<FixedLenFeature>(spec)) {
      return Wrong(name, "a feature list is not a FixedLenFeature; FixedLenSequenceFeature has one block for each step");
    }
    if (!of_steps && std::holds_alternative<FixedLenSequenceFeature>(spec)) {
      return Wrong(name, "a FixedLenSequenceFeature is for feature lists, not for the context");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StructuredTensor> ParseExamples(std::span<const std::string_view> serialized, const FeatureSpecs& features) {
  if (features.empty()) return absl::InvalidArgumentError("there are no features to parse");
  Sources sources;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<PlannedField> fields, PlanFields(features, /*of_steps=*/false, sources));
  FeatureKeys keys(sources.keys());
  std::vector<FoundFeature> found;
  for (size_t row = 0; row < serialized.size(); ++row) {
    found.clear();
    FeatureStream stream = StreamOf(serialized[row]);
    size_t position = 0;
    const auto on_feature = [&](std::string_view key, std::string_view feature) {
      const int source = keys.Find(key, position++);
      if (source != FeatureKeys::kNotWanted) found.push_back({static_cast<size_t>(source), feature});
    };
    if (!ReadExample(stream, on_feature))
      return DamagedMessage(static_cast<int64_t>(row), serialized[row], stream, "tf.Example");
    STRUCTTENSOR_RETURN_IF_ERROR(ReadFeatures(static_cast<int64_t>(row), serialized[row], found, sources));
  }
  return FieldsOfExamples(static_cast<int64_t>(serialized.size()), fields, sources);
}

absl::StatusOr<StructuredTensor> ParseExamples(std::span<const std::string_view> serialized, const FeatureSpecs& features,
                                               const ParseExamplesOptions& options, std::vector<ExampleError>* errors) {
  using OnError = ParseExamplesOptions::OnError;
  errors->clear();
  absl::StatusOr<StructuredTensor> rows = ParseExamples(serialized, features);
  if (rows.ok()) return options.on_error == OnError::kNull ? WithAbsentRows(*rows, features, {}) : rows;
  if (options.on_error == OnError::kFail) {
    if (std::optional<ExampleError> error = ExampleErrorOf(rows.status())) errors->push_back(*std::move(error));
    return rows;
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(*errors, FindWrongMessages(serialized, [&features](std::span<const std::string_view> part) {
    return ParseExamples(part, features).status();
  }));
  if (options.on_error == OnError::kSkip) return ParseExamples(WithoutWrong(serialized, *errors), features);
  std::vector<std::string_view> messages(serialized.begin(), serialized.end());
  for (const ExampleError& error : *errors) messages[static_cast<size_t>(error.row)] = "";
  STRUCTTENSOR_ASSIGN_OR_RETURN(const FeatureSpecs complete, WithDefaults(static_cast<int64_t>(messages.size()), features));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const StructuredTensor complete_rows, ParseExamples(messages, complete));
  return WithAbsentRows(complete_rows, features, *errors);
}

absl::StatusOr<ParsedSequenceExamples> ParseSequenceExamples(std::span<const std::string_view> serialized,
                                                             const FeatureSpecs& context, const FeatureSpecs& sequences) {
  if (context.empty() && sequences.empty()) return absl::InvalidArgumentError("there are no features to parse");
  STRUCTTENSOR_RETURN_IF_ERROR(CheckSpecsOf(context, /*of_steps=*/false));
  STRUCTTENSOR_RETURN_IF_ERROR(CheckSpecsOf(sequences, /*of_steps=*/true));
  Sources context_sources, list_sources;
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<PlannedField> context_fields, PlanFields(context, false, context_sources));
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<PlannedField> list_fields, PlanFields(sequences, true, list_sources));
  FeatureKeys context_keys(context_sources.keys());
  FeatureKeys list_keys(list_sources.keys());
  std::vector<FoundFeature> found_context, found_lists;
  const auto nrows = static_cast<int64_t>(serialized.size());
  for (size_t i = 0; i < serialized.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    found_context.clear();
    found_lists.clear();
    FeatureStream stream = StreamOf(serialized[i]);
    const auto keep = [](FeatureKeys& keys, std::vector<FoundFeature>& found) {
      return [&keys, &found, position = size_t{0}](std::string_view key, std::string_view feature) mutable {
        const int source = keys.Find(key, position++);
        if (source != FeatureKeys::kNotWanted) found.push_back({static_cast<size_t>(source), feature});
      };
    };
    auto on_context = keep(context_keys, found_context);
    auto on_list = keep(list_keys, found_lists);
    if (!ReadSequenceExample(stream, on_context, on_list)) {
      return DamagedMessage(row, serialized[i], stream, "tf.SequenceExample");
    }
    STRUCTTENSOR_RETURN_IF_ERROR(ReadContext(row, serialized[i], found_context, context_sources));
    STRUCTTENSOR_RETURN_IF_ERROR(ReadFeatureLists(row, serialized[i], found_lists, list_sources));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor context_rows, FieldsOfExamples(nrows, context_fields, context_sources));
  Columns columns(list_sources);
  std::vector<Field> fields, lengths;
  int64_t room_bytes = PhysicalMemoryBytes() / 2;
  for (const PlannedField& field : list_fields) {
    const Source& source = list_sources[field.values];
    if (source.form != Source::Form::kBlocks) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value value, FieldOfLists(field, list_sources, columns));
      fields.push_back({*field.name, value});
      continue;
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor padded, PaddedBlocks(*field.name, source, source.step_splits,
                                                                    NoValue(source.column.dtype()), &room_bytes));
    fields.push_back({*field.name, padded});
    std::vector<int64_t> steps;
    for (size_t i = 0; i + 1 < source.step_splits.size(); ++i)
      steps.push_back(source.step_splits[i + 1] - source.step_splits[i]);
    lengths.push_back({*field.name, Tensor::FromVector(std::move(steps))});
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor list_rows, StructuredTensor::FromFields(nrows, std::move(fields)));
  STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor length_rows, StructuredTensor::FromFields(nrows, std::move(lengths)));
  return ParsedSequenceExamples{std::move(context_rows), std::move(list_rows), std::move(length_rows)};
}

}  // namespace structtensor
