#include "to_py.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"
#include "times.h"

namespace structtensor::python {
namespace {

// Takes over a new reference. If there is none, raises the exception that Python has raised.
nb::object Made(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

class PausedCollector {
 public:
  PausedCollector() : was_enabled_(PyGC_Disable() != 0) {}
  ~PausedCollector() {
    if (was_enabled_) PyGC_Enable();
  }
  PausedCollector(const PausedCollector&) = delete;
  PausedCollector& operator=(const PausedCollector&) = delete;

 private:
  const bool was_enabled_;
};

// Writes the text of repr() in Python's notation. "..." replaces what is left out.
class ReprWriter {
 public:
  // The text of an object is cut to this many characters.
  static constexpr size_t kMaxItem = 60;

  // Brackets around items, which are left out once the text between them reaches half of what is left of the text around them.
  // So the outermost items show the structure even if the first of them is large.
  template <typename AppendItem>
  void AppendItems(char open, char close, int64_t size, AppendItem append_item) {
    text_ += open;
    const size_t limit_around = limit_;
    limit_ = text_.size() + (text_.size() < limit_around ? limit_around - text_.size() : 0);
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) text_ += ", ";
      if (text_.size() >= limit_) {
        text_ += "...";
        break;
      }
      const size_t limit = limit_;
      limit_ = text_.size() + (limit_ - text_.size()) / 2;
      append_item(i);
      limit_ = limit;
    }
    limit_ = limit_around;
    text_ += close;
  }

  void Append(std::string_view text) { text_ += text; }
  void AppendObject(nb::handle object) {
    const nb::str text = nb::repr(object);
    const bool fits = nb::len(text) <= kMaxItem;
    text_ += fits ? text.c_str() : nb::str(Made(PyUnicode_Substring(text.ptr(), 0, static_cast<Py_ssize_t>(kMaxItem)))).c_str();
    if (!fits) text_ += "...";
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t limit_ = 240;
};

// Makes the object of one element, struct or row. It refers to a value that outlives it.
class Maker {
 public:
  virtual ~Maker() = default;
  virtual nb::object Make(int64_t i) const = 0;
  virtual void AppendRepr(int64_t i, ReprWriter& writer) const { writer.AppendObject(Make(i)); }
};

std::unique_ptr<Maker> RowMaker(const Value& value);

nb::object List(RowRange range, const Maker& item) {
  nb::object list = Made(PyList_New(static_cast<Py_ssize_t>(range.size())));
  for (int64_t i = range.begin; i < range.end; ++i) {
    // Takes over the reference.
    PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i - range.begin), item.Make(i).release().ptr());
  }
  return list;
}

void AppendListRepr(RowRange range, const Maker& item, ReprWriter& writer) {
  writer.AppendItems('[', ']', range.size(), [&](int64_t i) { item.AppendRepr(range.begin + i, writer); });
}

template <typename T>
class NumberMaker : public Maker {
 public:
  explicit NumberMaker(const Tensor& tensor) : values_(tensor.values<T>()), tensor_(tensor), nullable_(tensor.nullable()) {}

  nb::object Make(int64_t i) const override {
    if (nullable_ && !tensor_.is_valid(i)) return nb::none();
    const T value = values_[static_cast<size_t>(i)];
    if constexpr (!kIsInteger) {
      return Made(PyFloat_FromDouble(static_cast<double>(value)));
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      return Made(PyLong_FromUnsignedLongLong(value));
    } else {
      return Made(PyLong_FromLongLong(value));
    }
  }

  void AppendRepr(int64_t i, ReprWriter& writer) const override {
    if (nullable_ && !tensor_.is_valid(i)) return writer.Append("None");
    if constexpr (kIsInteger || std::is_same_v<T, double>) return writer.AppendObject(Make(i));
    // As few digits as a float needs, where Python's float, which is a double, has up to 17.
    char text[32];
    const auto value = static_cast<float>(values_[static_cast<size_t>(i)]);
    if (std::isnan(value)) return writer.Append("nan");  // without a sign
    const std::string_view digits(text, std::to_chars(text, text + sizeof(text), value).ptr);
    writer.Append(digits);
    if (digits.find_first_not_of("-0123456789") == std::string_view::npos) writer.Append(".0");
  }

 private:
  static constexpr bool kIsInteger = std::numeric_limits<T>::is_integer;

  const std::span<const T> values_;
  const Tensor& tensor_;
  const bool nullable_;
};

class TimeMaker : public Maker {
 public:
  explicit TimeMaker(const Tensor& tensor) : values_(tensor.values<int64_t>()), tensor_(tensor), times_(tensor.dtype()) {}

  nb::object Make(int64_t i) const override {
    return tensor_.is_valid(i) ? times_.Make(values_[static_cast<size_t>(i)]) : nb::none();
  }

  void AppendRepr(int64_t i, ReprWriter& writer) const override {
    if (!tensor_.is_valid(i)) return writer.Append("None");
    writer.Append(absl::StrCat("'", TimeText(values_[static_cast<size_t>(i)], tensor_.dtype()), "'"));
  }

 private:
  const std::span<const int64_t> values_;
  const Tensor& tensor_;
  const PythonTimes times_;
};

class BoolMaker : public Maker {
 public:
  explicit BoolMaker(const Tensor& tensor) : values_(tensor.values<uint8_t>()), tensor_(tensor) {}

  nb::object Make(int64_t i) const override {
    if (!tensor_.is_valid(i)) return nb::none();
    return nb::borrow(values_[static_cast<size_t>(i)] != 0 ? Py_True : Py_False);
  }

 private:
  const std::span<const uint8_t> values_;
  const Tensor& tensor_;
};

class StringMaker : public Maker {
 public:
  explicit StringMaker(const Tensor& tensor) : tensor_(tensor), is_text_(tensor.dtype() == DType::kString) {}

  nb::object Make(int64_t i) const override {
    if (!tensor_.is_valid(i)) return nb::none();
    const std::string_view bytes = tensor_.string_at(i);
    const auto size = static_cast<Py_ssize_t>(bytes.size());
    return Made(is_text_ ? PyUnicode_DecodeUTF8(bytes.data(), size, "replace") : PyBytes_FromStringAndSize(bytes.data(), size));
  }

  void AppendRepr(int64_t i, ReprWriter& writer) const override {
    if (!tensor_.is_valid(i)) return writer.Append("None");
    // A string may be large, and only its beginning is shown.
    std::string shown(Shortened(tensor_.string_at(i)));
    if (shown.size() < tensor_.string_at(i).size()) shown += "...";
    const auto size = static_cast<Py_ssize_t>(shown.size());
    const nb::object object =
        Made(is_text_ ? PyUnicode_DecodeUTF8(shown.data(), size, "replace") : PyBytes_FromStringAndSize(shown.data(), size));
    writer.Append(nb::repr(object).c_str());
  }

 private:
  const Tensor& tensor_;
  const bool is_text_;
};

// Lists of `length` items each.
class DenseAxisMaker : public Maker {
 public:
  DenseAxisMaker(int64_t length, std::unique_ptr<Maker> item) : length_(length), item_(std::move(item)) {}

  nb::object Make(int64_t i) const override { return List({i * length_, (i + 1) * length_}, *item_); }
  void AppendRepr(int64_t i, ReprWriter& writer) const override {
    AppendListRepr({i * length_, (i + 1) * length_}, *item_, writer);
  }

 private:
  const int64_t length_;
  const std::unique_ptr<Maker> item_;
};

class PartitionMaker : public Maker {
 public:
  PartitionMaker(const RowPartition& partition, std::unique_ptr<Maker> item) : partition_(partition), item_(std::move(item)) {}

  nb::object Make(int64_t i) const override { return List(partition_.row(i), *item_); }
  void AppendRepr(int64_t i, ReprWriter& writer) const override { AppendListRepr(partition_.row(i), *item_, writer); }

 private:
  const RowPartition& partition_;
  const std::unique_ptr<Maker> item_;
};

class StructMaker : public Maker {
 public:
  explicit StructMaker(const StructuredTensor& structs) : validity_(structs.validity()) {
    for (size_t i = 0; i < structs.num_fields(); ++i) {
      names_.push_back(TextToPython(structs.field_names()[i]));
      fields_.push_back(RowMaker(structs.flat_field(i)));
    }
  }

  nb::object Make(int64_t i) const override {
    if (!validity_.is_valid(i)) return nb::none();
    nb::object dict = Made(PyDict_New());
    for (size_t field = 0; field < fields_.size(); ++field) {
      const nb::object value = fields_[field]->Make(i);
      if (PyDict_SetItem(dict.ptr(), names_[field].ptr(), value.ptr()) != 0) throw nb::python_error();
    }
    return dict;
  }

  void AppendRepr(int64_t i, ReprWriter& writer) const override {
    if (!validity_.is_valid(i)) return writer.Append("None");
    writer.AppendItems('{', '}', static_cast<int64_t>(fields_.size()), [&](int64_t field) {
      writer.AppendObject(names_[static_cast<size_t>(field)]);
      writer.Append(": ");
      fields_[static_cast<size_t>(field)]->AppendRepr(i, writer);
    });
  }

 private:
  const Validity validity_;
  std::vector<nb::object> names_;
  std::vector<std::unique_ptr<Maker>> fields_;
};

class ExtensionMaker : public Maker {
 public:
  explicit ExtensionMaker(const Value& value) : value_(value) {}

  nb::object Make(int64_t i) const override {
    if (!rows_.has_value()) rows_ = ToNestedValue(value_);
    return NestedToPython((*rows_->list())[static_cast<size_t>(i)]);
  }
  // Only a few rows are shown.
  void AppendRepr(int64_t i, ReprWriter& writer) const override {
    writer.AppendObject(NestedToPython(ToNestedValue(value_.Row(i)), /*times_as_text=*/true));
  }

 private:
  const Value& value_;
  mutable std::optional<NestedValue> rows_;  // of all rows
};

// Makes elements, in row-major order.
std::unique_ptr<Maker> ElementMaker(const Tensor& tensor) {
  if (tensor.dtype() == DType::kBool) return std::make_unique<BoolMaker>(tensor);
  if (IsStringLike(tensor.dtype())) return std::make_unique<StringMaker>(tensor);
  if (IsTime(tensor.dtype())) return std::make_unique<TimeMaker>(tensor);
  return VisitStoredType(tensor.dtype(),
                         [&]<typename T>() -> std::unique_ptr<Maker> { return std::make_unique<NumberMaker<T>>(tensor); });
}

std::unique_ptr<Maker> RowMaker(const Tensor& tensor) {
  std::unique_ptr<Maker> maker = ElementMaker(tensor);
  for (int axis = tensor.rank() - 1; axis > 0; --axis) {
    maker = std::make_unique<DenseAxisMaker>(tensor.shape()[axis], std::move(maker));
  }
  return maker;
}

template <typename Partitioned>
std::unique_ptr<Maker> RowMaker(const Partitioned& value, std::unique_ptr<Maker> maker) {
  for (size_t i = value.row_partitions().size(); i > 0; --i) {
    maker = std::make_unique<PartitionMaker>(value.row_partitions()[i - 1], std::move(maker));
  }
  return maker;
}

std::unique_ptr<Maker> RowMaker(const Value& value) {
  if (const Tensor* tensor = value.tensor()) return RowMaker(*tensor);
  if (const RaggedTensor* ragged = value.ragged()) return RowMaker(*ragged, RowMaker(ragged->flat_values()));
  if (const StructuredTensor* structs = value.structured()) return RowMaker(*structs, std::make_unique<StructMaker>(*structs));
  return std::make_unique<ExtensionMaker>(value);
}

}  // namespace

nb::object ToPy(const Value& value) {
  if (value.extension() != nullptr) return NestedToPython(ToNestedValue(value));
  const PausedCollector paused;
  const std::unique_ptr<Maker> maker = RowMaker(value);
  return value.rank() == 0 ? maker->Make(0) : List({0, value.nrows()}, *maker);
}

std::string ReprOf(const Value& value) {
  ReprWriter writer;
  const std::unique_ptr<Maker> maker = RowMaker(value);
  if (value.rank() == 0) {
    maker->AppendRepr(0, writer);
  } else {
    AppendListRepr({0, value.nrows()}, *maker, writer);
  }
  const std::string shape = nb::str(ShapeToPython(value.shape())).c_str();
  if (value.structured() != nullptr) return absl::StrCat("<StructuredTensor ", writer.text(), ", shape=", shape, ">");
  const bool is_ragged = value.ragged() != nullptr;
  const DType dtype = is_ragged ? value.ragged()->dtype() : value.tensor()->dtype();
  return absl::StrCat(is_ragged ? "RaggedTensor(" : "Tensor(", writer.text(), ", shape=", shape,
                      ", dtype=", ToAbsl(DTypeName(dtype)), ")");
}

}  // namespace structtensor::python
