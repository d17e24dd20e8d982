// How the fields of a message type are read and written, as plain data: a step for each form that a field may have on the wire.
//
// The schema compiler prints the steps as code, and the engine loads them into its tables. Neither decides anything about a
// field. They differ in which tags they look for first.
#ifndef STRUCTTENSOR_CORE_PLAN_STEPS_H_
#define STRUCTTENSOR_CORE_PLAN_STEPS_H_

#include <cstdint>
#include <vector>

#include "structtensor/core/plan/kinds.h"
#include "structtensor/core/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor::plan {

// How one value is read.
enum class Reads : uint8_t {
  kVarint,
  kFixed,  // four or eight bytes
  kText,   // strings and bytes
  kClosedEnum,
  kMessage,  // also the entries of maps
  kGroup,
  kClosedEnumMap,  // the entries of a map whose values are of a closed enum
};

enum class ReadForm : uint8_t {
  kSingular,
  kRepeated,     // one element
  kPacked,       // a run of elements
  kOneofMember,  // like kSingular, after the other members are cleared
  kMapValue,     // the value of a map entry, if it is of a closed enum
};

// What a string or bytes value must be.
enum class TextCheck : uint8_t {
  kBytes,      // anything
  kUtf8,       // valid UTF-8
  kFixedSize,  // as long as the field's annotation says
};

struct ReadStep {
  uint32_t field = 0;  // index in MessagePlan::fields
  uint32_t tag = 0;
  Kind kind = Kind::kInt32;
  Reads reads = Reads::kVarint;
  ReadForm form = ReadForm::kSingular;
  TextCheck check = TextCheck::kBytes;
  uint64_t other_members = 0;  // of a oneof's member, if the type has presence words: the presence bits of the others

  uint32_t number() const { return tag >> 3; }
  WireType wire_type() const { return static_cast<WireType>(tag & 7); }
  bool of_oneof() const { return form == ReadForm::kOneofMember; }
};

// The steps by field number. A repeated scalar is read in both forms, packed or not: the form that the schema declares comes
// first, and writers are expected to use it. An extension of a MessageSet whose number is too large for a tag has no step.
// Requires: maps have the plans of their entries.
std::vector<ReadStep> ReadSteps(const MessagePlan& message);

// How one value is written.
enum class Writes : uint8_t {
  kVarint,
  kFixed,
  kText,
  kMessage,
  kGroup,
  kMap,
  kMessageSetItem,  // an extension of a MessageSet
};

enum class WriteForm : uint8_t {
  kSingular,
  kNonZero,   // singular, and left out if it is 0 or empty
  kRepeated,  // one after the other
  kPacked,    // as one run
  kEntry,     // key or value of a map entry: always written
};

struct WriteStep {
  uint32_t field = 0;  // index in MessagePlan::fields
  uint32_t tag = 0;    // of a MessageSet's item: its number
  Kind kind = Kind::kInt32;
  Writes writes = Writes::kVarint;
  WriteForm form = WriteForm::kSingular;
  bool taken = false;         // a singular field of a type without presence words: its values are taken one after the other
  int32_t presence_bit = -1;  // the bit that says whether the field is present; -1 if none is asked

  uint32_t number() const { return writes == Writes::kMessageSetItem ? tag : tag >> 3; }
  bool is_singular() const { return taken || presence_bit >= 0; }
};

// The steps of all fields, by field number.
std::vector<WriteStep> WriteSteps(const MessagePlan& message);

}  // namespace structtensor::plan

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_PLAN_STEPS_H_
