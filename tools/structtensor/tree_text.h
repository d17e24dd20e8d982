// Rows in a form for people.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_TREE_TEXT_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_TREE_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace structtensor::command {

struct TreeOptions {
  size_t max_items = 5;     // of a list; at least 200 for names. Further items are counted
  size_t max_chars = 100;   // of a text; a longer text is cut and followed by its length
  bool all_fields = false;  // also those that are null or empty
};

// The fields of a row, one per line. `row` is JSON. Fields of messages and entries of maps are indented below their name:
//   title: sugar cookies
//   ingredients: 2
//     - name: sugar
//       amount: 1
//     - name: egg
//   ratings:
//     ann: 5
// Lists of numbers and short strings are on one line. Control characters are escaped. Errors: Internal if `row` is not a JSON
// object.
absl::StatusOr<std::string> TreeText(const std::string& row, const TreeOptions& options);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_TREE_TEXT_H_
