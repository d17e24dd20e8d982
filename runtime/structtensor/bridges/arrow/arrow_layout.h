// What columns are in Arrow where their TypeSpecs do not say it.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_ARROW_LAYOUT_H_
#define STRUCTTENSOR_BRIDGES_ARROW_ARROW_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace structtensor {

// A column that leaves as another type than its dtype's, or has structs with such columns, however deep in lists these are.
struct ArrowLayout {
  std::string name = {};  // of the column

  // Of strings: a dictionary. They become int32 indices of these, which are without repetition. Strings that are not among them
  // are added behind them, so that nothing is lost, and whatever was exported before keeps its index. Empty: none.
  std::vector<std::string> dictionary_names = {};

  // Of bytes: fixed-size binary, of values that have so many; 0: they may differ. An empty value is null, if there may be
  // nulls.
  int32_t fixed_size_bytes = 0;
  bool empty_is_null = false;  // so that there may be, whatever the TypeSpec says

  std::vector<ArrowLayout> fields = {};  // of structs

  bool is_default() const { return dictionary_names.empty() && fixed_size_bytes == 0 && fields.empty(); }

  friend bool operator==(const ArrowLayout&, const ArrowLayout&) = default;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_BRIDGES_ARROW_ARROW_LAYOUT_H_
