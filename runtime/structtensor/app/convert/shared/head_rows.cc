#include "structtensor/app/convert/shared/head_rows.h"

#include <sys/ioctl.h>

#include <algorithm>

#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/join.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor::convert_internal {

size_t TerminalWidth(FILE* to) {
  constexpr size_t kWidthWithoutTerminal = 120;
  winsize size = {};
  if (ioctl(fileno(to), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidthWithoutTerminal;
  return size.ws_col;
}

void HeadRows::Add(const StructuredTensor& rows) {
  const int64_t count = std::min(rows.nrows(), max_rows_ - nrows_);
  if (count <= 0) return;
  pieces_.emplace_back(rows.SliceRows(0, count));
  nrows_ += count;
}

absl::StatusOr<std::string> HeadRows::Table(const StructuredTensor& empty, size_t max_width_columns,
                                            const ForPeople& for_people) const {
  if (pieces_.empty()) return FormatTable(empty, max_rows_, max_width_columns);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Value rows, Concat(pieces_, 0));
  return FormatTable(for_people == nullptr ? *rows.structured() : for_people(*rows.structured()), max_rows_, max_width_columns);
}

}  // namespace structtensor::convert_internal
