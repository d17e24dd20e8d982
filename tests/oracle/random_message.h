// Random messages of any type, by reflection.
#ifndef STRUCTTENSOR_TESTS_ORACLE_RANDOM_MESSAGE_H_
#define STRUCTTENSOR_TESTS_ORACLE_RANDOM_MESSAGE_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <random>
#include <string>

namespace structtensor::testing {

using Random = std::mt19937_64;

inline bool Chance(Random& random, double probability) {
  return std::uniform_real_distribution<double>()(random) < probability;
}
// One of 0, 1, ..., count - 1. Requires: count > 0.
inline size_t Pick(Random& random, size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }

struct FillOptions {
  double probability = 0.3;                                      // that a singular field is set, or a repeated one has elements
  size_t max_elements = 4;                                       // of a repeated field
  int depth = 4;                                                 // of submessages
  const google::protobuf::DescriptorPool* extensions = nullptr;  // where extensions are looked for
};

// Sets fields of `message` at random. Required fields are set, too, with few exceptions; strings are UTF-8.
void Fill(Random& random, const FillOptions& options, google::protobuf::Message* message);

// A number whose length as a varint is random, with a liking for the ends of each length.
uint64_t RandomNumber(Random& random);
// UTF-8 of up to four bytes a character.
std::string RandomText(Random& random);
std::string RandomBytes(Random& random);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_RANDOM_MESSAGE_H_
