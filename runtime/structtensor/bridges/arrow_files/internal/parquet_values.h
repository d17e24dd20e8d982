// The values of one column in one row group, as Parquet's pages have them: indices into a dictionary as long as that is
// smaller, else plain (https://github.com/apache/parquet-format/blob/master/Encodings.md).
#ifndef STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_PARQUET_VALUES_H_
#define STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_PARQUET_VALUES_H_

#include <arrow/result.h>
#include <arrow/status.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "structtensor/bridges/arrow_files/internal/parquet_leaves.h"

namespace structtensor::arrow_files_internal {

// The least and the greatest value, in plain encoding. NaN is neither.
struct ValueRange {
  bool known = false;
  std::string min;
  std::string max;
};

class ParquetValues {
 public:
  // `descr` must outlive what is returned.
  static arrow::Result<std::unique_ptr<ParquetValues>> Make(const parquet::ColumnDescriptor& descr);

  virtual ~ParquetValues() = default;

  // Appends those values of `leaf` that are there to the page under way. Requires: its type is that of the column.
  virtual arrow::Status Add(const ParquetLeaf& leaf) = 0;

  // Of the page under way.
  virtual int64_t number_of_values() const = 0;
  virtual int64_t size_bytes() const = 0;  // about

  // Of memory, about: what is there of the page under way, and the dictionary.
  virtual size_t memory_bytes() const = 0;

  // Appends the values of the page under way to `body`, as their encoding has them, and begins another page.
  struct Page {
    parquet::Encoding::type encoding = parquet::Encoding::PLAIN;
    ValueRange range;
  };
  virtual Page EndPage(std::vector<uint8_t>& body) = 0;

  // The dictionary of the pages that refer to one, in plain encoding; without such pages `number_of_values` is 0.
  struct Dictionary {
    std::vector<uint8_t> values;
    int32_t number_of_values = 0;
  };
  virtual Dictionary TakeDictionary() = 0;

  // The range of all pages that have ended.
  virtual ValueRange range() const = 0;
};

}  // namespace structtensor::arrow_files_internal

#endif  // STRUCTTENSOR_BRIDGES_ARROW_FILES_INTERNAL_PARQUET_VALUES_H_
