#include "structtensor/tensor/extension_types/registry.h"

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/values/extension_rows.h"

namespace structtensor {

TypeRegistry& TypeRegistry::Default() {
  // Never destroyed: other threads may still read it while the process ends.
  static TypeRegistry* const registry = new TypeRegistry();
  return *registry;
}

namespace {

absl::Status CheckEntry(std::string_view name, bool has_deserializer) {
  const auto is_name_char = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_char)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", ToAbsl(name), "' is not a name for a type; it needs letters, digits, '_' and '.', as in my_package.MyType"));
  }
  if (!has_deserializer) return absl::InvalidArgumentError(absl::StrCat("there is no deserializer for ", ToAbsl(name)));
  return absl::OkStatus();
}

absl::Status NameIsTaken(std::string_view name) {
  return absl::AlreadyExistsError(
      absl::StrCat("another type is already registered as ", ToAbsl(name), "; prefix the name with that of your package"));
}

}  // namespace

absl::Status TypeRegistry::Register(const ExtensionTypeSpec& example, Deserializer deserializer) {
  std::string name(example.type_name());
  const std::type_index type = typeid(example);
  STRUCTTENSOR_RETURN_IF_ERROR(CheckEntry(name, deserializer != nullptr));
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto named = entries_.find(name);
  if (named != entries_.end() && named->second.type != type) return NameIsTaken(name);
  const auto known = names_.find(type);
  if (known != names_.end() && known->second != name) {
    return absl::AlreadyExistsError(
        absl::StrCat("the type is registered as ", known->second, " and cannot be ", name, " too; files use one name for it"));
  }
  if (named != entries_.end()) return absl::OkStatus();
  names_.emplace(type, name);
  entries_.emplace(std::move(name), Entry{type, std::move(deserializer)});
  return absl::OkStatus();
}

absl::Status TypeRegistry::RegisterName(std::string name, Deserializer deserializer) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckEntry(name, deserializer != nullptr));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (name == ExtensionRowsSpec::kTypeName || entries_.contains(name)) return NameIsTaken(name);
  entries_.emplace(std::move(name), Entry{std::nullopt, std::move(deserializer)});
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const ExtensionTypeSpec>> TypeRegistry::Deserialize(std::string_view name,
                                                                                   const Nest<StaticState>& state) const {
  if (name == ExtensionRowsSpec::kTypeName) return ExtensionRowsSpec::FromState(state);
  Deserializer deserializer;
  {
    // Not locked while foreign code runs: that code may look up types of its own.
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto named = entries_.find(std::string(name));
    if (named != entries_.end()) deserializer = named->second.deserializer;
  }
  if (!deserializer) {
    return absl::NotFoundError(absl::StrCat("no extension type is registered as '", ToAbsl(name), "', only {",
                                            absl::StrJoin(names(), ", "), "}; register it before reading"));
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::shared_ptr<const ExtensionTypeSpec> spec, deserializer(state));
  if (spec == nullptr || spec->type_name() != name) {
    return absl::InvalidArgumentError(absl::StrCat("the deserializer registered as ", ToAbsl(name), " makes ",
                                                   spec == nullptr ? "nothing" : std::string(spec->type_name())));
  }
  return spec;
}

std::vector<std::string> TypeRegistry::names() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace structtensor
