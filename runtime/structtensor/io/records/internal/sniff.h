// Finds the framing of an input from its first bytes.
#ifndef STRUCTTENSOR_IO_RECORDS_INTERNAL_SNIFF_H_
#define STRUCTTENSOR_IO_RECORDS_INTERNAL_SNIFF_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/io/records/record_reader.h"

namespace structtensor::records_internal {

// How many bytes of an input SniffFormat() looks at.
inline constexpr size_t kSniffBytes = 64 << 10;

// Returns the framing of an input that begins with `sample`, and the reason. Without evidence for another framing it is
// varint-delimited: reading the records then shows what is wrong.
//   whole  whether the sample is the whole input
SniffedFormat SniffFormat(std::string_view sample, bool whole);

// What an input that begins with `sample` is, and what to do with it, if it is neither messages nor a text that is read as
// messages: a Parquet file, an archive, compressed bytes, text in UTF-16. "" for everything else.
std::string ForeignKindOf(std::string_view sample);

// The kind of text of an input that begins with `sample`.
enum class TextKind {
  kNone,  // not text: it has bytes that text does not have
  kJson,  // an object or a list, perhaps the first of many
  kCsv,   // a header, and a line with as many fields
  kOther,
};
TextKind TextKindOf(std::string_view sample);

// Returns an error that says which text the input is instead of messages. Requires: not kNone.
absl::Status NotMessages(TextKind kind);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_IO_RECORDS_INTERNAL_SNIFF_H_
