// libprotobuf writes to the log of every message that it refuses, and the tests let it refuse many.
#ifndef STRUCTTENSOR_TESTS_ORACLE_LOG_SILENCER_H_
#define STRUCTTENSOR_TESTS_ORACLE_LOG_SILENCER_H_

#include <google/protobuf/stubs/common.h>

#if GOOGLE_PROTOBUF_VERSION >= 4022000
#include "absl/base/log_severity.h"
#include "absl/log/globals.h"
#else
#include <google/protobuf/stubs/logging.h>
#endif

namespace structtensor::testing {

// While it lives, libprotobuf writes nothing to standard error.
#if GOOGLE_PROTOBUF_VERSION >= 4022000
class LogSilencer {
 public:
  LogSilencer() = default;

 private:
  absl::ScopedStderrThreshold threshold_{absl::LogSeverityAtLeast::kInfinity};
};
#else
using google::protobuf::LogSilencer;
#endif

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_LOG_SILENCER_H_
