// How columns are exported to Arrow where their TypeSpecs do not say it.
#ifndef STRUCTTENSOR_IO_ARROW_ARROW_LAYOUT_H_
#define STRUCTTENSOR_IO_ARROW_ARROW_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace structtensor {

// A column that is exported as another type than its dtype's, or has structs with such columns, however deep in lists.
struct ArrowLayout {
  std::string name = {};  // of the column

  // For strings: they become a dictionary, with int32 indices into these names, which are all different. Other strings are
  // added at the end of the names: nothing is lost, and what was exported before keeps its index. Empty: no dictionary.
  std::vector<std::string> dictionary_names = {};

  // For bytes: they become fixed-size binary; each value has this many bytes. 0: sizes may differ. An empty value becomes null,
  // if nulls are allowed.
  int32_t fixed_size_bytes = 0;
  bool empty_is_null = false;  // allows nulls, whatever the TypeSpec says

  std::vector<ArrowLayout> fields = {};  // for structs

  bool is_default() const { return dictionary_names.empty() && fixed_size_bytes == 0 && fields.empty(); }

  friend bool operator==(const ArrowLayout&, const ArrowLayout&) = default;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_IO_ARROW_ARROW_LAYOUT_H_
