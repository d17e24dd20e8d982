// The runtime's side of a decoder library: defines the functions that its decode functions call out of line, as calls through
// the table that the library was opened with (runtime_functions.h). Only the one source of each library includes this.
#ifndef STRUCTTENSOR_DECODE_INTERNAL_RUNTIME_IMPORTS_H_
#define STRUCTTENSOR_DECODE_INTERNAL_RUNTIME_IMPORTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "structtensor/decode/internal/runtime_functions.h"

#pragma GCC visibility push(default)

namespace structtensor {

namespace decode_internal {

// Written once, before the first decode function is called.
static const RuntimeFunctions* g_runtime = nullptr;

bool EnterRow(TreeNode* node, uint32_t row, DecodeContext* context) { return g_runtime->EnterRow(node, row, context); }
bool GrowRows(DecodeContext* context, TreeNode* node, uint32_t field, uint32_t row) {
  return g_runtime->GrowRows(context, node, field, row);
}
bool GrowSingular(DecodeContext* context, TreeNode* node, uint32_t field) {
  return g_runtime->GrowSingular(context, node, field);
}
bool GrowRepeated(DecodeContext* context, TreeNode* node, uint32_t field, size_t additional) {
  return g_runtime->GrowRepeated(context, node, field, additional);
}
bool StartRow(DecodeContext* context, TreeNode* node, uint32_t field, uint32_t row) {
  return g_runtime->StartRow(context, node, field, row);
}
const uint8_t* IfNoError(const uint8_t* next, DecodeContext* context) { return g_runtime->IfNoError(next, context); }
const uint8_t* NotStarted(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, TreeNode* node, uint32_t field,
                          uint32_t row, uint32_t nesting, DecodeContext* context) {
  return g_runtime->NotStarted(p, end, column, node, field, row, nesting, context);
}
uint64_t ClearMembers(TreeNode* node, uint32_t row, uint64_t members, uint64_t present, DecodeContext* context) {
  return g_runtime->ClearMembers(node, row, members, present, context);
}
void ClearOneof(DecodeContext* context, TreeNode* node, uint32_t case_field, uint32_t row) {
  g_runtime->ClearOneof(context, node, case_field, row);
}
const uint8_t* StartMessage(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t field, uint32_t row, bool* ok,
                            DecodeContext* context) {
  return g_runtime->StartMessage(p, end, node, field, row, ok, context);
}
const uint8_t* StartElement(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t field, uint32_t row, bool* ok,
                            DecodeContext* context) {
  return g_runtime->StartElement(p, end, node, field, row, ok, context);
}
bool KeepKnownEnums(const uint8_t* p, const uint8_t* end, ColumnBuffer& column, uint32_t first, TreeNode* node, uint32_t field,
                    uint32_t row, DecodeContext* context) {
  return g_runtime->KeepKnownEnums(p, end, column, first, node, field, row, context);
}
bool KeepUnknownEnum(const uint8_t* p, const uint8_t* next, TreeNode* node, uint32_t field, uint32_t row,
                     DecodeContext* context) {
  return g_runtime->KeepUnknownEnum(p, next, node, field, row, context);
}
bool KeepMapEntry(const uint8_t* begin, const uint8_t* end, ColumnBuffer& column, TreeNode* node, uint32_t field, uint32_t row,
                  DecodeContext* context) {
  return g_runtime->KeepMapEntry(begin, end, column, node, field, row, context);
}
OtherField ReadOtherField(const uint8_t* p, const uint8_t* end, plan::DecodeFunction decode, TreeNode* node, uint32_t row,
                          uint32_t nesting, DecodeContext* context) {
  return g_runtime->ReadOtherField(p, end, decode, node, row, nesting, context);
}
uint32_t LongTag(const uint8_t* p) { return g_runtime->LongTag(p); }
const uint8_t* MessageSetItem(const uint8_t* p, const uint8_t* end, TreeNode* node, uint32_t row, uint32_t nesting,
                              DecodeContext* context) {
  return g_runtime->MessageSetItem(p, end, node, row, nesting, context);
}
const uint8_t* ReadScalars(const uint8_t* p, const uint8_t* end, std::span<const ScalarField> table, TreeNode* node,
                           uint32_t row, DecodeContext* context) {
  return g_runtime->ReadScalars(p, end, table, node, row, context);
}
const uint8_t* FailAtEnd(const uint8_t* p, const uint8_t* end, DecodeContext* context) {
  return g_runtime->FailAtEnd(p, end, context);
}
const uint8_t* Fail(DecodeContext* context, DecodeError error, const uint8_t* position) {
  return g_runtime->Fail(context, error, position);
}

}  // namespace decode_internal

namespace wire_internal {

Length ReadLongLength(const uint8_t* p) { return decode_internal::g_runtime->ReadLongLength(p); }
bool IsUtf8Slow(const uint8_t* p, size_t size_bytes) { return decode_internal::g_runtime->IsUtf8Slow(p, size_bytes); }

namespace kernels {

std::atomic<ReadLongVarintFunction> g_read_long_varint{nullptr};
constinit std::atomic<const PackedFunctions*> g_packed_functions{nullptr};

}  // namespace kernels
}  // namespace wire_internal

bool plan::EnumPlan::Has(int32_t number) const { return decode_internal::g_runtime->HasEnumNumber(*this, number); }

namespace decode_internal {

// Makes the decode functions of this library call the functions of `runtime`.
inline void ImportRuntime(const RuntimeFunctions* runtime) {
  g_runtime = runtime;
  wire_internal::kernels::g_read_long_varint.store(runtime->ReadLongVarint, std::memory_order_relaxed);
  wire_internal::kernels::g_packed_functions.store(runtime->packed, std::memory_order_relaxed);
}

}  // namespace decode_internal
}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_DECODE_INTERNAL_RUNTIME_IMPORTS_H_
