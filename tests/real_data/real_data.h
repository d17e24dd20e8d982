// Real data for tests. RealDataTest is the only way to open it.
//
// Two programs run the tests of this folder: demo_data_test over the data of tools/demo, which the build makes from Python
// packages, and real_data_test over the data sets in STRUCTTENSOR_DATA. The latter is only built if that folder is known.
#ifndef STRUCTTENSOR_TESTS_REAL_DATA_REAL_DATA_H_
#define STRUCTTENSOR_TESTS_REAL_DATA_REAL_DATA_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "oracle.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::testing {

struct RealDataSet {
  std::string folder;             // contains descriptor_set.pb
  std::string file;               // varint-delimited messages in `folder`
  const plan::MessagePlan* plan;  // of the generated decoder, or null if the set was missing when the test was built

  std::string name() const;  // the last part of `folder`, and `file`
};

// Each program defines its own list.
const std::vector<RealDataSet>& RealDataSets();

// A test that runs once for each set of RealDataSets(). SetUp() opens the set, or skips the test if the set is missing.
class RealDataTest : public ::testing::TestWithParam<size_t> {
 protected:
  void SetUp() override;

  const RealDataSet& set() const { return RealDataSets()[GetParam()]; }
  const plan::MessagePlan& plan() const { return *set().plan; }
  // The messages' type, in libprotobuf's terms.
  OracleSchema& schema() { return *schema_; }
  const google::protobuf::Descriptor* type() const { return type_; }
  // All messages of the set, at least one.
  const std::vector<std::string_view>& messages() const { return messages_; }

 private:
  std::unique_ptr<OracleSchema> schema_;
  const google::protobuf::Descriptor* type_ = nullptr;
  std::string bytes_;
  std::vector<std::string_view> messages_;
};

// For INSTANTIATE_TEST_SUITE_P(Sets, MyTest, EachRealDataSet(), NameOfRealDataSet).
inline auto EachRealDataSet() { return ::testing::Range(size_t{0}, RealDataSets().size()); }
std::string NameOfRealDataSet(const ::testing::TestParamInfo<size_t>& info);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_REAL_DATA_REAL_DATA_H_
