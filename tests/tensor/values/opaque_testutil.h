// An extension type. This folder only knows that it is an extension type, and nothing else about it.
#ifndef STRUCTTENSOR_TESTS_TENSOR_VALUES_OPAQUE_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_VALUES_OPAQUE_TESTUTIL_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/tensor/type_spec/static_state.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

class OpaqueSpec : public ExtensionValueSpec {
 public:
  explicit OpaqueSpec(int64_t nrows) : nrows_(nrows) {}
  std::string_view type_name() const override { return "Opaque"; }
  Shape shape() const override { return Shape({nrows_}); }
  RowRule row_rule() const override { return RowRule::kOwnRows; }
  Nest<StaticState> Serialize() const override { return StaticState(nrows_); }
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>&) const override {
    return absl::UnimplementedError("not needed");
  }
  Nest<TypeSpec> ComponentSpecs() const override { return {}; }
  Nest<Value> ToComponents(const ExtensionType&) const override { return {}; }
  absl::StatusOr<Value> FromComponents(const Nest<Value>&) const override { return absl::UnimplementedError("not needed"); }
  std::string DebugString() const override { return "Opaque"; }

 private:
  int64_t nrows_;
};

// Row i is i.
class Opaque : public ExtensionType {
 public:
  explicit Opaque(int64_t nrows) : spec_(std::make_shared<const OpaqueSpec>(nrows)) {}
  std::shared_ptr<const ExtensionValueSpec> spec() const override { return spec_; }
  int64_t nrows() const override { return spec_->shape()[0]; }
  Value Row(int64_t i) const override { return Tensor::Scalar(i); }

 private:
  std::shared_ptr<const OpaqueSpec> spec_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_VALUES_OPAQUE_TESTUTIL_H_
