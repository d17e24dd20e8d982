// Paths: where in a structured tensor something is, and the operations that work there.
//
//   recipe.ingredients[0].name      labels["env"]      (my.package.extension).value      docs.*
//
// This folder may include runtime/ops, runtime/math and what they include. Begin with with_updates.h, promote.h, select.h or
// query.h; this header is the syntax.
#ifndef STRUCTTENSOR_PATH_PATH_H_
#define STRUCTTENSOR_PATH_PATH_H_

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

namespace structtensor {

// A list of steps from a value inward; none for the value itself. Immutable, cheap to copy, compared by value.
class Path {
 public:
  class Step {
   public:
    enum class Kind : uint8_t {
      kField,     // the field of that name
      kAnyField,  // `*`: every field
      kIndex,     // `[3]`: the element at that position of the field's first axis, from the end if negative; in a map with
                  // integer keys, the value of the entry with that key
      kKey,       // `["env"]`: in a map with string keys, the value of the entry with that key
      kElements,  // `[*]`: every element of that axis
    };

    static Step Field(std::string name) { return Step(Kind::kField, std::move(name), 0); }
    static Step AnyField() { return Step(Kind::kAnyField, {}, 0); }
    static Step Index(int64_t index) { return Step(Kind::kIndex, {}, index); }
    static Step Key(std::string key) { return Step(Kind::kKey, std::move(key), 0); }
    static Step Elements() { return Step(Kind::kElements, {}, 0); }

    Kind kind() const { return kind_; }
    // The name of a field, or a key; empty for other kinds.
    const std::string& text() const { return text_; }
    // 0 for other kinds than kIndex.
    int64_t index() const { return index_; }
    // As it is written, without the dot that may have to be in front.
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
  // Names of fields: Path{"recipe", "title"}.
  Path(std::initializer_list<std::string_view> names);
  explicit Path(std::vector<Step> steps);
  static Path FromNames(std::span<const std::string> names);

  // Returns the path written in `text`; "" is the value itself.
  //   a.b          names; a name with other characters than letters, digits, `_`, `-`, `/`, `$`, `@` and those outside ASCII
  //   stands
  //                in quotes, with \" \\ \n \r \t \x1f inside: "a b".c
  //   (p.ext)      an extension, whose field is named [p.ext]; [p.ext] is accepted too
  //   * [*]        every field, every element
  //   [3] ["key"]  positions and keys, after a name or first of all
  // Errors: InvalidArgument if it is not written so; the message shows the text with a mark under the place.
  static absl::StatusOr<Path> Parse(std::string_view text);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Requires: i < size().
  const Step& operator[](size_t i) const { return (*steps_)[i]; }
  std::span<const Step> steps() const { return empty() ? std::span<const Step>() : std::span(steps_->data(), size_); }
  // Requires: !empty().
  const Step& back() const { return (*steps_)[size_ - 1]; }

  // The first `size` steps. Requires: size <= this->size(). Cost: O(1), as for Parent().
  Path Prefix(size_t size) const;
  // Without the last step. Requires: !empty().
  Path Parent() const { return Prefix(size_ - 1); }
  // With one more step.
  Path Child(Step step) const;
  Path Child(std::string_view field_name) const { return Child(Step::Field(std::string(field_name))); }
  // Whether the first steps are those of `prefix`; every path starts with itself.
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

}  // namespace structtensor

#endif  // STRUCTTENSOR_PATH_PATH_H_
