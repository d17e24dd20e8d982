// Which framing the beginning of an input looks like.
#ifndef STRUCTTENSOR_RECORDS_INTERNAL_SNIFF_H_
#define STRUCTTENSOR_RECORDS_INTERNAL_SNIFF_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "structtensor/records/record_reader.h"

namespace structtensor::records_internal {

// As much of an input as SniffFormat() wants to see, in bytes.
inline constexpr size_t kSniffBytes = 64 << 10;

// Returns the framing of an input that begins with `sample`, and why. Varint-delimited where nothing speaks for another one:
// what is wrong is then said by whoever reads the records.
//   whole  whether the sample is all there is
SniffedFormat SniffFormat(std::string_view sample, bool whole);

}  // namespace structtensor::records_internal

#endif  // STRUCTTENSOR_RECORDS_INTERNAL_SNIFF_H_
