// Which fields are read, by patterns: paths, `*` for any name, regular expressions over paths.
#ifndef STRUCTTENSOR_SELECTION_SELECTION_H_
#define STRUCTTENSOR_SELECTION_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/plan/plan.h"

namespace structtensor {

// A pattern is one of
//   address.city     a field path (field_path/field_path.h), with `labels["env"]` for the value of a key of a map
//   address.*        the same with `*` for any field of a message
//   /\.city$/        a regular expression (RE2) between slashes, found anywhere in the path of a field
// It stands for each field whose path it matches, with all that is below. The fields of maps' entries have no paths of their
// own. Fields that annotations skip are matched by their own paths alone. Paths have the names of fields, not those that
// annotations give their columns.
struct Selection {
  std::vector<std::string> select;  // empty: all fields
  std::vector<std::string> drop;    // of those; what is below a field that is dropped is dropped

  bool empty() const { return select.empty() && drop.empty(); }
};

// Returns the paths of the fields that are selected and not dropped, for DecodeOptions::fields; none if these are all.
//   recursion_depth  as in DecodeOptions: what lies deeper is kept as bytes, with its field or not at all
// Errors: NotFound for a pattern that matches no field, if it is one of several or no plain path: decoders judge those.
//   InvalidArgument for a pattern that is malformed, if nothing is left, and for a recursion_depth of 0 in a message type that
//   contains itself, of which there are paths of any length.
// Cost: O(paths of the message type). More than 1,000,000 are InvalidArgument; name the fields then.
absl::StatusOr<std::vector<std::string>> ResolveSelection(const plan::MessagePlan& message, const Selection& selection,
                                                          int recursion_depth);

}  // namespace structtensor

#endif  // STRUCTTENSOR_SELECTION_SELECTION_H_
