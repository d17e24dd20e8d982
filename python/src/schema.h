// Schemas with the message type that is meant where none is named.
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

// Decoders that were compiled for a schema, and what is known of them.
struct CompiledDecoders {
  std::shared_ptr<const DecoderLibrary> library;
  std::string key;                                              // of the library in the cache
  std::string folder;                                           // the cache
  std::map<std::string, std::shared_ptr<DecoderCheck>> checks;  // by full names of message types that were decoded
};

// A plan, and what its decode functions are compared with: null where the engine's serve.
struct CheckedPlan {
  std::shared_ptr<const plan::MessagePlan> plan;
  std::shared_ptr<DecoderCheck> check;
};

struct BoundSchema {
  Schema schema;
  std::string message;                                   // full name, or "" if none is meant
  std::shared_ptr<CompiledDecoders> compiled = nullptr;  // null: none; used with the interpreter's lock held

  // The full name of the message type that `name` (a text or None) means: None is the one that is meant, or the only one that
  // is no field of another. Throws KeyError or ValueError.
  std::string NameOf(nanobind::handle name) const;
  // The engine's plan.
  std::shared_ptr<const plan::MessagePlan> PlanOf(nanobind::handle name) const;
  // The plan to decode with: with compiled decode functions, if there are any and they were not found to be wrong.
  CheckedPlan DecoderPlanOf(nanobind::handle name) const;
  // Whether DecoderPlanOf() has compiled functions for the message type of that full name.
  bool IsCompiled(const std::string& full_name) const;
};

// Tells the user, once, that compiled decoders differ from the engine, if they do. Null is ignored. Throws if warnings are
// errors.
void WarnOfDifference(DecoderCheck* check);

// Throws TypeError for anything but a Schema.
const BoundSchema& SchemaOf(nanobind::handle schema);

}  // namespace structtensor::python

#endif  // STRUCTTENSOR_PYTHON_SCHEMA_H_
