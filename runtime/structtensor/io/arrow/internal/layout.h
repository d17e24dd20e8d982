// The Arrow layout of a value, on which the schema and the arrays must agree.
#ifndef STRUCTTENSOR_IO_ARROW_INTERNAL_LAYOUT_H_
#define STRUCTTENSOR_IO_ARROW_INTERNAL_LAYOUT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "structtensor/io/arrow/arrow_layout.h"
#include "structtensor/tensor/type_spec/type_spec.h"

namespace structtensor::arrow_internal {

// Whether the innermost partition of `structs` is exported as maps. The result is the same for all batches.
bool IsMap(const StructuredTensorSpec& structs);

// How many of these partitions, from the outermost on, may be exported as fixed-size lists. For structs: all. For a ragged
// tensor: only those above a ragged one, because readers would take the others for axes of a dense tensor.
size_t FixedSizeListsEnd(std::span<const RowPartitionSpec> partitions, bool of_structs);

// Whether the rows of `partition` are lists of one size. Lists of size 0 are not: Parquet has none.
bool IsFixedSizeList(const RowPartitionSpec& partition);

// LayoutOf: the layout of column `name`, or null. FieldsOf: layouts of a struct's fields, none for null. Layout may be const.
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
// Whether `tensor` is exported as a dictionary: strings are, if the layout has names.
bool HasDictionary(const TensorSpec& tensor, const ArrowLayout* layout);
// Whether `tensor` is exported as fixed-size binary: bytes are, if the layout has a size.
bool HasFixedSize(const TensorSpec& tensor, const ArrowLayout* layout);

// The names from the root to the field that is being exported.
class FieldPath {
 public:
  // Adds a step to the path while it lives.
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
  // Returns `status` with the path added. Requires: !status.ok().
  absl::Status Of(const absl::Status& status) const;

 private:
  // "field a.b: problem"
  std::string At(std::string_view problem) const;

  std::vector<std::string_view> names_;
};

}  // namespace structtensor::arrow_internal

#endif  // STRUCTTENSOR_IO_ARROW_INTERNAL_LAYOUT_H_
