// Removing or clearing rows in the middle of row spaces that are complete but not finished.
#ifndef STRUCTTENSOR_CORE_COLUMN_INTERNAL_REMOVE_ROWS_H_
#define STRUCTTENSOR_CORE_COLUMN_INTERNAL_REMOVE_ROWS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "structtensor/core/column/abi/column.h"

namespace structtensor::column_internal {

struct RowRange {
  uint32_t begin;
  uint32_t end;
};
using RowRanges = std::vector<RowRange>;  // ascending, disjoint, none empty

// Vectors for the row spaces below the row space that rows are removed from. They keep their memory.
class RangesPool {
 public:
  // Returns an empty vector, which the caller gives back.
  RowRanges Take() {
    if (free_.empty()) return {};
    RowRanges ranges = std::move(free_.back());
    free_.pop_back();
    ranges.clear();
    return ranges;
  }
  void Give(RowRanges ranges) { free_.push_back(std::move(ranges)); }

 private:
  std::vector<RowRanges> free_;
};

// Adds [begin, end), which must not start before the last range's end; joins the two where they touch.
void AppendRange(RowRanges& ranges, uint32_t begin, uint32_t end);

// What remains of rows whose values are removed.
enum class RowsLeft {
  kNone,   // later rows move up
  kEmpty,  // the rows stay, and nothing is present in them
};

// Removes the values of the rows in `ranges` from the touched columns of `node` and of all nodes below it. The caller changes
// the number of rows in the node's row space.
void RemoveFromNode(TreeNode* node, const RowRanges& ranges, RowsLeft left, RangesPool& pool);

}  // namespace structtensor::column_internal

#endif  // STRUCTTENSOR_CORE_COLUMN_INTERNAL_REMOVE_ROWS_H_
