// Reports fields whose type has changed.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_CHANGED_FIELDS_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_CHANGED_FIELDS_H_

#include <vector>

#include "structtensor/scan/scan.h"

namespace structtensor::converter_internal {

// Writes a line to standard error for each field. Nobody would look for them otherwise: their messages are not broken, and a
// column of nulls may be right.
void TellChangedFields(const std::vector<ChangedField>& fields);

}  // namespace structtensor::converter_internal

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_CHANGED_FIELDS_H_
