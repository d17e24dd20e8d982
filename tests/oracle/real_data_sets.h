// The data sets that the differential test knows, and the decoder of each.
#ifndef STRUCTTENSOR_TESTS_ORACLE_REAL_DATA_SETS_H_
#define STRUCTTENSOR_TESTS_ORACLE_REAL_DATA_SETS_H_

#include <string>
#include <vector>

#include "structtensor/plan/plan.h"

namespace structtensor::testing {

struct RealDataSet {
  std::string folder;             // below STRUCTTENSOR_DATA, or absolute; descriptor_set.pb lies in it
  std::string file;               // varint-delimited messages in it
  const plan::MessagePlan* plan;  // null if the set's schema was not there when the test was built
};

const std::vector<RealDataSet>& RealDataSets();

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_REAL_DATA_SETS_H_
