// Rows as a person reads them.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_TREE_TEXT_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_TREE_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace structtensor::command {

struct TreeOptions {
  size_t max_items = 5;     // of a list; of names 200, if that is more. What is more is counted
  size_t max_chars = 100;   // of a text; what is longer is cut, with its length behind it
  bool all_fields = false;  // also those that are null or empty
};

// The fields of a row, which is given as JSON, one a line, those of messages and the entries of maps indented below their name:
//   title: sugar cookies
//   ingredients: 2
//     - name: sugar
//       amount: 1
//     - name: egg
//   ratings:
//     ann: 5
// Lists of numbers and short texts stand on one line. Control characters are escaped. Errors: Internal if `row` is no JSON
// object.
absl::StatusOr<std::string> TreeText(const std::string& row, const TreeOptions& options);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_TREE_TEXT_H_
