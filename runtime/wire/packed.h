// Packed runs: the values of a LEN field without tags between them.
#ifndef STRUCTTENSOR_WIRE_PACKED_H_
#define STRUCTTENSOR_WIRE_PACKED_H_

#include <cstddef>
#include <cstdint>

namespace structtensor::wire {

// Number of varints that end in [p, p + size_bytes).
size_t CountVarints(const uint8_t* p, size_t size_bytes);

// Each of these decodes the varints in [p, end) to `out` and returns the position behind the last value written, or null if
// the run ends within a varint or a varint has more than 10 bytes. 32-bit kinds keep the low 32 bits.
// Requires: room for end - p values at `out`, or for CountVarints(p, end - p) + 1; readable slack behind `end`.
uint32_t* UnpackUint32(const uint8_t* p, const uint8_t* end, uint32_t* out);
uint64_t* UnpackUint64(const uint8_t* p, const uint8_t* end, uint64_t* out);
int32_t* UnpackSint32(const uint8_t* p, const uint8_t* end, int32_t* out);
int64_t* UnpackSint64(const uint8_t* p, const uint8_t* end, int64_t* out);
uint8_t* UnpackBool(const uint8_t* p, const uint8_t* end, uint8_t* out);

}  // namespace structtensor::wire

#endif  // STRUCTTENSOR_WIRE_PACKED_H_
