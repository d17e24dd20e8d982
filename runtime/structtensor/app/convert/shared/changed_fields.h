// Reports values that the schema does not know: of fields whose type has changed, of unknown fields, and of closed enums.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_CHANGED_FIELDS_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_CHANGED_FIELDS_H_

#include <vector>

#include "structtensor/app/scan/scan.h"

namespace structtensor::convert_internal {

// Writes a line to standard error for each field. They would go unnoticed otherwise: their messages are not broken, and a
// column of nulls may be right.
void ReportChangedFields(const std::vector<ChangedField>& fields);

// Writes to standard error how many values were dropped, in which message types, and where the first one is.
void ReportDroppedValues(const std::vector<DroppedValues>& values);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_CHANGED_FIELDS_H_
