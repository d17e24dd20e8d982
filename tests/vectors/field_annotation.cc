#include "field_annotation.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/construct/constant.h"
#include "structtensor/ops/stack.h"

namespace structtensor {
namespace {

using Kind = FieldAnnotation::Kind;

struct NamedKind {
  std::string_view name;
  Kind kind;
};

// What an annotation may be on its own.
constexpr NamedKind kSimpleKinds[] = {
    {"None", Kind::kNone},
    {"bool", Kind::kBool},
    {"int", Kind::kInt},
    {"float", Kind::kFloat},
    {"str", Kind::kStr},
    {"bytes", Kind::kBytes},
    {"tf.Tensor", Kind::kTensor},
    {"tf.RaggedTensor", Kind::kRaggedTensor},
    {"tf.StructuredTensor", Kind::kStructuredTensor},
    {"tf.experimental.StructuredTensor", Kind::kStructuredTensor},
    {"tf.TensorShape", Kind::kShape},
    {"tf.DType", Kind::kDType},
    {"tf.dtypes.DType", Kind::kDType},
};

// The name in messages.
std::string_view KindName(Kind kind) {
  for (const NamedKind& simple : kSimpleKinds) {
    if (simple.kind == kind) return simple.name;
  }
  return kind == Kind::kMapping ? "Mapping" : kind == Kind::kUnion ? "Union" : "tuple";
}

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view field) : text_(text), field_(field) {}

  absl::StatusOr<FieldAnnotation> ParseAll() {
    STRUCTTENSOR_ASSIGN_OR_RETURN(FieldAnnotation annotation, Parse(0));
    SkipSpace();
    if (at_ != text_.size()) return Error("the end of the annotation");
    return annotation;
  }

 private:
  static constexpr int kMaxDepth = 100;

  absl::StatusOr<FieldAnnotation> Parse(int depth) {
    if (depth > kMaxDepth) return Error(absl::StrCat("at most ", kMaxDepth, " brackets inside each other"));
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() && IsNameChar(text_[at_])) ++at_;
    std::string_view name = text_.substr(begin, at_ - begin);
    for (const NamedKind& simple : kSimpleKinds) {
      if (simple.name == name) return FieldAnnotation{simple.kind, {}};
    }
    if (name.starts_with("typing.")) name.remove_prefix(std::string_view("typing.").size());
    const bool known = name == "Tuple" || name == "tuple" || name == "Mapping" || name == "Union" || name == "Optional";
    if (!known) {
      at_ = begin;
      return Error(
          "int, float, str, bytes, bool, None, tf.Tensor, tf.TensorShape, tf.DType, Tuple, Mapping, Union or Optional");
    }
    if (!Take('[')) return Error("'[' and the types inside");
    if (name == "Tuple" || name == "tuple") return ParseTuple(depth);
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<FieldAnnotation> options, ParseOptions(depth));
    if (name == "Mapping") return MakeMapping(std::move(options), begin);
    if (name == "Optional") {
      if (options.size() != 1) return Error("one type inside of Optional");
      options.push_back({Kind::kNone, {}});
    }
    return FieldAnnotation{Kind::kUnion, std::move(options)};
  }

  // Behind "Tuple[".
  absl::StatusOr<FieldAnnotation> ParseTuple(int depth) {
    if (Take('(')) {
      if (!Take(')') || !Take(']')) return Error("')]', as in Tuple[()]");
      return FieldAnnotation{Kind::kTuple, {}};
    }
    std::vector<FieldAnnotation> options;
    do {
      SkipSpace();
      if (options.size() == 1 && text_.substr(at_).starts_with("...")) {
        at_ += 3;
        if (!Take(']')) return Error("']' behind '...'");
        return FieldAnnotation{Kind::kTupleOf, std::move(options)};
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(FieldAnnotation option, Parse(depth + 1));
      options.push_back(std::move(option));
    } while (Take(','));
    if (!Take(']')) return Error("',' or ']'");
    return FieldAnnotation{Kind::kTuple, std::move(options)};
  }

  absl::StatusOr<std::vector<FieldAnnotation>> ParseOptions(int depth) {
    std::vector<FieldAnnotation> options;
    do {
      STRUCTTENSOR_ASSIGN_OR_RETURN(FieldAnnotation option, Parse(depth + 1));
      options.push_back(std::move(option));
    } while (Take(','));
    if (!Take(']')) return Error("',' or ']'");
    return options;
  }

  absl::StatusOr<FieldAnnotation> MakeMapping(std::vector<FieldAnnotation> options, size_t begin) {
    constexpr Kind kKeys[] = {Kind::kStr, Kind::kInt, Kind::kFloat, Kind::kBytes, Kind::kBool, Kind::kNone};
    const bool is_key =
        options.size() == 2 && std::find(std::begin(kKeys), std::end(kKeys), options[0].kind) != std::end(kKeys);
    if (is_key) return FieldAnnotation{Kind::kMapping, std::move(options)};
    at_ = begin;
    return Error("a key of str, int, float, bytes or bool and one type of values inside of Mapping");
  }

  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(char c) {
    SkipSpace();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  absl::Status Error(std::string_view expected) const {
    return absl::InvalidArgumentError(absl::StrCat("field '", ToAbsl(field_), "': unsupported type annotation '", ToAbsl(text_),
                                                   "' at offset ", at_, "; expected ", ToAbsl(expected)));
  }

  std::string_view text_;
  std::string_view field_;
  size_t at_ = 0;
};

// A path is written only where something is wrong: the steps to it, innermost first.
struct Failure {
  std::vector<std::string> steps;
  std::string expected;
  std::string found;
};

template <typename T>
using OrFailure = std::variant<T, Failure>;
using Converted = OrFailure<FieldValue>;

Failure Expected(std::string_view expected, const FieldValue& value) {
  return Failure{{}, std::string(expected), absl::StrCat("'", ToAbsl(TypeName(value)), "'")};
}

Failure Expected(Kind kind, const FieldValue& value) { return Expected(absl::StrCat("'", ToAbsl(KindName(kind)), "'"), value); }

// Whether a leaf is of a simple kind as it is.
bool IsOf(Kind kind, const FieldLeaf& leaf) {
  const Value* value = leaf.get_if<Value>();
  switch (kind) {
    case Kind::kBool:
      return leaf.get_if<bool>() != nullptr;
    case Kind::kInt:  // as in Python, where bool is a subclass of int
      return leaf.get_if<int64_t>() != nullptr || leaf.get_if<bool>() != nullptr;
    case Kind::kFloat:
      return leaf.get_if<double>() != nullptr;
    case Kind::kStr:
      return leaf.get_if<std::string>() != nullptr;
    case Kind::kBytes:
      return leaf.get_if<FieldLeaf::Bytes>() != nullptr;
    case Kind::kTensor:
      return value != nullptr && value->tensor() != nullptr;
    case Kind::kRaggedTensor:
      return value != nullptr && value->ragged() != nullptr;
    case Kind::kStructuredTensor:
      return value != nullptr && value->structured() != nullptr;
    case Kind::kShape:
      return leaf.get_if<Shape>() != nullptr;
    case Kind::kDType:
      return leaf.get_if<DType>() != nullptr;
    default:
      return false;
  }
}

std::optional<int64_t> DimensionOf(const FieldValue& value) {
  if (value.kind() == NestKind::kNone) return kUnknownDimension;
  const int64_t* dim = value.is_leaf() ? value.leaf().get_if<int64_t>() : nullptr;
  return dim == nullptr || *dim < 0 ? std::nullopt : std::optional(*dim);
}

Converted ConvertToShape(const FieldValue& value) {
  if (value.kind() == NestKind::kNone) return FieldValue(FieldLeaf(Shape::UnknownRank()));
  std::vector<int64_t> dims;
  if (const std::optional<int64_t> dim = DimensionOf(value)) dims.push_back(*dim);
  if (value.kind() == NestKind::kList || value.kind() == NestKind::kTuple) {
    for (const FieldValue& item : value.items()) {
      const std::optional<int64_t> dim = DimensionOf(item);
      if (!dim) return Expected(Kind::kShape, value);
      dims.push_back(*dim);
    }
  } else if (dims.empty()) {
    return Expected(Kind::kShape, value);
  }
  return FieldValue(FieldLeaf(Shape(dims)));
}

// By our names and by TensorFlow's where they differ.
Converted ConvertToDType(const FieldValue& value) {
  const std::string* name = value.is_leaf() ? value.leaf().get_if<std::string>() : nullptr;
  if (name == nullptr) return Expected(Kind::kDType, value);
  if (*name == "float32") return FieldValue(FieldLeaf(DType::kFloat));
  if (*name == "float64") return FieldValue(FieldLeaf(DType::kDouble));
  for (int number = 0; number <= static_cast<int>(kLastDType); ++number) {
    const DType dtype = static_cast<DType>(number);
    if (DTypeName(dtype) == *name) return FieldValue(FieldLeaf(dtype));
  }
  return Failure{{}, "'tf.DType'", absl::StrCat("no dtype: '", *name, "'")};
}

class Converter {
 public:
  explicit Converter(const FieldConversionOptions& options) : options_(options) {}

  Converted Convert(const FieldAnnotation& annotation, const FieldValue& value) const {
    if (value.is_leaf() && IsOf(annotation.kind, value.leaf())) return value;
    switch (annotation.kind) {
      case Kind::kNone:
        if (value.kind() == NestKind::kNone) return value;
        return Expected("'NoneType'", value);
      case Kind::kTensor:
        return ConvertToTensor(value);
      case Kind::kShape:
        return ConvertToShape(value);
      case Kind::kDType:
        return ConvertToDType(value);
      case Kind::kTuple:
      case Kind::kTupleOf:
        return ConvertToTuple(annotation, value);
      case Kind::kMapping:
        return ConvertToMapping(annotation, value);
      case Kind::kUnion:
        return ConvertToUnion(annotation, value);
      default:
        return Expected(annotation.kind, value);
    }
  }

 private:
  // The dtype of the first tensor in nested lists; nothing if there is none.
  static std::optional<DType> DTypeOfTensors(const FieldValue& value) {
    if (value.is_leaf()) {
      const Value* leaf = value.leaf().get_if<Value>();
      return leaf != nullptr && leaf->tensor() != nullptr ? std::optional(leaf->tensor()->dtype()) : std::nullopt;
    }
    if (value.kind() == NestKind::kDict) return std::nullopt;
    for (const FieldValue& item : value.items()) {
      if (const std::optional<DType> dtype = DTypeOfTensors(item)) return dtype;
    }
    return std::nullopt;
  }

  // Tensors in lists are stacked, as are numbers beside them, which take their dtype.
  absl::StatusOr<Tensor> MakeTensor(const FieldValue& value, const std::optional<DType>& dtype) const {
    const bool is_list = value.kind() == NestKind::kList || value.kind() == NestKind::kTuple;
    if (is_list && DTypeOfTensors(value)) {
      std::vector<Value> items;
      items.reserve(value.items().size());
      for (const FieldValue& item : value.items()) {
        STRUCTTENSOR_ASSIGN_OR_RETURN(Tensor tensor, MakeTensor(item, dtype));
        items.push_back(std::move(tensor));
      }
      STRUCTTENSOR_ASSIGN_OR_RETURN(const Value stacked, Stack(items));
      if (stacked.tensor() == nullptr) return absl::InvalidArgumentError("its tensors are of different shapes");
      return *stacked.tensor();
    }
    if (value.is_leaf() && IsOf(Kind::kTensor, value.leaf())) {
      const Tensor& tensor = *value.leaf().get_if<Value>()->tensor();
      if (!dtype || tensor.dtype() == *dtype) return tensor;
      return absl::InvalidArgumentError(absl::StrCat("a tensor of ", ToAbsl(DTypeName(tensor.dtype())), " beside one of ",
                                                     ToAbsl(DTypeName(*dtype)), "; all must be of one dtype"));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const NestedValue nested, ToNestedValue(value));
    TensorConstantOptions constant;
    constant.int_dtype = options_.int_dtype;
    constant.float_dtype = options_.float_dtype;
    constant.dtype = dtype;
    return TensorConstant(nested, constant);
  }

  Converted ConvertToTensor(const FieldValue& value) const {
    const Value* whole = value.is_leaf() ? value.leaf().get_if<Value>() : nullptr;
    if (value.kind() == NestKind::kNone || whole != nullptr) return Expected("a Tensor", value);
    absl::StatusOr<Tensor> tensor = MakeTensor(value, DTypeOfTensors(value));
    if (!tensor.ok()) {
      return Failure{{}, "a Tensor", absl::StrCat("'", ToAbsl(TypeName(value)), "' (", tensor.status().message(), ")")};
    }
    return FieldValue(FieldLeaf(Value(*std::move(tensor))));
  }

  Converted ConvertToTuple(const FieldAnnotation& annotation, const FieldValue& value) const {
    if (value.kind() != NestKind::kList && value.kind() != NestKind::kTuple) return Expected("tuple", value);
    const bool any_number = annotation.kind == Kind::kTupleOf;
    if (!any_number && value.items().size() != annotation.options.size()) {
      return Failure{{},
                     absl::StrCat("tuple with length ", annotation.options.size()),
                     absl::StrCat(ToAbsl(TypeName(value)), " with length ", value.items().size())};
    }
    std::vector<FieldValue> items;
    items.reserve(value.items().size());
    for (size_t i = 0; i < value.items().size(); ++i) {
      Converted item = Convert(annotation.options[any_number ? 0 : i], value.items()[i]);
      if (Failure* failure = std::get_if<Failure>(&item)) return Inside(absl::StrCat("[", i, "]"), std::move(*failure));
      items.push_back(std::get<FieldValue>(std::move(item)));
    }
    return FieldValue::Tuple(std::move(items));
  }

  Converted ConvertToMapping(const FieldAnnotation& annotation, const FieldValue& value) const {
    if (value.kind() != NestKind::kDict) return Expected("mapping", value);
    FieldValue::NamedItems items;
    for (size_t i = 0; i < value.items().size(); ++i) {
      const std::string& name = value.names()[i];
      if (annotation.options[0].kind != Kind::kStr) {
        return Inside(absl::StrCat(".keys()['", name, "']"), Expected(annotation.options[0].kind, FieldLeaf(name)));
      }
      Converted item = Convert(annotation.options[1], value.items()[i]);
      if (Failure* failure = std::get_if<Failure>(&item)) return Inside(absl::StrCat("['", name, "']"), std::move(*failure));
      items.emplace_back(name, std::get<FieldValue>(std::move(item)));
    }
    return FieldValue::Dict(std::move(items));
  }

  Converted ConvertToUnion(const FieldAnnotation& annotation, const FieldValue& value) const {
    std::string expected = "one of:";
    for (const FieldAnnotation& option : annotation.options) {
      Converted converted = Convert(option, value);
      if (std::holds_alternative<FieldValue>(converted)) return converted;
      absl::StrAppend(&expected, " ", ToAbsl(KindName(option.kind)));
    }
    return Expected(expected, value);
  }

  static Failure Inside(std::string step, Failure failure) {
    failure.steps.push_back(std::move(step));
    return failure;
  }

  const FieldConversionOptions& options_;
};

}  // namespace

absl::StatusOr<FieldAnnotation> ParseFieldAnnotation(std::string_view text, std::string_view field) {
  return Parser(text, field).ParseAll();
}

absl::StatusOr<FieldValue> ConvertField(const FieldAnnotation& annotation, const FieldValue& value, std::string_view field,
                                        const FieldConversionOptions& options) {
  Converted converted = Converter(options).Convert(annotation, value);
  if (FieldValue* result = std::get_if<FieldValue>(&converted)) return std::move(*result);
  const Failure& failure = std::get<Failure>(converted);
  std::string path(field);
  for (auto step = failure.steps.rbegin(); step != failure.steps.rend(); ++step) path += *step;
  return absl::InvalidArgumentError(absl::StrCat(path, ": expected ", failure.expected, ", got ", failure.found));
}

}  // namespace structtensor
