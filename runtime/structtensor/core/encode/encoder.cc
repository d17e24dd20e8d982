#include "structtensor/core/encode/encoder.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/column/abi/column.h"
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/encode/abi/node.h"
#include "structtensor/core/encode/shared/node_builder.h"
#include "structtensor/core/encode/shared/output.h"

namespace structtensor {
namespace encode_internal {

using column_internal::Block;
using column_internal::ColumnAt;
using column_internal::ColumnBuffer;
using column_internal::ColumnStorage;
using column_internal::ColumnTree;
using column_internal::ForEachActive;
using column_internal::kUnknownFields;

// Makes EncodeNodes for the nodes of a tree, and bounds the bytes that the tree can take.
class Preparation {
 public:
  EncodeNode* Run(const ColumnTree& tree, bool unknown_fields) {
    builder_.Reset();
    tree_ = &tree;
    unknown_fields_ = unknown_fields;
    return MakeNode(tree.root());
  }

  size_t bound_bytes() const { return builder_.bound_bytes(); }

  // Keeps the plan of the encoder as long as this lives.
  void KeepAlive(std::shared_ptr<const plan::MessagePlan> plan) { kept_plan_ = std::move(plan); }

 private:
  EncodeNode* MakeNode(const column_internal::TreeNode* from) {
    const plan::MessagePlan& plan = *from->plan;
    const uint32_t nrows = *from->nrows;
    EncodeNode* const node = builder_.NewNode(plan);
    if (plan.presence_words) node->presence = from->presence;
    if (unknown_fields_ && from->unknown_fields.size != 0) SetUnknownFields(from->unknown_fields, node->unknown_fields);
    ListPresent(from, node);
    uint64_t values = 0;
    for (uint64_t i = 0; i < node->present_size; ++i) {
      const plan::FieldPlan& field = plan.fields[node->present[i]];
      const ColumnBuffer& column = ColumnAt(from, field);
      if (field.presence_bit >= 0) {
        node->presence_mask |= uint64_t{1} << field.presence_bit;
        SetColumnOfWords(field, column, nrows, At(node, field.column_offset));
      } else {
        SetColumn(field, column, nrows, At(node, field.column_offset));
        values += field.is_repeated() ? std::min(column.size, nrows) : column.size;
      }
    }
    builder_.Complete(node, nrows, values);
    return node;
  }

  // Oneof cases have no number. Nor do fields that are not of the message type itself (core/decode/internal/projection.h).
  static bool HasData(const plan::FieldPlan& field, const ColumnBuffer& column) {
    return column.size != 0 && !field.skipped && field.number != 0;
  }

  void ListPresent(const column_internal::TreeNode* from, EncodeNode* node) {
    const std::span<const plan::FieldPlan> fields = from->plan->fields;
    uint32_t* const present = builder_.Allocate<uint32_t>(fields.size());
    size_t size = 0;
    // Going through all fields reads memory in its order and needs no sorting. But if a small batch lacks most of many fields,
    // going through these costs more.
    if (fields.size() <= 64 || fields.size() / 16 <= *from->nrows) {
      for (size_t i = 0; i < fields.size(); ++i) {
        present[size] = static_cast<uint32_t>(i);
        size += HasData(fields[i], ColumnAt(from, fields[i]));
      }
    } else {
      ForEachActive(from, [&](const plan::FieldPlan& field, const ColumnBuffer& column) {
        if (&field != &kUnknownFields && HasData(field, column))
          present[size++] = static_cast<uint32_t>(&field - fields.data());
      });
      std::sort(present, present + size);
    }
    node->present = present;
    node->present_size = size;
  }

  void SetUnknownFields(const ColumnBuffer& from, EncodeColumn& to) {
    builder_.SetUnknownFields(static_cast<const int32_t*>(from.storage->dense_offsets.data),
                              static_cast<const char*>(from.storage->bytes.data),
                              static_cast<size_t>(static_cast<const int32_t*>(from.storage->offsets.data)[from.size]), to);
  }

  static bool IsText(const plan::FieldPlan& field, const ColumnBuffer& column) {
    return field.element == plan::Element::kString || field.element == plan::Element::kBytes || ColumnTree::IsOpaque(column);
  }

  // For a singular field of a type with presence words: takes its value at each row.
  void SetColumnOfWords(const plan::FieldPlan& field, const ColumnBuffer& from, uint32_t nrows, EncodeColumn& to) {
    const ColumnStorage& storage = *from.storage;
    if (IsText(field, from)) {
      if (plan::IsOpaque(storage.layout)) tree_->Expand(field, from, nrows);
      const Block& offsets = storage.all_present ? storage.offsets : storage.dense_offsets;
      SetText(field, from, static_cast<const int32_t*>(offsets.data), nrows, to);
    } else if (field.is_message()) {
      SetChild(field, from, to);
    } else {
      SetValues(field, from, storage.values.data, to);
    }
  }

  // For all other fields: takes the values side by side.
  void SetColumn(const plan::FieldPlan& field, const ColumnBuffer& from, uint32_t nrows, EncodeColumn& to) {
    to = {};
    to.left = from.size;
    if (field.is_repeated()) {
      to.row_splits = from.row_splits;
      if (field.packed) builder_.CountRuns(field, std::min(nrows, from.size));
    } else if (from.size == nrows) {
      to.next_row = nrows;
    } else {
      to.rows = from.rows;
      to.next_row = from.rows[from.size - 1] + 1;
    }
    if (IsText(field, from)) {
      SetText(field, from, static_cast<const int32_t*>(from.storage->offsets.data), from.size, to);
    } else if (field.is_message()) {
      SetChild(field, from, to);
    } else {
      SetValues(field, from, from.values, to);
    }
  }

  void SetText(const plan::FieldPlan& field, const ColumnBuffer& from, const int32_t* offsets, uint32_t size,
               EncodeColumn& to) {
    builder_.SetText(field, offsets, static_cast<const char*>(from.storage->bytes.data), from.size,
                     static_cast<size_t>(offsets[size]), to);
  }

  void SetChild(const plan::FieldPlan& field, const ColumnBuffer& from, EncodeColumn& to) {
    builder_.SetChild(field, MakeNode(from.child), from.size, to);
  }

  void SetValues(const plan::FieldPlan& field, const ColumnBuffer& from, const void* values, EncodeColumn& to) {
    builder_.SetValues(field, values, from.size, to);
  }

  NodeBuilder builder_;
  const ColumnTree* tree_ = nullptr;
  bool unknown_fields_ = true;
  std::shared_ptr<const plan::MessagePlan> kept_plan_;
};

}  // namespace encode_internal

EncodedBatch::EncodedBatch(encode_internal::OutputRef output)
    : output_(std::move(output)),
      source_{.bytes = (*output_).bytes, .offsets = (*output_).offsets.data()},
      size_((*output_).offsets.size() - 1) {}

namespace {

std::string NoEncoder(const plan::MessagePlan& plan) {
  return absl::StrCat("the code for ", ToAbsl(plan.full_name), " has no encoder: generate it again by this version's plugin");
}

}  // namespace

BatchEncoder::BatchEncoder(const plan::MessagePlan& plan, EncodeOptions options)
    : plan_(&plan),
      options_(options),
      preparation_(std::make_unique<encode_internal::Preparation>()),
      pool_(std::make_shared<encode_internal::OutputPool>()) {}
BatchEncoder::BatchEncoder(const plan::MessagePlan& plan) : BatchEncoder(plan, EncodeOptions()) {}

absl::StatusOr<BatchEncoder> BatchEncoder::Create(const plan::MessagePlan& plan, EncodeOptions options) {
  if (plan.encode == nullptr) {
    return absl::FailedPreconditionError(NoEncoder(plan));
  }
  return BatchEncoder(plan, options);
}

absl::StatusOr<BatchEncoder> BatchEncoder::Create(std::shared_ptr<const plan::MessagePlan> plan, EncodeOptions options) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(BatchEncoder encoder, Create(*plan, options));
  encoder.preparation_->KeepAlive(std::move(plan));
  return encoder;
}

BatchEncoder::~BatchEncoder() = default;
BatchEncoder::BatchEncoder(BatchEncoder&&) noexcept = default;
BatchEncoder& BatchEncoder::operator=(BatchEncoder&&) noexcept = default;

absl::Status BatchEncoder::CheckPlan(const plan::MessagePlan& plan) const {
  if (plan_->encode == nullptr) {
    return absl::FailedPreconditionError(NoEncoder(*plan_));
  }
  if (&plan == plan_) return absl::OkStatus();
  // A batch that was decoded with only some fields has a copy of the plan, with the functions of the type. All plans of the
  // engine have the same function.
  if (plan.encode != plan_->encode || plan.full_name != plan_->full_name) {
    return absl::InvalidArgumentError(
        absl::StrCat("the encoder is for ", ToAbsl(plan_->full_name), ", the batch has ", ToAbsl(plan.full_name), " messages"));
  }
  if (const plan::FieldPlan* map = plan::FindMapByKey(plan)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the batch was decoded with DecodeOptions::fields that choose keys of the map ", ToAbsl(map->name),
                     ", and values of chosen keys cannot be encoded; choose the whole map instead"));
  }
  return absl::OkStatus();
}

absl::StatusOr<EncodedBatch> BatchEncoder::Encode(const column_internal::ColumnTree& tree) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckPlan(tree.plan()));
  tree.CopyStrings();  // copies the strings that were left in the input
  encode_internal::EncodeNode* const root = preparation_->Run(tree, options_.unknown_fields);
  return encode_internal::EncodeRows(pool_, *plan_, root, tree.nrows(), preparation_->bound_bytes(), options_.sort_map_keys);
}

}  // namespace structtensor
