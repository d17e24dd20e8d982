#include "to_py.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/constant.h"

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

// Makes the object of one element, struct or row. It refers to a value that outlives it.
class Maker {
 public:
  virtual ~Maker() = default;
  virtual nb::object Make(int64_t i) const = 0;
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

template <typename T>
class NumberMaker : public Maker {
 public:
  explicit NumberMaker(const Tensor& tensor) : values_(tensor.values<T>()), tensor_(tensor), nullable_(tensor.nullable()) {}

  nb::object Make(int64_t i) const override {
    if (nullable_ && !tensor_.is_valid(i)) return nb::none();
    const T value = values_[static_cast<size_t>(i)];
    if constexpr (!std::numeric_limits<T>::is_integer) {
      return Made(PyFloat_FromDouble(static_cast<double>(value)));
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      return Made(PyLong_FromUnsignedLongLong(value));
    } else {
      return Made(PyLong_FromLongLong(value));
    }
  }

 private:
  const std::span<const T> values_;
  const Tensor& tensor_;
  const bool nullable_;
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

 private:
  const Tensor& tensor_;
  const bool is_text_;
};

// Lists of `length` items each.
class DenseAxisMaker : public Maker {
 public:
  DenseAxisMaker(int64_t length, std::unique_ptr<Maker> item) : length_(length), item_(std::move(item)) {}

  nb::object Make(int64_t i) const override { return List({i * length_, (i + 1) * length_}, *item_); }

 private:
  const int64_t length_;
  const std::unique_ptr<Maker> item_;
};

class PartitionMaker : public Maker {
 public:
  PartitionMaker(const RowPartition& partition, std::unique_ptr<Maker> item) : partition_(partition), item_(std::move(item)) {}

  nb::object Make(int64_t i) const override { return List(partition_.row(i), *item_); }

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

 private:
  const Validity validity_;
  std::vector<nb::object> names_;
  std::vector<std::unique_ptr<Maker>> fields_;
};

class ExtensionMaker : public Maker {
 public:
  explicit ExtensionMaker(const Value& value) : rows_(ToNestedValue(value)) {}

  nb::object Make(int64_t i) const override { return NestedToPython((*rows_.list())[static_cast<size_t>(i)]); }

 private:
  const NestedValue rows_;
};

// Makes elements, in row-major order.
std::unique_ptr<Maker> ElementMaker(const Tensor& tensor) {
  if (tensor.dtype() == DType::kBool) return std::make_unique<BoolMaker>(tensor);
  if (IsStringLike(tensor.dtype())) return std::make_unique<StringMaker>(tensor);
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

}  // namespace structtensor::python
