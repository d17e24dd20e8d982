// Which Arrow layout a value has: what the schema and the arrays must agree on.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_LAYOUT_H_
#define STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_LAYOUT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/bridges/arrow/column_dictionary.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor::arrow_internal {

// The format string of one element.
// Null for bfloat16, which Arrow does not have.
const char* ElementFormat(DType dtype);

// Whether the innermost partition of these structs is exported as maps. Depends on nothing that differs between batches.
bool IsMap(const StructuredTensorSpec& structs);

// The dictionary of the column of that name, or null. And those of the fields of structs: none of null.
template <typename Dictionary>
Dictionary* DictionaryOf(std::string_view name, std::span<Dictionary> dictionaries) {
  for (Dictionary& dictionary : dictionaries) {
    if (dictionary.name == name) return &dictionary;
  }
  return nullptr;
}
template <typename Dictionary>
std::span<Dictionary> FieldsOf(Dictionary* dictionary) {
  return dictionary == nullptr ? std::span<Dictionary>() : std::span<Dictionary>(dictionary->fields);
}
// Whether such a tensor has it: strings do, if it has names.
bool HasDictionary(const TensorSpec& tensor, const ColumnDictionary* dictionary);

// The names from the root to the field that is being exported.
class FieldPath {
 public:
  // Adds a step while it lives.
  class Step {
   public:
    Step(FieldPath& path, std::string_view name) : path_(path) { path_.names_.push_back(name); }
    ~Step() { path_.names_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    FieldPath& path_;
  };

  absl::Status InvalidArgument(std::string_view problem) const;
  absl::Status OutOfRange(std::string_view problem) const;
  absl::Status ResourceExhausted(std::string_view problem) const;
  // The same error, which does not know its path. Requires: !status.ok().
  absl::Status Of(const absl::Status& status) const;

 private:
  // "field a.b: problem"
  std::string At(std::string_view problem) const;

  std::vector<std::string_view> names_;
};

}  // namespace structtensor::arrow_internal

#endif  // STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_LAYOUT_H_
