// The first rows of a scan, to be shown as a table.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_HEAD_ROWS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_HEAD_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::convert_internal {

// The width of the terminal `to` in columns; 120 if it is not a terminal.
size_t TerminalWidth(FILE* to);

class HeadRows {
 public:
  explicit HeadRows(int64_t max_rows) : max_rows_(max_rows) {}

  bool full() const { return nrows_ >= max_rows_; }
  // Keeps as many of the rows as are still wanted. They keep alive the memory of their batch.
  void Add(const StructuredTensor& rows);

  // Returns all rows as FormatTable() prints them, for a terminal of that width. `empty` has the fields if there are no rows.
  // `for_people` converts rows to what is shown. Errors: ResourceExhausted if they cannot be one value.
  using ForPeople = std::function<StructuredTensor(const StructuredTensor& rows)>;
  absl::StatusOr<std::string> Table(const StructuredTensor& empty, size_t max_width_columns,
                                    const ForPeople& for_people = nullptr) const;

 private:
  const int64_t max_rows_;
  int64_t nrows_ = 0;
  std::vector<Value> pieces_;
};

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_HEAD_ROWS_H_
