// A type as users write it: the RFC's SimpleMaskedTensor, an array and which of its elements count.
#ifndef STRUCTTENSOR_TESTS_TENSOR_EXTENSION_TYPES_MASKED_TENSOR_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_EXTENSION_TYPES_MASKED_TENSOR_TESTUTIL_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/tensor/type_spec/static_state.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

class MaskedTensorSpec : public ExtensionValueSpec {
 public:
  MaskedTensorSpec(Shape shape, DType dtype) : shape_(std::move(shape)), dtype_(dtype) {}

  static absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> FromState(const Nest<StaticState>& state) {
    const bool is_pair = state.kind() == NestKind::kTuple && state.items().size() == 2;
    if (!is_pair || !state.items()[0].is_leaf() || !state.items()[1].is_leaf() ||
        state.items()[0].leaf().get_if<Shape>() == nullptr || state.items()[1].leaf().get_if<DType>() == nullptr) {
      return absl::InvalidArgumentError("the state of a masked tensor is (shape, dtype)");
    }
    return std::make_shared<MaskedTensorSpec>(*state.items()[0].leaf().get_if<Shape>(),
                                              *state.items()[1].leaf().get_if<DType>());
  }

  std::string_view type_name() const override { return "test.MaskedTensor"; }
  Shape shape() const override { return shape_; }
  Nest<StaticState> Serialize() const override { return Nest<StaticState>::Tuple({StaticState(shape_), StaticState(dtype_)}); }
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const override {
    return FromState(state);
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

class MaskedTensor : public ExtensionType {
 public:
  MaskedTensor(std::shared_ptr<const ExtensionValueSpec> spec, Value values, Value mask)
      : spec_(std::move(spec)), values_(std::move(values)), mask_(std::move(mask)) {}

  std::shared_ptr<const ExtensionValueSpec> spec() const override { return spec_; }
  const Value& values() const { return values_; }
  const Value& mask() const { return mask_; }

 private:
  std::shared_ptr<const ExtensionValueSpec> spec_;
  Value values_;
  Value mask_;
};

inline Nest<Value> MaskedTensorSpec::ToComponents(const ExtensionType& value) const {
  const auto& masked = static_cast<const MaskedTensor&>(value);
  return Nest<Value>::Tuple({masked.values(), masked.mask()});
}

inline absl::StatusOr<Value> MaskedTensorSpec::FromComponents(const Nest<Value>& components) const {
  if (components.kind() != NestKind::kTuple || components.items().size() != 2) {
    return absl::InvalidArgumentError("the components of a masked tensor are (values, mask)");
  }
  return Value(std::make_shared<MaskedTensor>(shared_from_this(), components.items()[0].leaf(), components.items()[1].leaf()));
}

// Of equal length.
inline Value Masked(const std::vector<int64_t>& values, const std::vector<uint8_t>& mask) {
  auto spec = std::make_shared<MaskedTensorSpec>(Shape({static_cast<int64_t>(values.size())}), DType::kInt64);
  return Value(std::make_shared<MaskedTensor>(spec, Tensor::FromVector(values), Tensor::FromVector(mask)));
}

inline const MaskedTensor& AsMasked(const Value& value) { return static_cast<const MaskedTensor&>(*value.extension()); }

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_EXTENSION_TYPES_MASKED_TENSOR_TESTUTIL_H_
