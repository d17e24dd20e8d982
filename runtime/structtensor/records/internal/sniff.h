// Which framing the beginning of an input looks like.
#ifndef STRUCTTENSOR_RECORDS_INTERNAL_SNIFF_H_
#define STRUCTTENSOR_RECORDS_INTERNAL_SNIFF_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/records/record_reader.h"

namespace structtensor::records_internal {

// As much of an input as SniffFormat() wants to see, in bytes.
inline constexpr size_t kSniffBytes = 64 << 10;

// Returns the framing of an input that begins with `sample`, and why. Varint-delimited where nothing speaks for another one:
// what is wrong is then said by whoever reads the records.
//   whole  whether the sample is all there is
SniffedFormat SniffFormat(std::string_view sample, bool whole);

// Which text an input that begins with `sample` is.
enum class TextKind {
  kNone,  // no text: it has bytes that texts do not have
  kJson,  // an object or a list, perhaps the first of many
  kOther,
};
TextKind TextKindOf(std::string_view sample);

// Says that an input is such a text. Requires: not kNone.
absl::Status NotMessages(TextKind kind);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_RECORDS_INTERNAL_SNIFF_H_
