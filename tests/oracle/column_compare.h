// The walk of the oracle: one node of expected rows against one node of columns.
#ifndef STRUCTTENSOR_TESTS_ORACLE_COLUMN_COMPARE_H_
#define STRUCTTENSOR_TESTS_ORACLE_COLUMN_COMPARE_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <vector>

#include "oracle.h"
#include "structtensor/core/column/column_view.h"

namespace structtensor::testing {

// A row of a node as libprotobuf has it.
struct ExpectedRow {
  const google::protobuf::Message* message;  // null where a singular message is absent
  int64_t message_index;                     // of the row of the batch that it belongs to
};

// Returns "" if `node` and all below it hold `rows`, else where they first differ. `type` may be
// null if there are no rows.
std::string CompareNode(OracleSchema& schema, const google::protobuf::Descriptor* type, const std::vector<ExpectedRow>& rows,
                        const NodeView& node, const std::string& path);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_COLUMN_COMPARE_H_
