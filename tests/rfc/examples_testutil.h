// Values written out, for the RFCs' examples.
#ifndef STRUCTTENSOR_TESTS_RFC_EXAMPLES_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_RFC_EXAMPLES_TESTUTIL_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {

using Dict = NestedValue::Dict;
using List = NestedValue::List;

inline Value Make(const NestedValue& nested) {
  absl::StatusOr<Value> value = Constant(nested);
  EXPECT_TRUE(value.ok()) << value.status();
  return *std::move(value);
}

// The value as JSON, or why there is none.
template <typename T>
std::string Json(const absl::StatusOr<T>& value) {
  return value.ok() ? ToJson(*value) : std::string(value.status().ToString());
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_RFC_EXAMPLES_TESTUTIL_H_
