#include "structtensor/io/tf_example/internal/feature_columns.h"

#include <cstring>
#include <limits>
#include <utility>

#include "structtensor/core/wire/abi/packed.h"
#include "structtensor/core/wire/abi/utf8.h"

namespace structtensor::tf_example_internal {
namespace {

constexpr size_t kMaxStringBytes = std::numeric_limits<int32_t>::max();
// Shorter packed lists are read one by one.
constexpr size_t kLongListBytes = 16;

}  // namespace

FeatureKind KindOf(DType dtype) {
  switch (dtype) {
    case DType::kInt64:
      return FeatureKind::kInt64;
    case DType::kFloat:
      return FeatureKind::kFloat;
    case DType::kString:
    case DType::kBytes:
      return FeatureKind::kBytes;
    default:
      return FeatureKind::kNone;
  }
}

std::string_view KindName(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kNone:
      return "no list";
    case FeatureKind::kBytes:
      return "a bytes_list";
    case FeatureKind::kFloat:
      return "a float_list";
    case FeatureKind::kInt64:
      return "an int64_list";
  }
  return "";
}

FeatureKind KindOf(std::string_view feature, bool* known) {
  *known = true;
  if (feature.empty()) return FeatureKind::kNone;
  for (const FeatureKind kind : {FeatureKind::kBytes, FeatureKind::kFloat, FeatureKind::kInt64}) {
    if (static_cast<uint8_t>(feature[0]) == LengthTag(static_cast<uint8_t>(kind))) return kind;
  }
  *known = false;
  return FeatureKind::kNone;
}

std::string_view TextOf(ListProblem problem) {
  switch (problem) {
    case ListProblem::kNone:
      return "";
    case ListProblem::kDamaged:
      return "its list of values is damaged";
    case ListProblem::kNotUtf8:
      return "a value is not UTF-8, as strings are; dtype bytes takes any";
    case ListProblem::kTooManyBytes:
      return "the strings of all rows together exceed 2 GiB; parse fewer rows at a time";
  }
  return "";
}

void FeatureColumn::Reserve(int64_t elements) {
  const auto count = static_cast<size_t>(elements);
  switch (kind_) {
    case FeatureKind::kInt64:
      return int64s_.reserve(count);
    case FeatureKind::kFloat:
      return floats_.reserve(count);
    case FeatureKind::kBytes:
      return string_offsets_.reserve(count + 1);
    case FeatureKind::kNone:
      break;
  }
}

int64_t FeatureColumn::size() const {
  switch (kind_) {
    case FeatureKind::kInt64:
      return static_cast<int64_t>(int64s_.size());
    case FeatureKind::kFloat:
      return static_cast<int64_t>(floats_.size());
    default:
      return static_cast<int64_t>(string_offsets_.size()) - 1;
  }
}

ListProblem FeatureColumn::AppendList(FeatureStream& stream, ListRules rules) {
  uint32_t size_bytes;
  if (!stream.ReadVarint32(&size_bytes)) return ListProblem::kDamaged;
  if (size_bytes == 0) return ListProblem::kNone;
  const uint8_t* const outer = stream.PushLimit(size_bytes);
  if (stream.AtEnd() && rules == ListRules::kExample) return ListProblem::kNone;
  const ListProblem problem = kind_ == FeatureKind::kInt64   ? AppendInt64List(stream)
                              : kind_ == FeatureKind::kFloat ? AppendFloatList(stream, rules)
                                                             : AppendBytesList(stream);
  stream.PopLimit(outer);
  return problem;
}

ListProblem FeatureColumn::AppendString(std::string_view bytes) {
  if (bytes.size() > kMaxStringBytes - string_bytes_.size()) return ListProblem::kTooManyBytes;
  if (dtype_ == DType::kString && !wire_internal::IsUtf8Slow(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())) {
    return ListProblem::kNotUtf8;
  }
  string_bytes_.insert(string_bytes_.end(), bytes.begin(), bytes.end());
  string_offsets_.push_back(static_cast<int32_t>(string_bytes_.size()));
  return ListProblem::kNone;
}

ListProblem FeatureColumn::AppendBytesList(FeatureStream& stream) {
  while (!stream.AtEnd()) {
    std::string_view bytes;
    if (!stream.ExpectTag(LengthTag(1)) || !stream.ReadBytes(&bytes)) return ListProblem::kDamaged;
    if (const ListProblem problem = AppendString(bytes); problem != ListProblem::kNone) return problem;
  }
  return ListProblem::kNone;
}

ListProblem FeatureColumn::AppendFloatList(FeatureStream& stream, ListRules rules) {
  const auto append = [this](const uint8_t* from, size_t count) {
    if (count == 0) return;  // either pointer may be null then
    const size_t before = floats_.size();
    floats_.resize(before + count);
    std::memcpy(floats_.data() + before, from, count * sizeof(float));
  };
  if (stream.ExpectTag(LengthTag(1))) {
    uint32_t size_bytes;
    if (!stream.ReadVarint32(&size_bytes)) return ListProblem::kDamaged;
    if (rules == ListRules::kSequenceExample) {
      const uint8_t* const outer = stream.PushLimit(size_bytes);
      if (stream.left_bytes() % sizeof(float) != 0) return ListProblem::kDamaged;
      append(stream.position(), stream.left_bytes() / sizeof(float));
      stream.SkipToEnd();
      stream.PopLimit(outer);
      return ListProblem::kNone;
    }
    std::string_view bytes;
    if (!stream.ReadRaw(size_bytes / sizeof(float) * sizeof(float), &bytes)) return ListProblem::kDamaged;
    append(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size() / sizeof(float));
    return ListProblem::kNone;
  }
  if (stream.PeekTag() != Fixed32Tag(1)) return ListProblem::kDamaged;
  while (!stream.AtEnd()) {
    std::string_view bytes;
    if (!stream.ExpectTag(Fixed32Tag(1)) || !stream.ReadRaw(sizeof(float), &bytes)) return ListProblem::kDamaged;
    append(reinterpret_cast<const uint8_t*>(bytes.data()), 1);
  }
  return ListProblem::kNone;
}

ListProblem FeatureColumn::AppendPackedInt64s(FeatureStream& stream) {
  const size_t size_bytes = stream.left_bytes();
  if (size_bytes >= kLongListBytes &&
      static_cast<size_t>(stream.readable_end() - stream.limit()) >= wire_internal::kReadableSlackBytes) {
    const size_t before = int64s_.size();
    const size_t count = wire_internal::CountVarints(stream.position(), size_bytes);
    int64s_.resize(before + count + wire_internal::kWritableSlackBytes / sizeof(int64_t));
    auto* const out = reinterpret_cast<uint64_t*>(int64s_.data() + before);
    if (wire_internal::UnpackUint64(stream.position(), stream.limit(), out) == nullptr) return ListProblem::kDamaged;
    int64s_.resize(before + count);
    stream.SkipToEnd();
    return ListProblem::kNone;
  }
  while (!stream.AtEnd()) {
    uint64_t value;
    if (!stream.ReadVarint64(&value)) return ListProblem::kDamaged;
    int64s_.push_back(static_cast<int64_t>(value));
  }
  return ListProblem::kNone;
}

ListProblem FeatureColumn::AppendInt64List(FeatureStream& stream) {
  if (stream.ExpectTag(LengthTag(1))) {
    uint32_t size_bytes;
    if (!stream.ReadVarint32(&size_bytes)) return ListProblem::kDamaged;
    const uint8_t* const outer = stream.PushLimit(size_bytes);
    const ListProblem problem = AppendPackedInt64s(stream);
    stream.PopLimit(outer);
    return problem;
  }
  if (stream.PeekTag() != VarintTag(1)) return ListProblem::kDamaged;
  while (!stream.AtEnd()) {
    uint64_t value;
    if (!stream.ExpectTag(VarintTag(1)) || !stream.ReadVarint64(&value)) return ListProblem::kDamaged;
    int64s_.push_back(static_cast<int64_t>(value));
  }
  return ListProblem::kNone;
}

ListProblem FeatureColumn::AppendTensor(const Tensor& values) {
  if (kind_ == FeatureKind::kInt64) {
    const std::span<const int64_t> from = values.values<int64_t>();
    int64s_.insert(int64s_.end(), from.begin(), from.end());
  } else if (kind_ == FeatureKind::kFloat) {
    const std::span<const float> from = values.values<float>();
    floats_.insert(floats_.end(), from.begin(), from.end());
  } else {
    for (int64_t i = 0; i < values.size_elements(); ++i) {
      if (const ListProblem problem = AppendString(values.string_at(i)); problem != ListProblem::kNone) return problem;
    }
  }
  return ListProblem::kNone;
}

ListProblem FeatureColumn::AppendFrom(const FeatureColumn& other, int64_t begin, int64_t end) {
  if (kind_ == FeatureKind::kInt64) {
    int64s_.insert(int64s_.end(), other.int64s_.begin() + begin, other.int64s_.begin() + end);
  } else if (kind_ == FeatureKind::kFloat) {
    floats_.insert(floats_.end(), other.floats_.begin() + begin, other.floats_.begin() + end);
  } else {
    for (int64_t i = begin; i < end; ++i) {
      const auto first = static_cast<size_t>(other.string_offsets_[static_cast<size_t>(i)]);
      const auto last = static_cast<size_t>(other.string_offsets_[static_cast<size_t>(i) + 1]);
      const ListProblem problem = AppendString({other.string_bytes_.data() + first, last - first});
      if (problem != ListProblem::kNone) return problem;
    }
  }
  return ListProblem::kNone;
}

Tensor FeatureColumn::Finish() && {
  const int64_t count = size();
  return std::move(*this).Finish(Shape({count}));
}

Tensor FeatureColumn::Finish(Shape shape) && {
  switch (kind_) {
    case FeatureKind::kInt64:
      return Tensor::FromBuffer(Buffer<int64_t>::FromVector(std::move(int64s_)), std::move(shape));
    case FeatureKind::kFloat:
      return Tensor::FromBuffer(Buffer<float>::FromVector(std::move(floats_)), std::move(shape));
    default:
      return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(string_offsets_)),
                                 Buffer<char>::FromVector(std::move(string_bytes_)), dtype_)
          .Reshape(std::move(shape));
  }
}

}  // namespace structtensor::tf_example_internal
