// Digests by which two decoders are compared before either is timed. There is one digest for each field path. It does not
// depend on the form and order of the values.
//
// Every row has an identity that follows from the data alone. The identity of message i follows from i. The identity of element
// j of a repeated field follows from its row's identity and j. The identity of a map entry follows from its row's identity and
// its key. Rows of a singular submessage have the identities of their parents. A column's digest is the number of its values
// and the sum of Mix(row identity, value). So batches may be cut anywhere, and map entries may come in any order. But a value
// that is missing, doubled, changed or in another row changes the digest. These do not count: absent values, zero and empty
// values of fields without presence, and keys and values of maps that are zero. digests.py is the same in Python.
#ifndef STRUCTTENSOR_BENCHMARKS_COMPARE_DIGEST_H_
#define STRUCTTENSOR_BENCHMARKS_COMPARE_DIGEST_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace structtensor::benchmark {

inline uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15 + b;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
  return x ^ x >> 32;
}

inline uint64_t Bits(std::string_view text) {
  uint64_t hash = 0;
  uint64_t power = 1;
  for (const char c : text) {
    hash += (uint64_t{static_cast<unsigned char>(c)} + 1) * power;
    power *= 0x100000001b3;
  }
  return text.empty() ? 0 : Mix(text.size(), hash);
}

// Extends integers to 64 bits, signed ones by their sign.
template <typename T>
requires std::is_arithmetic_v<T> uint64_t Bits(T value) {
  if constexpr (std::is_same_v<T, float>) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  } else if constexpr (std::is_same_v<T, double>) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  } else {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
}

inline uint64_t MessageIdentity(uint64_t message_index) { return Mix(1, message_index); }

// The identities of the rows of a row space.
using Identities = std::vector<uint64_t>;

struct Digest {
  uint64_t count = 0;
  uint64_t sum = 0;

  void Add(uint64_t identity, uint64_t value) {
    ++count;
    sum += Mix(identity, value);
  }
};

// By field path, "a.b.c". Columns without values do not count: they are erased before Digests are compared.
using Digests = std::map<std::string, Digest>;

}  // namespace structtensor::benchmark

#endif  // STRUCTTENSOR_BENCHMARKS_COMPARE_DIGEST_H_
