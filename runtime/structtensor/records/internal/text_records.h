// Records that are texts, as the messages that these stand for.
#ifndef STRUCTTENSOR_RECORDS_INTERNAL_TEXT_RECORDS_H_
#define STRUCTTENSOR_RECORDS_INTERNAL_TEXT_RECORDS_H_

#include <memory>

#include "structtensor/records/record_reader.h"

namespace structtensor::records_internal {

// Whether records of that format are texts.
constexpr bool IsTextFormat(RecordFormat format) {
  return format == RecordFormat::kBase64 || format == RecordFormat::kHex || format == RecordFormat::kJson ||
         format == RecordFormat::kTextproto || format == RecordFormat::kCsv;
}

// Returns a reader of what `records` reads, in which records with a line (RecordLocation::line) are the messages that their
// texts stand for: in options.format; or, if that names no format, text format or CSV if the input's name
// says so, else JSON.
std::unique_ptr<RecordReader> ReadTexts(std::unique_ptr<RecordReader> records, const RecordReaderOptions& options);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_RECORDS_INTERNAL_TEXT_RECORDS_H_
