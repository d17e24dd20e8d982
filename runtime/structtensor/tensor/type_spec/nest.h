// Nested structures of anything: with them, functions work on lists, tuples and dicts of tensors as on one tensor.
//
//   {'a': [1, 2], 'b': 3}    flat: 1, 2, 3    paths: ['a'][0], ['a'][1], ['b']
//
// Structures are as deep as the calls of the code that builds them. The depth of outside input is limited where it is read.
#ifndef STRUCTTENSOR_TENSOR_TYPE_SPEC_NEST_H_
#define STRUCTTENSOR_TENSOR_TYPE_SPEC_NEST_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/core/base/shared/status.h"

#pragma GCC visibility push(default)

namespace structtensor {

enum class NestKind : uint8_t {
  kNone,   // nothing, which has no leaves
  kLeaf,   // one T
  kList,   // items by position
  kTuple,  // items by position; lists and tuples are different structures
  kDict,   // items by name, sorted by name whatever order they were given in
};

// A leaf, a list, a tuple, a dict, or nothing. Plain data.
template <typename T>
class Nest {
 public:
  using NamedItems = std::vector<std::pair<std::string, Nest>>;

  Nest() = default;                        // nothing
  Nest(T leaf) : kind_(NestKind::kLeaf) {  // NOLINT: a T is a Nest
    leaf_.push_back({std::move(leaf)});
  }
  static Nest List(std::vector<Nest> items) { return Nest(NestKind::kList, std::move(items)); }
  static Nest Tuple(std::vector<Nest> items) { return Nest(NestKind::kTuple, std::move(items)); }
  // Requires: names are unique.
  static Nest Dict(NamedItems items) {
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Nest dict(NestKind::kDict, {});
    dict.names_.reserve(items.size());
    dict.items_.reserve(items.size());
    for (auto& [name, item] : items) {
      assert(dict.names_.empty() || dict.names_.back() != name);
      dict.names_.push_back(std::move(name));
      dict.items_.push_back(std::move(item));
    }
    return dict;
  }

  NestKind kind() const { return kind_; }
  bool is_leaf() const { return kind_ == NestKind::kLeaf; }
  // Whether there can be leaves below: true for lists, tuples and dicts, also for empty ones.
  bool is_nested() const { return kind_ >= NestKind::kList; }
  // Requires: is_leaf().
  const T& leaf() const {
    assert(is_leaf());
    return leaf_.front().value;
  }
  // The items of a list, tuple or dict; empty for other kinds.
  const std::vector<Nest>& items() const { return items_; }
  // The names of a dict's items, in the order of items(); empty for other kinds.
  const std::vector<std::string>& names() const { return names_; }
  // The dict's item of that name; null if there is none or this is not a dict.
  const Nest* Find(std::string_view name) const {
    const auto found = std::lower_bound(names_.begin(), names_.end(), name);
    return found == names_.end() || *found != name ? nullptr : &items_[static_cast<size_t>(found - names_.begin())];
  }

  // The same structure with other items. Requires: is_nested(); as many items. For code that maps structures.
  template <typename R>
  Nest<R> WithItems(std::vector<Nest<R>> items) const {
    assert(is_nested() && items.size() == items_.size());
    Nest<R> result(kind_, std::move(items));
    result.names_ = names_;
    return result;
  }

  friend bool operator==(const Nest&, const Nest&) = default;

 private:
  template <typename R>
  friend class Nest;
  struct Leaf {
    T value;
    friend bool operator==(const Leaf&, const Leaf&) = default;
  };
  Nest(NestKind kind, std::vector<Nest> items) : kind_(kind), items_(std::move(items)) {}

  NestKind kind_ = NestKind::kNone;
  // One if this is a leaf. Not a std::optional: gcc 12 takes moves of those that hold a variant for reads of uninitialized
  // memory.
  std::vector<Leaf> leaf_;
  std::vector<Nest> items_;
  std::vector<std::string> names_;
};

namespace type_spec_internal {

// Appends "[3]" or "['name']" to `path`.
std::string ItemPath(std::string_view path, size_t i);
std::string ItemPath(std::string_view path, std::string_view name);

// The error for two structures that first differ at `path`.
absl::Status KindsDiffer(std::string_view path, NestKind a, NestKind b);
absl::Status SizesDiffer(std::string_view path, size_t a, size_t b);
absl::Status NamesDiffer(std::string_view path, const std::vector<std::string>& a, const std::vector<std::string>& b);
absl::Status WrongNumberOfLeaves(size_t expected, size_t found);

template <typename T>
std::string ItemPathOf(const Nest<T>& nest, std::string_view path, size_t i) {
  return nest.kind() == NestKind::kDict ? ItemPath(path, nest.names()[i]) : ItemPath(path, i);
}

template <typename T>
size_t CountLeaves(const Nest<T>& nest) {
  if (nest.is_leaf()) return 1;
  size_t count = 0;
  for (const Nest<T>& item : nest.items()) count += CountLeaves(item);
  return count;
}

template <typename T>
void AppendLeaves(const Nest<T>& nest, std::vector<T>& leaves) {
  if (nest.is_leaf()) leaves.push_back(nest.leaf());
  for (const Nest<T>& item : nest.items()) AppendLeaves(item, leaves);
}

template <typename T>
void AppendLeavesWithPaths(const Nest<T>& nest, const std::string& path, std::vector<std::pair<std::string, T>>& leaves) {
  if (nest.is_leaf()) leaves.emplace_back(path, nest.leaf());
  for (size_t i = 0; i < nest.items().size(); ++i) {
    AppendLeavesWithPaths(nest.items()[i], ItemPathOf(nest, path, i), leaves);
  }
}

template <typename S, typename T>
Nest<T> Pack(const Nest<S>& structure, std::span<const T>& leaves) {
  if (structure.kind() == NestKind::kNone) return Nest<T>();
  if (structure.is_leaf()) {
    Nest<T> leaf(leaves.front());
    leaves = leaves.subspan(1);
    return leaf;
  }
  std::vector<Nest<T>> items;
  items.reserve(structure.items().size());
  for (const Nest<S>& item : structure.items()) items.push_back(Pack<S, T>(item, leaves));
  return structure.WithItems(std::move(items));
}

template <typename A, typename B>
absl::Status CheckSameStructure(const Nest<A>& a, const Nest<B>& b, const std::string& path) {
  if (a.kind() != b.kind()) return KindsDiffer(path, a.kind(), b.kind());
  if (a.items().size() != b.items().size()) {
    if (a.kind() == NestKind::kDict) return NamesDiffer(path, a.names(), b.names());
    return SizesDiffer(path, a.items().size(), b.items().size());
  }
  if (a.names() != b.names()) return NamesDiffer(path, a.names(), b.names());
  for (size_t i = 0; i < a.items().size(); ++i) {
    STRUCTTENSOR_RETURN_IF_ERROR(CheckSameStructure(a.items()[i], b.items()[i], ItemPathOf(a, path, i)));
  }
  return absl::OkStatus();
}

template <typename Function, typename T, typename... Rest>
auto Map(const Function& function, const Nest<T>& nest, const Nest<Rest>&... rest)
    -> Nest<decltype(function(nest.leaf(), rest.leaf()...))> {
  using R = decltype(function(nest.leaf(), rest.leaf()...));
  if (nest.kind() == NestKind::kNone) return Nest<R>();
  if (nest.is_leaf()) return Nest<R>(function(nest.leaf(), rest.leaf()...));
  std::vector<Nest<R>> items;
  items.reserve(nest.items().size());
  for (size_t i = 0; i < nest.items().size(); ++i) items.push_back(Map(function, nest.items()[i], rest.items()[i]...));
  return nest.WithItems(std::move(items));
}

}  // namespace type_spec_internal

// The leaves, depth first; leaves of dicts in the order of their names. Source: tf.nest.flatten, as for the functions below.
template <typename T>
std::vector<T> Flatten(const Nest<T>& nest) {
  std::vector<T> leaves;
  leaves.reserve(type_spec_internal::CountLeaves(nest));
  type_spec_internal::AppendLeaves(nest, leaves);
  return leaves;
}

// The leaves of Flatten(), each with its path: "['a'][0]"; "" if the nest is a leaf.
template <typename T>
std::vector<std::pair<std::string, T>> FlattenWithPaths(const Nest<T>& nest) {
  std::vector<std::pair<std::string, T>> leaves;
  type_spec_internal::AppendLeavesWithPaths(nest, "", leaves);
  return leaves;
}

// The structure with these leaves in place of its own. Errors: InvalidArgument if the number of leaves differs.
template <typename S, typename T>
absl::StatusOr<Nest<T>> PackSequenceAs(const Nest<S>& structure, const std::vector<T>& leaves) {
  const size_t expected = type_spec_internal::CountLeaves(structure);
  if (expected != leaves.size()) return type_spec_internal::WrongNumberOfLeaves(expected, leaves.size());
  std::span<const T> rest = leaves;
  return type_spec_internal::Pack<S, T>(structure, rest);
}

// Errors: InvalidArgument if the structures differ in anything but their leaves; the message has the path of the difference.
template <typename A, typename B>
absl::Status AssertSameStructure(const Nest<A>& a, const Nest<B>& b) {
  return type_spec_internal::CheckSameStructure(a, b, "");
}

// Returns the structure with leaves function(leaf of nest, leaf of rest...). Errors: InvalidArgument if structures differ.
template <typename Function, typename T, typename... Rest>
auto MapStructure(const Function& function, const Nest<T>& nest, const Nest<Rest>&... rest)
    -> absl::StatusOr<decltype(type_spec_internal::Map(function, nest, rest...))> {
  absl::Status status;
  (status.Update(AssertSameStructure(nest, rest)), ...);
  if (!status.ok()) return status;
  return type_spec_internal::Map(function, nest, rest...);
}

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_TYPE_SPEC_NEST_H_
