// Which Arrow layout a value has: what the schema and the arrays must agree on.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_LAYOUT_H_
#define STRUCTTENSOR_BRIDGES_ARROW_INTERNAL_LAYOUT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/bridges/arrow/arrow_layout.h"
#include "structtensor/type_spec/type_spec.h"

namespace structtensor::arrow_internal {

// The format string of one element.
// Null for bfloat16, which Arrow does not have.
const char* ElementFormat(DType dtype);

// Whether the innermost partition of these structs is exported as maps. Depends on nothing that differs between batches.
bool IsMap(const StructuredTensorSpec& structs);

// How many of these partitions, the outermost ones first, may be exported as lists of one size: those of structs; of a ragged
// tensor those above a ragged one, since whoever reads the others would take them for axes of a dense tensor.
size_t FixedSizeListsEnd(std::span<const RowPartitionSpec> partitions, bool of_structs);

// Whether rows of such a partition are lists of one size. Lists of size 0 are not: Parquet has none.
bool IsFixedSizeList(const RowPartitionSpec& partition);

// The layout of the column of that name, or null. And those of the fields of structs: none of null. Layout: may be const.
template <typename Layout>
Layout* LayoutOf(std::string_view name, std::span<Layout> layouts) {
  for (Layout& layout : layouts) {
    if (layout.name == name) return &layout;
  }
  return nullptr;
}
template <typename Layout>
std::span<Layout> FieldsOf(Layout* layout) {
  return layout == nullptr ? std::span<Layout>() : std::span<Layout>(layout->fields);
}
// Whether such a tensor has a dictionary: strings do, if the layout has names.
bool HasDictionary(const TensorSpec& tensor, const ArrowLayout* layout);
// Whether it is fixed-size binary: bytes are, if the layout has a size.
bool HasFixedSize(const TensorSpec& tensor, const ArrowLayout* layout);

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
