// Indexing: st['recipe', 'ingredients', :, 'name'] in C++.
//
//   Index(st, {"recipe", "ingredients", Key::All(), "name"})
//
// Key pieces apply from the left, each to the next axis. An integer selects along its axis and removes it; a slice keeps it.
// Once all axes of a struct have a piece, a name selects a field: st[D1, ..., Dn, name] is field[D1, ..., Dn], for a struct of
// rank n. Axes without a piece stay whole. Negative numbers count from the end of the axis. Slices are clipped to the axis, as
// in Python, so only integers can be out of range. On a ragged axis, each row is selected from on its own.
//
//   st[1:, ::-1, 'x']            slices, with steps; negative steps go backwards
//   st[..., 0]                   the ellipsis is all axes that are left, whole
//   st[:, newaxis]               a new axis of size 1
//   st[rows], st[:, rows]        an index list selects along its axis; the axes of the list replace that axis; several lists
//                                select independently of each other
//   st[mask]                     a boolean mask covers as many axes as it has, with equal rows; what it keeps of its innermost
//                                axis is one axis, outer axes stay
//   st[:, 'labels', MapKey(k)]   on the axis of the entries of a map: the value of that key in each map, 0 or 1 times; the axis
//                                is then optional, and later pieces are for the axes and fields of the values
//   st[:, fields(a, b)]          structs with those fields only
//
// For a scalar struct, ':' selects all its fields: st[:, 0] is {field: field[0]}. Structs without fields are all the same;
// so an integer that selects one is not checked if all pieces are integers or ':'.
#ifndef STRUCTTENSOR_TENSOR_VALUES_INDEX_H_
#define STRUCTTENSOR_TENSOR_VALUES_INDEX_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/value.h"

#pragma GCC visibility push(default)

namespace structtensor {

// One piece of a key.
class Key {
 public:
  enum class Kind : uint8_t { kName, kFields, kIndex, kSlice, kEllipsis, kNewAxis, kRows, kMask, kMapKey };

  // Elements begin, begin + step, ... before end (with a negative step: after end).
  struct Slice {
    std::optional<int64_t> begin;
    std::optional<int64_t> end;
    int64_t step = 1;
  };

  Key(std::string name) : kind_(Kind::kName), name_(std::move(name)) {}  // NOLINT: keys are written as literals
  Key(std::string_view name) : Key(std::string(name)) {}                 // NOLINT
  Key(const char* name) : Key(std::string(name)) {}                      // NOLINT
  Key(int64_t index) : kind_(Kind::kIndex), index_(index) {}             // NOLINT
  Key(int index) : Key(static_cast<int64_t>(index)) {}                   // NOLINT
  Key(Slice slice) : kind_(Kind::kSlice), slice_(slice) {}               // NOLINT

  static Key All() { return Slice{}; }
  static Key Range(std::optional<int64_t> begin, std::optional<int64_t> end, int64_t step = 1) {
    return Slice{begin, end, step};
  }
  static Key Ellipsis() { return Key(Kind::kEllipsis); }
  static Key NewAxis() { return Key(Kind::kNewAxis); }
  static Key Fields(std::vector<std::string> names);
  // Integers of any rank and integer dtype.
  static Key Rows(Tensor indices);
  static Key Rows(std::vector<int64_t> indices);
  static Key Rows(std::initializer_list<int64_t> indices) { return Rows(std::vector<int64_t>(indices)); }
  // Booleans, dense or ragged, of rank >= 1.
  static Key Mask(Value mask);
  static Key MapKey(std::string key);
  // In a map with boolean keys, true is 1 and false is 0.
  template <std::integral T>
  static Key MapKey(T key) {
    return IntegerMapKey(IsNegative(key), static_cast<uint64_t>(key));
  }

  Kind kind() const { return kind_; }
  // The content of the piece if it is of that kind, else null.
  const std::string* name() const { return kind_ == Kind::kName ? &name_ : nullptr; }
  const int64_t* index() const { return kind_ == Kind::kIndex ? &index_ : nullptr; }
  const Slice* slice() const { return kind_ == Kind::kSlice ? &slice_ : nullptr; }
  const std::vector<std::string>* fields() const { return kind_ == Kind::kFields ? fields_.get() : nullptr; }
  const Tensor* rows() const { return kind_ == Kind::kRows ? array_->tensor() : nullptr; }
  const Value* mask() const { return kind_ == Kind::kMask ? array_.get() : nullptr; }
  // The text of a map key; null if it is an integer.
  const std::string* map_text() const { return kind_ == Kind::kMapKey && map_key_is_text_ ? &name_ : nullptr; }
  // Whether the piece is a map key that equals `integer`.
  template <std::integral T>
  bool IsMapKey(T integer) const {
    return kind_ == Kind::kMapKey && !map_key_is_text_ && IsNegative(integer) == map_key_is_negative_ &&
           static_cast<int64_t>(integer) == index_;
  }

  // Whether the piece is ':', which changes nothing.
  bool is_whole() const { return kind_ == Kind::kSlice && !slice_.begin && !slice_.end && slice_.step == 1; }
  // How many axes of the value the piece covers; unspecified for the ellipsis.
  int num_axes() const {
    return kind_ == Kind::kNewAxis || kind_ == Kind::kName || kind_ == Kind::kFields ? 0
           : kind_ == Kind::kMask                                                    ? array_->rank()
                                                                                     : 1;
  }

  // As in Python: "'name'", "-1", "1:3".
  std::string DebugString() const;

 private:
  explicit Key(Kind kind) : kind_(kind) {}
  static Key IntegerMapKey(bool is_negative, uint64_t bits);
  template <std::integral T>
  static bool IsNegative(T integer) {
    if constexpr (std::is_signed_v<T>) return integer < 0;
    return false;
  }

  Kind kind_;
  bool map_key_is_text_ = false;
  bool map_key_is_negative_ = false;
  std::string name_;
  int64_t index_ = 0;  // of a map key: its 64 bits, which without a sign may be 2^63 and more
  Slice slice_;
  std::shared_ptr<const std::vector<std::string>> fields_;
  std::shared_ptr<const Value> array_;
};

// What a name or a map key means where axes of the structs do not have a piece yet.
enum class AxesBeforeNames : uint8_t {
  kWritten,       // an error: every axis needs a piece, as in the RFC
  kMayBeLeftOut,  // these axes stay whole: st["recipes", :, "name"] of structs of rank 1 is st[:, "recipes", :, "name"]
};

// Returns the part of `value` that the key selects.
// Ownership: outer slices and integers share memory with `value`. So do all slices and integers of dense tensors, as strided
//   views. A selection from an inner ragged axis, or with a step from structs, copies the selected rows unless they are
//   consecutive.
// Errors: NotFound if a field does not exist; OutOfRange if an integer, also in an index list, is outside its axis (on a ragged
//   axis, outside any of the selected rows); InvalidArgument if the value has no such axis, a name comes before all axes are
//   selected, a step is 0, a mask or index list has the wrong dtype or absent elements, the rows of a mask differ from the
//   value's, or the axis has no map entries; ResourceExhausted if the selection of an index list is too big (strings: 2 GiB).
//   The message has the whole key and the place in it.
// Cost: O(pieces) on outer axes and dense tensors; O(rows of the outer axes) on inner ragged axes, plus what is copied.
absl::StatusOr<Value> Index(const Value& value, std::span<const Key> keys, AxesBeforeNames axes = AxesBeforeNames::kWritten);
absl::StatusOr<Value> Index(const Value& value, std::initializer_list<Key> keys,
                            AxesBeforeNames axes = AxesBeforeNames::kWritten);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_TENSOR_VALUES_INDEX_H_
