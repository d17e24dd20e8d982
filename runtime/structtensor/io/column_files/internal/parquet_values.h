// Encodes the values of one column in one row group for Parquet's pages: as indices into a dictionary as long as that is
// smaller, else plain or, if they are integers, as differences (https://github.com/apache/parquet-format, Encodings.md).
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_VALUES_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_VALUES_H_

#include <arrow/result.h>
#include <arrow/status.h>
#include <parquet/schema.h>
#include <parquet/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "structtensor/io/column_files/internal/hybrid_encoding.h"
#include "structtensor/io/column_files/internal/page_codec.h"
#include "structtensor/io/column_files/internal/parquet_leaves.h"

namespace structtensor::column_files_internal {

// The least and the greatest value, in plain encoding. NaN is neither.
struct ValueRange {
  bool known = false;
  std::string min;
  std::string max;
};

class ParquetValues {
 public:
  // `descr` must outlive the result.
  static arrow::Result<std::unique_ptr<ParquetValues>> Make(const parquet::ColumnDescriptor& descr);

  virtual ~ParquetValues() = default;

  // Appends the present values of `leaf` to the current page. Requires: the leaf has the type of the column.
  virtual arrow::Status Add(const ParquetLeaf& leaf) = 0;

  // Of the current page.
  virtual int64_t number_of_values() const = 0;
  virtual int64_t size_bytes() const = 0;  // approximate

  // The approximate memory of the current page and the dictionary.
  virtual size_t memory_bytes() const = 0;

  // Appends the encoded values of the current page to `body`, and begins another page. Pages will be compressed with `codec`;
  // which encoding is smallest depends on it.
  // Errors: if the codec fails.
  struct Page {
    parquet::Encoding::type encoding = parquet::Encoding::PLAIN;
    ValueRange range;
  };
  virtual arrow::Result<Page> EndPage(ArrowCodec codec, Bytes& body) = 0;

  // The dictionary that pages refer to, in plain encoding. If no page refers to it, `number_of_values` is 0.
  struct Dictionary {
    Bytes values;
    int32_t number_of_values = 0;
  };
  virtual Dictionary TakeDictionary() = 0;

  // The range of all finished pages.
  virtual ValueRange range() const = 0;
};

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_PARQUET_VALUES_H_
