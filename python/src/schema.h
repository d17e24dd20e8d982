// Schemas, with the message type that is used if no message type is named.
#ifndef STRUCTTENSOR_PYTHON_SCHEMA_H_
#define STRUCTTENSOR_PYTHON_SCHEMA_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "structtensor/app/schema/schema.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::python {

struct BoundSchema {
  Schema schema;
  std::string message = "";    // full name; empty if there is no default
  std::string optionals = "";  // the form of optional fields that decoders have by default; empty if the schema does not say

  // The full name of the message type that `name` (a text or None) means. None means `message`, or the only message type that
  // is not a field of another type. Throws KeyError or ValueError.
  std::string NameOf(nanobind::handle name) const;
  std::shared_ptr<const plan::MessagePlan> PlanOf(nanobind::handle name) const;
};

// Throws TypeError for anything but a Schema.
const BoundSchema& SchemaOf(nanobind::handle schema);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_SCHEMA_H_
