// Schemas, with the message type that is used if no message type is named.
#ifndef STRUCTTENSOR_PYTHON_SCHEMA_H_
#define STRUCTTENSOR_PYTHON_SCHEMA_H_

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "structtensor/decode/decoder_check.h"
#include "structtensor/decode/decoder_library.h"
#include "structtensor/plan/plan.h"
#include "structtensor/schema/schema.h"

namespace structtensor::python {

// Decoders that were compiled for a schema, and what is known about them.
struct CompiledDecoders {
  std::shared_ptr<const DecoderLibrary> library;
  std::string key;                                              // of the library in the cache
  std::string folder;                                           // the cache
  std::map<std::string, std::shared_ptr<DecoderCheck>> checks;  // by full names of message types that were decoded
};

// A plan, and the check that compares its decode functions with the engine: null if the engine decodes.
struct CheckedPlan {
  std::shared_ptr<const plan::MessagePlan> plan;
  std::shared_ptr<DecoderCheck> check;
};

struct BoundSchema {
  Schema schema;
  std::string message;                                   // full name, or "" if there is no default
  std::shared_ptr<CompiledDecoders> compiled = nullptr;  // null: none; used with the interpreter's lock held

  // The full name of the message type that `name` (a text or None) means. None means `message`, or the only message type that
  // is not a field of another type. Throws KeyError or ValueError.
  std::string NameOf(nanobind::handle name) const;
  // The engine's plan.
  std::shared_ptr<const plan::MessagePlan> PlanOf(nanobind::handle name) const;
  // The plan to decode with: with compiled decode functions, if there are any and they were not found to be wrong.
  CheckedPlan DecoderPlanOf(nanobind::handle name) const;
  // Whether DecoderPlanOf() has compiled functions for the message type with this full name.
  bool IsCompiled(const std::string& full_name) const;
};

// Warns the user, once, if compiled decoders differ from the engine. Null is ignored. Throws if warnings are errors.
void WarnOfDifference(DecoderCheck* check);

// Throws TypeError for anything but a Schema.
const BoundSchema& SchemaOf(nanobind::handle schema);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_SCHEMA_H_
