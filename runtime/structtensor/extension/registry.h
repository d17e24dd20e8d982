// Which extension types can be read from files: their names, and how each makes its spec from its static state.
#ifndef STRUCTTENSOR_EXTENSION_REGISTRY_H_
#define STRUCTTENSOR_EXTENSION_REGISTRY_H_

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
#include "structtensor/type_spec/extension_type_spec.h"
#include "structtensor/type_spec/static_state.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Names and types, one to one. Safe to use from several threads. Types are registered by whoever uses them, at the start of the
// program; nothing registers itself. Source: tf.register_type_spec in the RFC "Extension types".
class TypeRegistry {
 public:
  // The spec with that state. Errors: InvalidArgument if it is not a state of the type.
  using Deserializer = std::function<absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>>(const Nest<StaticState>& state)>;

  TypeRegistry() = default;
  TypeRegistry(const TypeRegistry&) = delete;
  TypeRegistry& operator=(const TypeRegistry&) = delete;

  // That of the process, for programs that need no other.
  static TypeRegistry& Default();

  // Registers the type of `example`, any spec of it, under its type_name(), which is the name that files have. Doing so again
  // is fine.
  // Errors: InvalidArgument if the name is not made of letters, digits, '_' and '.', with at least one of them, or there is no
  //   deserializer. AlreadyExists if another type has the name, or the type another name.
  absl::Status Register(const ExtensionTypeSpec& example, Deserializer deserializer);

  // The same for types that a program makes while it runs, such as the classes of an interpreter: one class of C++ stands for
  // all of them, so only the name tells them apart.
  // Errors: InvalidArgument as above. AlreadyExists if the name is taken.
  absl::Status RegisterName(std::string name, Deserializer deserializer);

  // ExtensionRows are known without being registered.
  // Errors: NotFound if nobody registered the name (the message lists the registered names), the deserializer's errors, and
  //   InvalidArgument if it makes a spec of another type_name().
  absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> Deserialize(std::string_view name,
                                                                       const Nest<StaticState>& state) const;

  // Sorted.
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::optional<std::type_index> type;  // nothing of a name registered without a type
    Deserializer deserializer;
  };
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, Entry> entries_;
  absl::flat_hash_map<std::type_index, std::string> names_;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_EXTENSION_REGISTRY_H_
