#include "structtensor/io/column_files/internal/delta_encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "structtensor/io/column_files/internal/bit_packing.h"

namespace structtensor::column_files_internal {
namespace {

// A block stores its least difference. The differences are stored relative to it, in four parts, each with its own bit width.
// These are the smallest sizes that the specification allows.
constexpr size_t kBlockValues = 128;
constexpr size_t kParts = 4;
constexpr size_t kPartValues = kBlockValues / kParts;

// Appends a signed integer whose bits are `bits`, so that small negative numbers are short, too.
template <typename T>
void AppendZigzag(T bits, Bytes& out) {
  constexpr int kSignBit = std::numeric_limits<T>::digits - 1;
  const auto sign = static_cast<T>(T{0} - (bits >> kSignBit));
  AppendVarint(static_cast<T>((bits << 1) ^ sign), out);
}

// Appends a block of `count` values, at most kBlockValues. `values[-1]` is the value before them.
template <typename T>
void AppendBlock(const T* values, size_t count, Bytes& out) {
  using Signed = std::make_signed_t<T>;
  std::array<T, kBlockValues> differences;  // wrap around
  for (size_t i = 0; i < count; ++i) differences[i] = static_cast<T>(values[i] - *(values + i - 1));
  auto least = std::numeric_limits<Signed>::max();
  for (size_t i = 0; i < count; ++i) least = std::min(least, static_cast<Signed>(differences[i]));
  for (size_t i = 0; i < count; ++i) differences[i] -= static_cast<T>(least);
  std::fill(differences.begin() + static_cast<ptrdiff_t>(count), differences.end(), T{0});

  AppendZigzag(static_cast<T>(least), out);
  std::array<uint8_t, kParts> bit_widths;
  for (size_t part = 0; part < kParts; ++part) {
    T bits = 0;
    for (size_t i = 0; i < kPartValues; ++i) bits |= differences[part * kPartValues + i];
    bit_widths[part] = static_cast<uint8_t>(std::bit_width(bits));
  }
  out.Append(bit_widths.data(), bit_widths.size());
  // The last block ends with the part that has the last value.
  const size_t parts = (count + kPartValues - 1) / kPartValues;
  uint8_t* p = out.Room(kBlockValues * sizeof(T) + sizeof(uint64_t));
  for (size_t part = 0; part < parts; ++part) {
    p = PackBits(differences.data() + part * kPartValues, kPartValues / kPackedGroup, bit_widths[part], p);
  }
  out.SetEnd(p);
}

template <typename T>
void Append(std::span<const T> values, Bytes& out) {
  AppendVarint(kBlockValues, out);
  AppendVarint(kParts, out);
  AppendVarint(values.size(), out);
  AppendZigzag(values.empty() ? T{0} : values[0], out);
  for (size_t i = 1; i < values.size(); i += kBlockValues) {
    AppendBlock(values.data() + i, std::min(kBlockValues, values.size() - i), out);
  }
}

}  // namespace

void AppendDelta(std::span<const uint32_t> values, Bytes& out) { Append(values, out); }
void AppendDelta(std::span<const uint64_t> values, Bytes& out) { Append(values, out); }

}  // namespace structtensor::column_files_internal
