// What must hold for every input of the decode fuzzer: the same messages are accepted as by libprotobuf, with the same columns,
// and what is encoded from these is the same messages again.
#ifndef STRUCTTENSOR_TESTS_FUZZ_DECODE_CHECK_H_
#define STRUCTTENSOR_TESTS_FUZZ_DECODE_CHECK_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode_input.h"
#include "guarded_bytes.h"
#include "log_silencer.h"
#include "oracle.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::testing {

class DecodeChecker {
 public:
  // `schema` must outlive the checker.
  explicit DecodeChecker(OracleSchema& schema) : schema_(schema) {}

  // Decodes the input's messages where they end so far from a page that cannot be touched, for each of `distances`. Returns ""
  // if all is well, else what is wrong.
  std::string Check(const DecodeInput& input, std::span<const size_t> distances);

 private:
  std::vector<std::string_view> Place(const std::vector<std::string>& messages, size_t distance);
  std::string CheckBatch(const DecodeInput& input, std::span<const ParsedMessage> parsed,
                         std::span<const std::string_view> messages);
  std::string CheckNullRows(const DecodeOptions& options, const plan::MessagePlan& plan, std::span<const ParsedMessage> parsed,
                            std::span<const std::string_view> messages);

  LogSilencer silencer_;
  OracleSchema& schema_;
  GuardedBytes guarded_[DecodeInput::kMaxMessages];
};

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_DECODE_CHECK_H_
