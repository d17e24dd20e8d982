// A type of anything: components of any kind and shape, whether they fit each other or not.
#ifndef STRUCTTENSOR_TESTS_RFC_BUNDLE_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_RFC_BUNDLE_TESTUTIL_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/static_state.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::rfc {

class BundleSpec : public ExtensionValueSpec {
 public:
  // A strict type refuses components that do not have its component specs.
  BundleSpec(Shape shape, bool strict, Nest<TypeSpec> components)
      : shape_(std::move(shape)), strict_(strict), components_(std::move(components)) {}

  static absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> FromState(const Nest<StaticState>& state) {
    if (state.items().size() != 3) return absl::InvalidArgumentError("no bundle");
    std::vector<TypeSpec> components;
    for (const StaticState& component : Flatten(state.items()[2])) components.push_back(*component.get_if<TypeSpec>());
    return std::make_shared<const BundleSpec>(*state.items()[0].leaf().get_if<Shape>(), *state.items()[1].leaf().get_if<bool>(),
                                              *PackSequenceAs(state.items()[2], components));
  }

  std::string_view type_name() const override { return "test.Bundle"; }
  Shape shape() const override { return shape_; }
  Nest<StaticState> Serialize() const override {
    return Nest<StaticState>::Tuple({StaticState(shape_), StaticState(strict_),
                                     *MapStructure([](const TypeSpec& spec) { return StaticState(spec); }, components_)});
  }
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> WithState(const Nest<StaticState>& state) const override {
    return FromState(state);
  }
  Nest<TypeSpec> ComponentSpecs() const override { return components_; }
  Nest<Value> ToComponents(const ExtensionType& value) const override;
  absl::StatusOr<Value> FromComponents(const Nest<Value>& components) const override;

 private:
  Shape shape_;
  bool strict_;
  Nest<TypeSpec> components_;
};

class Bundle : public ExtensionType {
 public:
  Bundle(std::shared_ptr<const ExtensionValueSpec> spec, Nest<Value> components)
      : spec_(std::move(spec)), components_(std::move(components)) {}
  static Value Make(Shape shape, bool strict, Nest<Value> components) {
    auto specs = *MapStructure([](const Value& component) { return component.spec(); }, components);
    return std::shared_ptr<const ExtensionType>(
        std::make_shared<Bundle>(std::make_shared<BundleSpec>(std::move(shape), strict, std::move(specs)), components));
  }

  std::shared_ptr<const ExtensionValueSpec> spec() const override { return spec_; }
  const Nest<Value>& components() const { return components_; }

 private:
  std::shared_ptr<const ExtensionValueSpec> spec_;
  Nest<Value> components_;
};

inline Nest<Value> BundleSpec::ToComponents(const ExtensionType& value) const {
  return static_cast<const Bundle&>(value).components();
}

inline absl::StatusOr<Value> BundleSpec::FromComponents(const Nest<Value>& components) const {
  const std::vector<TypeSpec> specs = Flatten(components_);
  const std::vector<Value> values = Flatten(components);
  for (size_t i = 0; i < specs.size() && strict_; ++i) {
    if (i >= values.size() || !specs[i].IsCompatibleWith(values[i].spec())) {
      return absl::InvalidArgumentError("a strict bundle takes nothing else");
    }
  }
  return Value(std::make_shared<Bundle>(shared_from_this(), components));
}

}  // namespace structtensor::rfc

#endif  // STRUCTTENSOR_TESTS_RFC_BUNDLE_TESTUTIL_H_
