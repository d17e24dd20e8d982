// Turns presence words into what readers of a singular column need: the rows with a value, and the present values alone.
//
//   words 1 0 0 1 (of one field)   ->   validity 1001, rows 0 3
//   values 7 ? ? 9                 ->   values 7 0 0 9, compact 7 9
//
// Two kernels, portable and AVX-512, chosen at run time. Measured (presence_benchmark), with 4-byte values in a third of the
// rows: portable 1.8 ns a row, AVX-512 0.22.
#ifndef STRUCTTENSOR_CORE_COLUMN_INTERNAL_PRESENCE_H_
#define STRUCTTENSOR_CORE_COLUMN_INTERNAL_PRESENCE_H_

#include <cstddef>
#include <cstdint>

namespace structtensor::column_internal {

// Every array may be read and written up to this many bytes past its last row.
inline constexpr size_t kPresenceSlackBytes = 64;

struct InAnyAndAll {
  uint64_t in_any = 0;
  uint64_t in_all = ~uint64_t{0};
};

struct PresenceFunctions {
  // The bits that are set in any row's word, and the bits that are set in every row's word.
  InAnyAndAll (*summarise)(const uint64_t* words, uint32_t nrows);

  // Fills validity [ceil(nrows / 64)], bit r % 64 of validity[r / 64] for row r, and rows, ascending; returns the number of
  // rows. A row has a value if its word has a bit of `mask`.
  uint32_t (*list_rows)(const uint64_t* words, uint64_t mask, uint32_t nrows, uint64_t* validity, uint32_t* rows);

  // Copies the values of the rows in `validity` to `compact`, side by side, and clears the values of the other rows. One
  // function for each size of a value, in bytes.
  void (*separate1)(uint8_t* values, const uint64_t* validity, uint32_t nrows, uint8_t* compact);
  void (*separate4)(uint32_t* values, const uint64_t* validity, uint32_t nrows, uint32_t* compact);
  void (*separate8)(uint64_t* values, const uint64_t* validity, uint32_t nrows, uint64_t* compact);
};

extern const PresenceFunctions kPortablePresence;
// Null if this processor lacks the instructions.
const PresenceFunctions* Avx512Presence();

// The functions of the level in use.
const PresenceFunctions& ChosenPresence();

}  // namespace structtensor::column_internal

#endif  // STRUCTTENSOR_CORE_COLUMN_INTERNAL_PRESENCE_H_
