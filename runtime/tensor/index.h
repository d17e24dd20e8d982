// Indexing: st['recipe', 'ingredients', :, 'name'] in C++.
//
//   Index(st, {"recipe", "ingredients", Key::All(), "name"})
//
// Key pieces apply from the left. An integer selects along the next axis and removes it, a slice keeps it, and once all axes of
// a struct have their piece, a name selects a field: st[D1, ..., Dn, name] is field[D1, ..., Dn], for a struct of rank n. Axes
// without a piece stay whole. Negative numbers count from the end of the axis; slices are clipped to it, as in Python, so only
// an integer can be out of range. On a ragged axis each row is selected from on its own.
#ifndef STRUCTTENSOR_TENSOR_INDEX_H_
#define STRUCTTENSOR_TENSOR_INDEX_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "structtensor/tensor/value.h"

namespace structtensor {

// One piece of a key.
class Key {
 public:
  struct Slice {
    std::optional<int64_t> begin;
    std::optional<int64_t> end;
  };

  Key(std::string name) : kind_(Kind::kName), name_(std::move(name)) {}  // NOLINT: keys are written as literals
  Key(std::string_view name) : Key(std::string(name)) {}                 // NOLINT
  Key(const char* name) : Key(std::string(name)) {}                      // NOLINT
  Key(int64_t index) : kind_(Kind::kIndex), index_(index) {}             // NOLINT
  Key(int index) : Key(static_cast<int64_t>(index)) {}                   // NOLINT
  Key(Slice slice) : kind_(Kind::kSlice), slice_(slice) {}               // NOLINT

  static Key All() { return Slice{}; }
  static Key Range(std::optional<int64_t> begin, std::optional<int64_t> end) { return Slice{begin, end}; }

  // What the piece is if it is that, else null.
  const std::string* name() const { return kind_ == Kind::kName ? &name_ : nullptr; }
  const int64_t* index() const { return kind_ == Kind::kIndex ? &index_ : nullptr; }
  const Slice* slice() const { return kind_ == Kind::kSlice ? &slice_ : nullptr; }

  // As in Python: "'name'", "-1", "1:3".
  std::string DebugString() const;

 private:
  enum class Kind : uint8_t { kName, kIndex, kSlice };

  Kind kind_;
  std::string name_;
  int64_t index_ = 0;
  Slice slice_;
};

// Returns the part of `value` that the key selects. Outer slices and integers share memory with `value`; a selection from an
// inner axis copies the selected rows unless they are consecutive. Errors: NotFound if a field does not exist; OutOfRange if an
// integer is outside its axis (on a ragged axis, outside any of the
//   selected rows); InvalidArgument if the value has no such axis, or a name stands where an axis has yet to be selected. The
//   message has the whole key and the place in it.
absl::StatusOr<Value> Index(const Value& value, std::span<const Key> keys);
absl::StatusOr<Value> Index(const Value& value, std::initializer_list<Key> keys);

}  // namespace structtensor

#endif  // STRUCTTENSOR_TENSOR_INDEX_H_
