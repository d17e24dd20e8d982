// Which columns of strings leave as Arrow dictionaries.
#ifndef STRUCTTENSOR_BRIDGES_ARROW_COLUMN_DICTIONARY_H_
#define STRUCTTENSOR_BRIDGES_ARROW_COLUMN_DICTIONARY_H_

#include <string>
#include <vector>

namespace structtensor {

// A column that has a dictionary, and those of the structs in it, however deep in lists these are. Its strings become int32
// indices of `names`. Strings that are not among them are added behind them, so that nothing is lost, and whatever was
// exported before keeps its index.
struct ColumnDictionary {
  std::string name = {};                // of the column
  std::vector<std::string> names = {};  // without repetition; empty for a column of structs
  std::vector<ColumnDictionary> fields = {};

  friend bool operator==(const ColumnDictionary&, const ColumnDictionary&) = default;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_BRIDGES_ARROW_COLUMN_DICTIONARY_H_
