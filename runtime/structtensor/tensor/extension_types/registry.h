// Which extension types can be read from files: their names, and how each makes its spec from its static state.
#ifndef STRUCTTENSOR_TENSOR_EXTENSION_TYPES_REGISTRY_H_
#define STRUCTTENSOR_TENSOR_EXTENSION_TYPES_REGISTRY_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/tensor/type_spec/extension_type_spec.h"
#include "structtensor/tensor/type_spec/static_state.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Names and types, one to one. Safe to use from several threads. Programs register the types that they use when they start;
// nothing registers itself. Source: tf.register_type_spec in the RFC "Extension types".
class TypeRegistry {
 public:
  // Returns the spec with this state. Errors: InvalidArgument if it is not a state of the type.
  using Deserializer = std::function<absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>>(const Nest<StaticState>& state)>;

  TypeRegistry() = default;
  TypeRegistry(const TypeRegistry&) = delete;
  TypeRegistry& operator=(const TypeRegistry&) = delete;

  // The registry of the process, for programs that need only one.
  static TypeRegistry& Default();

  // Registers the type of `example`, which may be any spec of the type, under its type_name(), the name used in files. A type
  // may be registered again.
  // Errors: InvalidArgument if the name is empty or has characters other than letters, digits, '_' and '.', or there is no
  //   deserializer. AlreadyExists if another type has the name, or the type has another name.
  absl::Status Register(const ExtensionTypeSpec& example, Deserializer deserializer);

  // Registers a type that a program makes at run time, such as a class of an interpreter. One C++ class is used for all such
  // types, so only the name distinguishes them.
  // Errors: InvalidArgument as in Register. AlreadyExists if the name is taken.
  absl::Status RegisterName(std::string name, Deserializer deserializer);

  // Returns the spec of the type `name` with this state. ExtensionRows are known without registration.
  // Errors: NotFound if the name is not registered (the message lists the registered names), the deserializer's errors, and
  //   InvalidArgument if it makes a spec of another type_name().
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> Deserialize(std::string_view name,
                                                                       const Nest<StaticState>& state) const;

  // Sorted.
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::optional<std::type_index> type;  // nullopt if registered by RegisterName()
    Deserializer deserializer;
  };
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, Entry> entries_;
  absl::flat_hash_map<std::type_index, std::string> names_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_EXTENSION_TYPES_REGISTRY_H_
