// Reads the messages of records that are text.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_TEXT_RECORDS_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_TEXT_RECORDS_H_

#include <memory>

#include "structtensor/io/records/record_reader.h"

namespace structtensor::records_internal {

// Whether records of `format` are text.
constexpr bool IsTextFormat(RecordFormat format) {
  return format == RecordFormat::kBase64 || format == RecordFormat::kHex || format == RecordFormat::kJson ||
         format == RecordFormat::kTextproto || format == RecordFormat::kCsv;
}

// Returns a reader of the records of `records`. Records with a line (RecordLocation::line) are text, which is
// read as messages in options.format. If that is not set: text format or CSV if the input's name says so, otherwise JSON.
std::unique_ptr<RecordReader> ReadTextRecords(std::unique_ptr<RecordReader> records, const RecordReaderOptions& options);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_TEXT_RECORDS_H_
