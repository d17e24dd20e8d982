// What must hold for every input of the JSON fuzzer. Its first byte says which message type is meant, the rest is a text.
#ifndef STRUCTTENSOR_TESTS_FUZZ_JSON_CHECK_H_
#define STRUCTTENSOR_TESTS_FUZZ_JSON_CHECK_H_

#include <string>
#include <string_view>

#include "log_silencer.h"
#include "oracle.h"

namespace structtensor::testing {

// If a text is accepted, libprotobuf reads the same message from it, and the JSON that is written from the message is read back
// as the same message. JSON without a schema is read without harm, and fits the spec that was inferred from it.
class JsonChecker {
 public:
  // `schema` must outlive the checker.
  explicit JsonChecker(OracleSchema& schema) : schema_(schema) {}

  // Returns "" if all is well, else what is wrong.
  std::string Check(std::string_view input);

 private:
  std::string CheckMessage(size_t type, std::string_view text);

  LogSilencer silencer_;
  OracleSchema& schema_;
};

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_JSON_CHECK_H_
