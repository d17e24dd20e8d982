// Extension types as users write them: those that the RFC "Extension types" names as examples.
#ifndef STRUCTTENSOR_TESTS_RFC_USER_TYPES_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_RFC_USER_TYPES_TESTUTIL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/type_spec/extension_type_spec.h"
#include "structtensor/tensor/type_spec/nest.h"
#include "structtensor/tensor/type_spec/static_state.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/extension_type.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::rfc {

// The components of a value that are tensors, in order. Errors: InvalidArgument if there are others, or more or fewer.
inline absl::StatusOr<std::vector<Tensor>> TensorsOf(const Nest<Value>& components, size_t count) {
  std::vector<Tensor> tensors;
  for (const Value& component : Flatten(components)) {
    if (component.tensor() == nullptr) return absl::InvalidArgumentError("the components have to be tensors");
    tensors.push_back(*component.tensor());
  }
  if (tensors.size() != count) return absl::InvalidArgumentError("wrong number of components");
  return tensors;
}

// The leaf of a state that is a T, or null.
template <typename T>
const T* StateAt(const Nest<StaticState>& state, size_t i) {
  if (i >= state.items().size() || !state.items()[i].is_leaf()) return nullptr;
  return state.items()[i].leaf().get_if<T>();
}

inline Nest<Value> Components(std::vector<Tensor> tensors) {
  std::vector<Nest<Value>> items;
  for (Tensor& tensor : tensors) items.push_back(Value(std::move(tensor)));
  return Nest<Value>::Tuple(std::move(items));
}

// A tensor and a mask of the same shape that says which of its values are valid. Section "Example: SimpleMaskedTensor".
class SimpleMaskedTensorSpec : public ExtensionValueSpec {
 public:
  static constexpr char kName[] = "rfc.SimpleMaskedTensor";

  SimpleMaskedTensorSpec(Shape shape, DType dtype) : shape_(std::move(shape)), dtype_(dtype) {}

  std::string_view type_name() const override { return kName; }
  Shape shape() const override { return shape_; }
  DType dtype() const { return dtype_; }

  Nest<StaticState> Serialize() const override { return Nest<StaticState>::Tuple({StaticState(shape_), StaticState(dtype_)}); }
  static absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> Deserialize(const Nest<StaticState>& state) {
    const Shape* shape = StateAt<Shape>(state, 0);
    const DType* dtype = StateAt<DType>(state, 1);
    if (shape == nullptr || dtype == nullptr) return absl::InvalidArgumentError("expected a shape and a dtype");
    return std::make_shared<const SimpleMaskedTensorSpec>(*shape, *dtype);
  }
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const override {
    return Deserialize(state);
  }

  Nest<TypeSpec> ComponentSpecs() const override {
    return Nest<TypeSpec>::Tuple({TypeSpec(TensorSpec(shape_, dtype_)), TypeSpec(TensorSpec(shape_, DType::kBool))});
  }
  Nest<Value> ToComponents(const ExtensionType& value) const override;
  absl::StatusOr<Value> FromComponents(const Nest<Value>& components) const override;

 private:
  Shape shape_;
  DType dtype_;
};

class SimpleMaskedTensor : public ExtensionType {
 public:
  SimpleMaskedTensor(Tensor value, Tensor mask) : value_(std::move(value)), mask_(std::move(mask)) {}
  static Value Make(Tensor value, Tensor mask) {
    return std::shared_ptr<const ExtensionType>(std::make_shared<SimpleMaskedTensor>(std::move(value), std::move(mask)));
  }

  const Tensor& value() const { return value_; }
  const Tensor& mask() const { return mask_; }
  std::shared_ptr<const ExtensionValueSpec> spec() const override {
    return std::make_shared<const SimpleMaskedTensorSpec>(value_.shape(), value_.dtype());
  }

 private:
  Tensor value_;
  Tensor mask_;
};

inline Nest<Value> SimpleMaskedTensorSpec::ToComponents(const ExtensionType& value) const {
  const auto& masked = static_cast<const SimpleMaskedTensor&>(value);
  return Components({masked.value(), masked.mask()});
}
inline absl::StatusOr<Value> SimpleMaskedTensorSpec::FromComponents(const Nest<Value>& components) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Tensor> tensors, TensorsOf(components, 2));
  return SimpleMaskedTensor::Make(std::move(tensors[0]), std::move(tensors[1]));
}

// A tensor that is mostly zero: the places of the other elements, the elements, and the shape.
class SparseTensorSpec : public ExtensionValueSpec {
 public:
  static constexpr char kName[] = "rfc.SparseTensor";

  SparseTensorSpec(Shape shape, DType dtype) : shape_(std::move(shape)), dtype_(dtype) {}

  std::string_view type_name() const override { return kName; }
  Shape shape() const override { return shape_; }

  Nest<StaticState> Serialize() const override { return Nest<StaticState>::Tuple({StaticState(shape_), StaticState(dtype_)}); }
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const override {
    const Shape* shape = StateAt<Shape>(state, 0);
    const DType* dtype = StateAt<DType>(state, 1);
    if (shape == nullptr || dtype == nullptr) return absl::InvalidArgumentError("expected a shape and a dtype");
    return std::make_shared<const SparseTensorSpec>(*shape, *dtype);
  }

  Nest<TypeSpec> ComponentSpecs() const override {
    const int64_t rank = shape_.rank();
    return Nest<TypeSpec>::Tuple({TypeSpec(TensorSpec(Shape({kUnknownDimension, rank}), DType::kInt64)),
                                  TypeSpec(TensorSpec(Shape({kUnknownDimension}), dtype_)),
                                  TypeSpec(TensorSpec(Shape({rank}), DType::kInt64))});
  }
  Nest<Value> ToComponents(const ExtensionType& value) const override;
  absl::StatusOr<Value> FromComponents(const Nest<Value>& components) const override;

 private:
  Shape shape_;
  DType dtype_;
};

class SparseTensor : public ExtensionType {
 public:
  SparseTensor(Tensor indices, Tensor values, Tensor dense_shape)
      : indices_(std::move(indices)), values_(std::move(values)), dense_shape_(std::move(dense_shape)) {}
  static Value Make(Tensor indices, Tensor values, Tensor dense_shape) {
    return std::shared_ptr<const ExtensionType>(
        std::make_shared<SparseTensor>(std::move(indices), std::move(values), std::move(dense_shape)));
  }

  const Tensor& indices() const { return indices_; }
  const Tensor& values() const { return values_; }
  const Tensor& dense_shape() const { return dense_shape_; }
  std::shared_ptr<const ExtensionValueSpec> spec() const override {
    return std::make_shared<const SparseTensorSpec>(Shape(dense_shape_.values<int64_t>()), values_.dtype());
  }

 private:
  Tensor indices_;
  Tensor values_;
  Tensor dense_shape_;
};

inline Nest<Value> SparseTensorSpec::ToComponents(const ExtensionType& value) const {
  const auto& sparse = static_cast<const SparseTensor&>(value);
  return Components({sparse.indices(), sparse.values(), sparse.dense_shape()});
}
inline absl::StatusOr<Value> SparseTensorSpec::FromComponents(const Nest<Value>& components) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Tensor> tensors, TensorsOf(components, 3));
  return SparseTensor::Make(std::move(tensors[0]), std::move(tensors[1]), std::move(tensors[2]));
}

// A tensor whose axes have names, which are static.
class LabeledTensorSpec : public ExtensionValueSpec {
 public:
  static constexpr char kName[] = "rfc.LabeledTensor";

  LabeledTensorSpec(std::vector<std::string> axes, TensorSpec values) : axes_(std::move(axes)), values_(std::move(values)) {}

  std::string_view type_name() const override { return kName; }
  Shape shape() const override { return values_.shape(); }
  const std::vector<std::string>& axes() const { return axes_; }

  Nest<StaticState> Serialize() const override {
    std::vector<Nest<StaticState>> axes;
    for (const std::string& axis : axes_) axes.emplace_back(StaticState(axis));
    return Nest<StaticState>::Tuple({Nest<StaticState>::Tuple(std::move(axes)), StaticState(TypeSpec(values_))});
  }
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const override {
    const TypeSpec* values = StateAt<TypeSpec>(state, 1);
    if (values == nullptr || values->tensor() == nullptr) return absl::InvalidArgumentError("expected names and a spec");
    std::vector<std::string> axes;
    for (const StaticState& axis : Flatten(state.items()[0])) {
      if (axis.get_if<std::string>() == nullptr) return absl::InvalidArgumentError("expected names");
      axes.push_back(*axis.get_if<std::string>());
    }
    return std::make_shared<const LabeledTensorSpec>(std::move(axes), *values->tensor());
  }

  Nest<TypeSpec> ComponentSpecs() const override { return Nest<TypeSpec>::Tuple({TypeSpec(values_)}); }
  Nest<Value> ToComponents(const ExtensionType& value) const override;
  absl::StatusOr<Value> FromComponents(const Nest<Value>& components) const override;

 private:
  std::vector<std::string> axes_;
  TensorSpec values_;
};

class LabeledTensor : public ExtensionType {
 public:
  LabeledTensor(std::vector<std::string> axes, Tensor values) : axes_(std::move(axes)), values_(std::move(values)) {}
  static Value Make(std::vector<std::string> axes, Tensor values) {
    return std::shared_ptr<const ExtensionType>(std::make_shared<LabeledTensor>(std::move(axes), std::move(values)));
  }

  const Tensor& values() const { return values_; }
  std::shared_ptr<const ExtensionValueSpec> spec() const override {
    return std::make_shared<const LabeledTensorSpec>(axes_, values_.spec());
  }

 private:
  std::vector<std::string> axes_;
  Tensor values_;
};

inline Nest<Value> LabeledTensorSpec::ToComponents(const ExtensionType& value) const {
  return Components({static_cast<const LabeledTensor&>(value).values()});
}
inline absl::StatusOr<Value> LabeledTensorSpec::FromComponents(const Nest<Value>& components) const {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::vector<Tensor> tensors, TensorsOf(components, 1));
  return LabeledTensor::Make(axes_, std::move(tensors[0]));
}

}  // namespace structtensor::rfc

#endif  // STRUCTTENSOR_TESTS_RFC_USER_TYPES_TESTUTIL_H_
