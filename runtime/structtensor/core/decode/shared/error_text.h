// The text of decode errors, made once per failed message.
#ifndef STRUCTTENSOR_CORE_DECODE_SHARED_ERROR_TEXT_H_
#define STRUCTTENSOR_CORE_DECODE_SHARED_ERROR_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "structtensor/core/decode/abi/context.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::decode_internal {

// The path of the field that byte `byte_offset` of `message` belongs to, "" for the message itself. The decode loop keeps no
// path, so this walks the message again. A field that the plan does not know is written as its number. "…" replaces the
// middle of a path of more than 512 bytes.
std::string FieldPathAt(const plan::MessagePlan& plan, std::string_view message, size_t byte_offset);

// "a.b.c" for a field of the node at some path.
std::string FieldPathOf(const TreeNode* node, const plan::FieldPlan& field);
// The same, into a string that is empty.
void AppendFieldPath(const TreeNode* node, const plan::FieldPlan& field, std::string& path);

// "a.b.17" for the unknown field 17 of the messages of the node at the path "a.b", into a string that is empty.
void AppendUnknownFieldPath(const TreeNode* node, uint32_t number, std::string& path);

// Which limit a decode function has hit that reports kMemoryLimit: kPathLimit if the tree has a refused_path(). Returns other
// errors unchanged.
DecodeError MemoryOrPathLimit(DecodeError error, const ColumnTree& tree);

// Whether the limit is one for all messages of a batch together, so that the message that hits it need not be at fault.
bool IsLimitOfBatch(DecodeError error);

// The code of the error, "invalid_utf8".
std::string_view CodeOf(DecodeError error);

// "nested deeper than `max_depth=100`": the limit that was hit, with its value. "" if the error is not a limit.
std::string LimitText(DecodeError error, const DecodeOptions& options);

// What is wrong with a message and what to do about it, without the position.
std::string ErrorText(DecodeError error, const DecodeOptions& options, const ValueSizes& sizes);

}  // namespace structtensor::decode_internal

#endif  // STRUCTTENSOR_CORE_DECODE_SHARED_ERROR_TEXT_H_
