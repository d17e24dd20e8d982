// Selects the fields to read by patterns: paths, `*` for any name, regular expressions over paths.
#ifndef STRUCTTENSOR_APP_FILTERS_SELECTION_H_
#define STRUCTTENSOR_APP_FILTERS_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor {

// A pattern is one of
//   address.city     a field path (core/field_path/field_path.h), with `labels["env"]` for the value of a key of a map
//   address.*        a field path, with `*` for any field of a message
//   /\.city$/        a regular expression (RE2) between slashes, found anywhere in the path of a field
// A pattern selects each field whose path it matches, with all fields below it. The fields of map entries have no own paths. A
// field that annotations skip is matched only by its own path. Paths use the names of fields, not the column names that
// annotations give.
struct Selection {
  std::vector<std::string> select;  // empty: all fields
  std::vector<std::string> drop;    // fields of `select` to leave out, with all fields below them

  bool empty() const { return select.empty() && drop.empty(); }
};

// Returns the paths of the fields that are selected and not dropped, for DecodeOptions::fields; no paths if all fields remain.
//   recursion_depth  as in DecodeOptions: deeper messages are kept as bytes, with their field or not at all
// Errors: NotFound for a pattern that matches no field, except if `drop` is empty and all of `select` are plain paths: decoders
//   check those, and map keys. InvalidArgument for a malformed pattern, if no field remains, and for a recursion_depth of 0 if
//   the message type contains itself: its paths can have any length.
// Cost: O(paths of the message type). More than 1,000,000 paths are InvalidArgument; list the fields then.
absl::StatusOr<std::vector<std::string>> ResolveSelection(const plan::MessagePlan& message, const Selection& selection,
                                                          int recursion_depth);

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_FILTERS_SELECTION_H_
