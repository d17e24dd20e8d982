// Makes new inputs of the decode fuzzer from old ones: random messages, by reflection; the same messages with other fields, or
// written in other ways; and broken ones.
#ifndef STRUCTTENSOR_TESTS_FUZZ_DECODE_MUTATOR_H_
#define STRUCTTENSOR_TESTS_FUZZ_DECODE_MUTATOR_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "decode_input.h"
#include "oracle.h"
#include "plain_mutation.h"
#include "random_message.h"

namespace structtensor::testing {

class DecodeMutator {
 public:
  // `schema` must outlive the mutator.
  DecodeMutator(OracleSchema& schema, PlainMutation plain) : schema_(schema), plain_(std::move(plain)) {}

  // An input like `bytes`, at most `max_size` bytes long.
  std::string Mutate(Random& random, std::string_view bytes, size_t max_size);

  // An input with messages of both, some of them merged into one.
  std::string CrossOver(Random& random, std::string_view one, std::string_view other, size_t max_size);

 private:
  void MutateInput(Random& random, DecodeInput& input, size_t max_size);
  std::string MutateMessage(Random& random, const google::protobuf::Descriptor* type, const std::string& message,
                            size_t max_size);
  std::string RandomlyWritten(Random& random, const google::protobuf::Message& message);

  OracleSchema& schema_;
  const PlainMutation plain_;
};

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_DECODE_MUTATOR_H_
