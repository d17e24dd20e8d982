// What a decode function carries along besides its position: the tree, and the error that stopped it.
#ifndef STRUCTTENSOR_CORE_DECODE_ABI_CONTEXT_H_
#define STRUCTTENSOR_CORE_DECODE_ABI_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/wire/abi/decode_error.h"

#pragma GCC visibility push(default)

namespace structtensor::decode_internal {

using column_internal::ColumnBuffer;
using column_internal::ColumnTree;
using column_internal::StringRef;
using column_internal::TreeNode;
using wire_internal::DecodeError;

// The sizes that a kFixedSize error reports.
struct ValueSizes {
  size_t found_bytes = 0;
  uint32_t expected_bytes = 0;
};

// A known field with values of another wire type than the declared one. Such values are unknown fields.
struct OtherWireType {
  const TreeNode* node;
  const plan::FieldPlan* field;
  uint32_t wire_type;
  int64_t count;
  size_t first_message;  // index in the batch
};

// Values in messages of one type that were dropped because the schema does not know them.
struct UnknownOfType {
  const plan::MessagePlan* type;
  // The first one: an unknown field with this number, or, if `enum_field` is not null, a number that its closed enum lacks.
  const TreeNode* first_node;
  const plan::FieldPlan* enum_field;
  uint32_t first_number;
  size_t first_message;  // index in the batch
  int64_t fields = 0;
  int64_t enum_numbers = 0;
  // The message that added to the counts last, and the counts before it: a broken message is taken back.
  size_t last_message;
  int64_t fields_before = 0;
  int64_t enum_numbers_before = 0;
};

struct DecodeContext : plan::DecodeState {
  ColumnTree* tree = nullptr;
  const uint8_t* error_position = nullptr;
  DecodeError error = DecodeError::kNone;
  ValueSizes sizes = {};
  uint32_t end_group_tag = 0;   // the tag that ended the group which was decoded last
  bool drop_map_entry = false;  // the value of the current map entry is unknown to its closed enum
  bool keep_unknown_fields = false;
  size_t message_index = 0;  // of the message that is decoded now
  std::vector<OtherWireType> other_wire_types = {};
  std::vector<UnknownOfType> unknown_of_types = {};  // the type that came last is at the end
};

// The arguments of generated functions, with their real types.
inline TreeNode* NodeOf(plan::DecodeTarget* target) { return static_cast<TreeNode*>(target); }
inline DecodeContext* ContextOf(plan::DecodeState* state) { return static_cast<DecodeContext*>(state); }

// Records the error and returns null, which every decode function returns to its caller.
[[gnu::cold, gnu::noinline]] const uint8_t* Fail(DecodeContext* context, DecodeError error, const uint8_t* position);

}  // namespace structtensor::decode_internal

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_CORE_DECODE_ABI_CONTEXT_H_
