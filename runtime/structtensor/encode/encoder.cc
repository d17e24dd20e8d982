#include "structtensor/encode/encoder.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/base/internal/status.h"
#include "structtensor/base/internal/strings.h"
#include "structtensor/column/internal/column.h"
#include "structtensor/column/internal/tree.h"
#include "structtensor/encode/internal/node.h"
#include "structtensor/encode/internal/row_values.h"
#include "structtensor/encode/internal/varint.h"
#include "structtensor/wire/internal/varint.h"

namespace structtensor {
namespace encode_internal {

using column_internal::Block;
using column_internal::ColumnAt;
using column_internal::ColumnBuffer;
using column_internal::ColumnStorage;
using column_internal::ColumnTree;
using column_internal::ForEachListed;
using column_internal::kUnknownFields;

// Memory for one batch of messages, which end where it ends.
struct Output {
  ~Output() { std::free(bytes); }

  // Fresh memory costs nothing until it is written to, so a generous bound on the size does no harm.
  bool Reserve(size_t size_bytes) {
    if (size_bytes <= capacity_bytes) return true;
    std::free(bytes);
    bytes = static_cast<char*>(std::malloc(size_bytes));
    capacity_bytes = bytes == nullptr ? 0 : size_bytes;
    return bytes != nullptr;
  }

  char* bytes = nullptr;
  size_t capacity_bytes = 0;
  std::vector<size_t> offsets;
  std::atomic<uint32_t> references{0};
  std::shared_ptr<OutputPool> pool;  // empty while the pool holds it
};

// Outputs that no batch uses. Batches may die in any thread, and after their encoder.
class OutputPool {
 public:
  static OutputRef Take(const std::shared_ptr<OutputPool>& pool) {
    std::unique_ptr<Output> output = pool->TakeFree();
    if (output == nullptr) output = std::make_unique<Output>();
    output->references.store(1, std::memory_order_relaxed);
    output->pool = pool;
    return OutputRef(output.release());
  }

  void Give(std::unique_ptr<Output> output) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(output));
  }

 private:
  std::unique_ptr<Output> TakeFree() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<Output> output = std::move(free_.back());
    free_.pop_back();
    return output;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Output>> free_;
};

OutputRef::OutputRef(const OutputRef& other) : output_(other.output_) {
  if (output_ != nullptr) output_->references.fetch_add(1, std::memory_order_relaxed);
}

OutputRef::~OutputRef() {
  if (output_ == nullptr || output_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::shared_ptr<OutputPool> pool = std::move(output_->pool);
  pool->Give(std::unique_ptr<Output>(output_));
}

namespace {

// Longest encodings.
constexpr size_t kLengthBytes = 5;
constexpr size_t kVarintBytes = 10;
// Tag, number and tags of a MessageSet's item.
constexpr size_t kItemBytes = 16;

// The most bytes that one value takes, without tag. Looking for the longest varint among the values instead would keep the
// bound closer and cost a tenth of encoding them (pprof).
size_t LongestValueBytes(plan::Kind kind) {
  switch (kind) {
    case plan::Kind::kDouble:
    case plan::Kind::kFixed64:
    case plan::Kind::kSfixed64:
      return 8;
    case plan::Kind::kFloat:
    case plan::Kind::kFixed32:
    case plan::Kind::kSfixed32:
      return 4;
    case plan::Kind::kBool:
      return 1;
    case plan::Kind::kUint32:
    case plan::Kind::kSint32:
      return 5;
    case plan::Kind::kInt32:  // negative numbers are written as 64 bits
    case plan::Kind::kEnum:
    case plan::Kind::kInt64:
    case plan::Kind::kUint64:
    case plan::Kind::kSint64:
      return kVarintBytes;
    case plan::Kind::kString:
    case plan::Kind::kBytes:
    case plan::Kind::kGroup:
    case plan::Kind::kMessage:
      return kLengthBytes;
  }
  return kVarintBytes;
}

}  // namespace

// Makes encode::Nodes for the nodes of a tree, and bounds the bytes that the tree can take.
class Preparation {
 public:
  encode_internal::EncodeNode* Run(const ColumnTree& tree, bool unknown_fields) {
    ForgetAll();
    bound_bytes_ = 0;
    tree_ = &tree;
    unknown_fields_ = unknown_fields;
    return MakeNode(tree.root());
  }

  size_t bound_bytes() const { return bound_bytes_; }

 private:
  struct Chunk {
    std::unique_ptr<uint64_t[]> memory;
    size_t size_bytes;
  };

  // Memory until the next Run.
  void* Allocate(size_t size_bytes) {
    constexpr size_t kChunkBytes = 1 << 16;
    size_bytes = (size_bytes + 7) / 8 * 8;
    if (chunks_.empty() || chunks_.back().size_bytes - used_bytes_ < size_bytes) {
      AddChunk(std::max(kChunkBytes, size_bytes));
    }
    void* result = reinterpret_cast<uint8_t*>(chunks_.back().memory.get()) + used_bytes_;
    used_bytes_ += size_bytes;
    return result;
  }

  void AddChunk(size_t size_bytes) {
    chunks_.push_back({std::make_unique_for_overwrite<uint64_t[]>(size_bytes / 8), size_bytes});
    used_bytes_ = 0;
  }

  // What took several chunks gets one that is as large as all of them, so that batches which are alike make do with that.
  void ForgetAll() {
    used_bytes_ = 0;
    if (chunks_.size() < 2) return;
    size_t size_bytes = 0;
    for (const Chunk& chunk : chunks_) size_bytes += chunk.size_bytes;
    chunks_.clear();
    AddChunk(size_bytes);
  }

  encode_internal::EncodeNode* MakeNode(const column_internal::TreeNode* from) {
    const plan::MessagePlan& plan = *from->plan;
    const uint32_t nrows = *from->nrows;
    const bool may_list_values = encode_internal::MayListValues(plan);
    encode_internal::EncodeNode* const node = static_cast<encode_internal::EncodeNode*>(Allocate(plan.node_size_bytes));
    // The columns of the fields that are not present are not looked at where these are listed.
    std::memset(static_cast<void*>(node), 0, may_list_values ? sizeof(encode_internal::EncodeNode) : plan.node_size_bytes);
    node->plan = &plan;
    if (plan.presence_words) node->presence = from->presence;
    if (unknown_fields_ && from->unknown_fields.size != 0) SetUnknownFields(from->unknown_fields, node->unknown_fields);
    ListPresent(from, node);
    uint64_t values = 0;
    for (uint64_t i = 0; i < node->present_size; ++i) {
      const plan::FieldPlan& field = plan.fields[node->present[i]];
      const ColumnBuffer& column = ColumnAt(from, field);
      if (field.presence_bit >= 0) {
        node->presence_mask |= uint64_t{1} << field.presence_bit;
        SetColumnOfWords(field, column, nrows, encode_internal::At(node, field.column_offset));
      } else {
        SetColumn(field, column, nrows, encode_internal::At(node, field.column_offset));
        values += field.is_repeated() ? std::min(column.size, nrows) : column.size;
      }
    }
    // A list costs several times as much for each value as looking whether a row has a field.
    if (may_list_values && values < node->present_size * nrows / 4 && values <= 0xfffffffe) {
      void* const memory = Allocate(encode_internal::RowValuesBytes(values));
      ListValues(node, nrows, static_cast<uint32_t>(values), memory,
                 static_cast<uint32_t*>(Allocate(nrows * sizeof(uint32_t))));
    }
    // A map entry's default key and value are written, too.
    if (plan.map_entry) bound_bytes_ += size_t{nrows} * 2 * (kVarintBytes + 1);
    return node;
  }

  // Cases of oneofs and what is not of the message type itself (decode/internal/projection.h) have no number.
  static bool HasData(const plan::FieldPlan& field, const ColumnBuffer& column) {
    return column.size != 0 && !field.skipped && field.number != 0;
  }

  void ListPresent(const column_internal::TreeNode* from, encode_internal::EncodeNode* node) {
    const std::span<const plan::FieldPlan> fields = from->plan->fields;
    uint32_t* const present = static_cast<uint32_t*>(Allocate(fields.size() * sizeof(uint32_t)));
    size_t size = 0;
    // Going through all fields reads memory in its order and needs no sorting; the fields that a small batch does not have must
    // not outweigh it.
    if (fields.size() <= 64 || fields.size() / 16 <= *from->nrows) {
      for (size_t i = 0; i < fields.size(); ++i) {
        present[size] = static_cast<uint32_t>(i);
        size += HasData(fields[i], ColumnAt(from, fields[i]));
      }
    } else {
      ForEachListed(from, [&](const plan::FieldPlan& field, const ColumnBuffer& column) {
        if (&field != &kUnknownFields && HasData(field, column))
          present[size++] = static_cast<uint32_t>(&field - fields.data());
      });
      std::sort(present, present + size);
    }
    node->present = present;
    node->present_size = size;
  }

  void SetUnknownFields(const ColumnBuffer& from, encode_internal::EncodeColumn& to) {
    to.offsets = static_cast<const int32_t*>(from.storage->dense_offsets.data);
    to.bytes = static_cast<const char*>(from.storage->bytes.data);
    bound_bytes_ += static_cast<size_t>(static_cast<const int32_t*>(from.storage->offsets.data)[from.size]);
  }

  static bool IsText(const plan::FieldPlan& field, const ColumnBuffer& column) {
    return field.element == plan::Element::kString || field.element == plan::Element::kBytes || ColumnTree::IsOpaque(column);
  }

  // A singular field of a type with presence words: what it has at each row.
  void SetColumnOfWords(const plan::FieldPlan& field, const ColumnBuffer& from, uint32_t nrows,
                        encode_internal::EncodeColumn& to) {
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

  // Any other one: its values side by side.
  void SetColumn(const plan::FieldPlan& field, const ColumnBuffer& from, uint32_t nrows, encode_internal::EncodeColumn& to) {
    to = {};
    to.left = from.size;
    if (field.is_repeated()) {
      to.row_splits = from.row_splits;
      if (field.packed) bound_bytes_ += std::min(nrows, from.size) * (TagBytes(field) + kLengthBytes);
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
               encode_internal::EncodeColumn& to) {
    to.offsets = offsets;
    to.bytes = static_cast<const char*>(from.storage->bytes.data);
    bound_bytes_ += static_cast<size_t>(offsets[size]) + BoundBytes(field, from.size, kItemBytes + kLengthBytes);
  }

  void SetChild(const plan::FieldPlan& field, const ColumnBuffer& from, encode_internal::EncodeColumn& to) {
    to.child = MakeNode(from.child);
    bound_bytes_ += BoundBytes(field, from.size, kItemBytes + kLengthBytes);
  }

  void SetValues(const plan::FieldPlan& field, const ColumnBuffer& from, const void* values,
                 encode_internal::EncodeColumn& to) {
    to.values = values;
    bound_bytes_ += BoundBytes(field, from.size, LongestValueBytes(field.kind));
  }

  static size_t TagBytes(const plan::FieldPlan& field) {
    return wire_internal::TagSizeBytes(static_cast<uint32_t>(field.number) << 3);
  }
  static size_t BoundBytes(const plan::FieldPlan& field, size_t size, size_t value_bytes) {
    return size * (2 * TagBytes(field) + value_bytes);
  }

  std::vector<Chunk> chunks_;
  size_t used_bytes_ = 0;  // of the last chunk
  size_t bound_bytes_ = 0;
  const ColumnTree* tree_ = nullptr;
  bool unknown_fields_ = true;
};

}  // namespace encode_internal

namespace {

constexpr size_t kMaxMessageBytes = 0x7fffffff;

// A map of which the plan, or one that it reaches, has only the values of chosen keys. Null if there is none.
const plan::FieldPlan* FindMapByKey(const plan::MessagePlan& root) {
  std::vector<const plan::MessagePlan*> reached = {&root};
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const plan::FieldPlan& field : reached[i]->fields) {
      if (field.by_key >= 0) return &field;
      const bool is_new = field.message != nullptr && !field.skipped &&
                          std::find(reached.begin(), reached.end(), field.message) == reached.end();
      if (is_new) reached.push_back(field.message);
    }
  }
  return nullptr;
}

}  // namespace

EncodedBatch::EncodedBatch(encode_internal::OutputRef output)
    : output_(std::move(output)),
      bytes_((*output_).bytes),
      offsets_((*output_).offsets.data()),
      size_((*output_).offsets.size() - 1) {}

BatchEncoder::BatchEncoder(const plan::MessagePlan& plan, EncodeOptions options)
    : plan_(&plan),
      options_(options),
      preparation_(std::make_unique<encode_internal::Preparation>()),
      pool_(std::make_shared<encode_internal::OutputPool>()) {}
BatchEncoder::BatchEncoder(const plan::MessagePlan& plan) : BatchEncoder(plan, EncodeOptions()) {}

absl::StatusOr<BatchEncoder> BatchEncoder::Create(const plan::MessagePlan& plan, EncodeOptions options) {
  if (plan.encode == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("no encoder was generated for ", ToAbsl(plan.full_name)));
  }
  return BatchEncoder(plan, options);
}

BatchEncoder::~BatchEncoder() = default;
BatchEncoder::BatchEncoder(BatchEncoder&&) noexcept = default;
BatchEncoder& BatchEncoder::operator=(BatchEncoder&&) noexcept = default;

absl::Status BatchEncoder::CheckPlan(const plan::MessagePlan& plan) const {
  if (plan_->encode == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat("no encoder was generated for ", ToAbsl(plan_->full_name)));
  }
  if (&plan == plan_) return absl::OkStatus();
  // A batch of some of the fields has a copy of the plan, with the functions of the type.
  if (plan.encode != plan_->encode) {
    return absl::InvalidArgumentError(
        absl::StrCat("the encoder is for ", ToAbsl(plan_->full_name), ", the batch has ", ToAbsl(plan.full_name), " messages"));
  }
  if (const plan::FieldPlan* map = FindMapByKey(plan)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the batch was decoded with DecodeOptions::fields that choose keys of the map ", ToAbsl(map->name),
                     ", and values of chosen keys cannot be encoded; choose the whole map instead"));
  }
  return absl::OkStatus();
}

absl::StatusOr<EncodedBatch> BatchEncoder::Encode(const column_internal::ColumnTree& tree) {
  STRUCTTENSOR_RETURN_IF_ERROR(CheckPlan(tree.plan()));
  tree.CopyStrings();  // those that were left in the input
  encode_internal::EncodeNode* root = preparation_->Run(tree, options_.unknown_fields);
  encode_internal::OutputRef output_ref = encode_internal::OutputPool::Take(pool_);
  encode_internal::Output& output = *output_ref;
  const uint32_t nrows = tree.nrows();
  if (!output.Reserve(preparation_->bound_bytes() + encode_internal::kWritableSlackBytes)) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", preparation_->bound_bytes(), " bytes, which ", nrows,
                                                     " messages may take; encode smaller batches"));
  }
  output.offsets.resize(size_t{nrows} + 1);
  encode_internal::EncodeContext context;
  context.sort_map_keys = options_.sort_map_keys;
  uint8_t* const begin = reinterpret_cast<uint8_t*>(output.bytes);
  uint8_t* p = begin + output.capacity_bytes;
  output.offsets[nrows] = output.capacity_bytes;
  for (uint32_t row = nrows; row-- > 0;) {
    p = plan_->encode(p, root, row, &context);
    output.offsets[row] = static_cast<size_t>(p - begin);
    const size_t message_bytes = output.offsets[row + 1] - output.offsets[row];
    if (message_bytes > kMaxMessageBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("row ", row, " makes a message of ", message_bytes, " bytes; protobuf allows ", kMaxMessageBytes));
    }
  }
  return EncodedBatch(std::move(output_ref));
}

}  // namespace structtensor
