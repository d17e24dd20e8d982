// Field paths: how to write a place in a message or in a structured tensor. One grammar for DecodeOptions::fields, for
// operations on structured tensors, and for the paths in errors.
//
//   recipe.ingredients[0].name      labels["env"]      [my.package.extension].value      docs.*
#ifndef STRUCTTENSOR_CORE_FIELD_PATH_FIELD_PATH_H_
#define STRUCTTENSOR_CORE_FIELD_PATH_FIELD_PATH_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

#pragma GCC visibility push(default)

namespace structtensor {

// A list of steps from a value inward; the empty list is the value itself. Immutable, cheap to copy, compared by value.
class Path {
 public:
  class Step {
   public:
    enum class Kind : uint8_t {
      kField,      // the field of that name; the name of an extension has its brackets: [pkg.ext]
      kAnyField,   // `*`: every field
      kIndex,      // `[3]`: the element at that position of the field's first axis, from the end if negative; in a map with
                   // integer keys, the value of the entry with that key
      kKey,        // `["env"]`, `[true]`: in a map, the value of the entry with that key
      kElements,   // `[*]`: every element of that axis
      kMalformed,  // text that is not a path, of a Path that was made without Parse(); functions that take the path return the
                   // error that Parse() has for it
    };

    static Step Field(std::string name) { return Step(Kind::kField, std::move(name), 0); }
    static Step AnyField() { return Step(Kind::kAnyField, {}, 0); }
    static Step Index(int64_t index) { return Step(Kind::kIndex, {}, index); }
    static Step Key(std::string key) { return Step(Kind::kKey, std::move(key), 0); }
    static Step Elements() { return Step(Kind::kElements, {}, 0); }
    static Step Malformed(std::string text) { return Step(Kind::kMalformed, std::move(text), 0); }

    Kind kind() const { return kind_; }
    // The name of a field, a key, or malformed text; empty for other kinds.
    const std::string& text() const { return text_; }
    // 0 for kinds other than kIndex.
    int64_t index() const { return index_; }
    // As it is written, without the dot that may have to come before it.
    std::string ToString() const;

    friend bool operator==(const Step&, const Step&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Step& step) {
      return H::combine(std::move(h), step.kind_, step.text_, step.index_);
    }

   private:
    Step(Kind kind, std::string text, int64_t index) : kind_(kind), text_(std::move(text)), index_(index) {}

    Kind kind_;
    std::string text_;
    int64_t index_;
  };

  Path() = default;
  // The path written in `text`, as Parse() reads it: Promote(recipes, "ingredients.name", "names"). Text that is not a path
  // becomes a step of kind kMalformed, and functions that take the path return Parse()'s error.
  Path(std::string_view text);    // NOLINT: text is a path
  Path(const char* text);         // NOLINT
  Path(const std::string& text);  // NOLINT
  Path(std::nullptr_t) = delete;  // 0 is not a path; element 0 is "[0]"
  // These paths, one after the other: {"recipe.ingredients", "name"} is recipe.ingredients.name. An empty part is a field
  // without a name, which no struct has.
  Path(std::initializer_list<std::string_view> parts);
  explicit Path(std::vector<Step> steps);
  // Steps to fields with these names, whatever characters they have.
  static Path FromNames(std::span<const std::string> names);

  // Returns the path written in `text`; "" is the value itself.
  //   a.b          names of fields. A name of letters, digits, `_`, `-`, `/`, `$`, `@` and characters outside ASCII is written
  //                as it is, every other name in double quotes, with \" \\ \n \r \t \x1f inside: "a b".c
  //   [pkg.ext]    an extension, by its full name; like a name, it is first or after a dot: a.[pkg.ext].b
  //   [3] ["key"]  positions and keys, first or right after a name: a[3]. A boolean key is a[true] or a[false]
  //   * [*]        every field, every element
  // The text in brackets decides the kind: digits are a position or an integer key, quotes a key, and a name that starts with a
  // letter or `_` an extension. Right after a name, true and false are read as ["true"] and ["false"], and integers above the
  // largest int64, which uint64 keys may be, as ["18446744073709551615"].
  // Errors: InvalidArgument if the text is malformed; the message shows the text with a mark under the place.
  static absl::StatusOr<Path> Parse(std::string_view text);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Requires: i < size().
  const Step& operator[](size_t i) const { return (*steps_)[i]; }
  std::span<const Step> steps() const { return empty() ? std::span<const Step>() : std::span(steps_->data(), size_); }
  // Requires: !empty().
  const Step& back() const { return (*steps_)[size_ - 1]; }

  // The first `size` steps. Requires: size <= this->size(). Cost: O(1), also for Parent().
  Path Prefix(size_t size) const;
  // Without the last step. Requires: !empty().
  Path Parent() const { return Prefix(size_ - 1); }
  // With one more step.
  Path Child(Step step) const;
  Path Child(std::string_view field_name) const { return Child(Step::Field(std::string(field_name))); }
  // Whether this path starts with the steps of `prefix`; every path starts with itself.
  bool StartsWith(const Path& prefix) const;

  // The text that Parse reads as this path; "" for no steps. Exception: a field without a name, which no struct has, is shown
  // as "".
  std::string ToString() const;

  friend bool operator==(const Path& a, const Path& b) { return a.size_ == b.size_ && a.StartsWith(b); }
  template <typename H>
  friend H AbslHashValue(H h, const Path& path) {
    for (const Step& step : path.steps()) h = H::combine(std::move(h), step);
    return H::combine(std::move(h), path.size_);
  }

 private:
  // More steps than size_ if this is a prefix of another path; null if there are none.
  std::shared_ptr<const std::vector<Step>> steps_;
  size_t size_ = 0;
};

// Appends the field `name` to the text of a path: a dot, unless `path` is empty, and the name as ToString writes it.
void AppendField(std::string_view name, std::string& path);

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_FIELD_PATH_FIELD_PATH_H_
