#include "structtensor/encode/encoder.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/base/strings.h"
#include "structtensor/column/column.h"
#include "structtensor/encode/node.h"
#include "structtensor/encode/varint.h"
#include "structtensor/wire/varint.h"

namespace structtensor {
namespace encode_internal {

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

// The most bytes that one value takes, without tag. Looking for the longest varint among the values instead would keep the bound
// closer and cost a tenth of encoding them (pprof).
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
  encode::Node* Run(const ColumnTree& tree, bool unknown_fields) {
    chunk_ = 0;
    used_bytes_ = 0;
    bound_bytes_ = 0;
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
    while (chunk_ < chunks_.size() && chunks_[chunk_].size_bytes < used_bytes_ + size_bytes) {
      ++chunk_;
      used_bytes_ = 0;
    }
    if (chunk_ == chunks_.size()) {
      const size_t chunk_bytes = std::max(kChunkBytes, size_bytes);
      chunks_.push_back({std::make_unique_for_overwrite<uint64_t[]>(chunk_bytes / 8), chunk_bytes});
    }
    void* result = reinterpret_cast<uint8_t*>(chunks_[chunk_].memory.get()) + used_bytes_;
    used_bytes_ += size_bytes;
    return result;
  }

  encode::Node* MakeNode(const structtensor::Node* from) {
    const plan::Message& plan = *from->plan;
    void* memory = Allocate(plan.node_size_bytes);
    std::memset(memory, 0, plan.node_size_bytes);
    encode::Node* node = static_cast<encode::Node*>(memory);
    node->plan = &plan;
    uint32_t* const present = static_cast<uint32_t*>(Allocate(from->listed_size * sizeof(uint32_t)));
    size_t present_size = 0;
    ForEachListed(from, [&](const plan::Field& field, const Column& column) {
      if (column.size == 0) return;
      if (&field == &kUnknownFields) {
        if (unknown_fields_) SetUnknownFields(column, node->unknown_fields);
        return;
      }
      if (field.cardinality == plan::Cardinality::kOneofCase) return;
      present[present_size++] = static_cast<uint32_t>(&field - plan.fields.data());
      SetColumn(field, column, *from->nrows, encode::At(node, field.column_offset));
    });
    std::sort(present, present + present_size);
    node->present = present;
    node->present_size = present_size;
    // A map entry's default key and value are written, too.
    if (plan.map_entry) bound_bytes_ += *from->nrows * 2 * (kVarintBytes + 1);
    return node;
  }

  void SetUnknownFields(const Column& from, encode::Column& to) {
    to.offsets = static_cast<const int32_t*>(from.storage->dense_offsets.data);
    to.bytes = static_cast<const char*>(from.storage->bytes.data);
    bound_bytes_ += static_cast<size_t>(static_cast<const int32_t*>(from.storage->offsets.data)[from.size]);
  }

  void SetColumn(const plan::Field& field, const Column& from, uint32_t nrows, encode::Column& to) {
    const ColumnStorage& storage = *from.storage;
    to.left = from.size;
    const size_t tag_bytes = wire::TagSizeBytes(static_cast<uint32_t>(field.number) << 3);
    if (field.is_repeated()) {
      to.row_splits = from.row_splits;
      if (field.packed) bound_bytes_ += std::min(nrows, from.size) * (tag_bytes + kLengthBytes);
    } else {
      to.rows = storage.all_present ? nullptr : from.rows;
      to.next_row = storage.all_present ? nrows : from.rows[from.size - 1] + 1;
    }
    size_t value_bytes = kItemBytes + kLengthBytes;
    if (storage.opaque || field.element == plan::Element::kString || field.element == plan::Element::kBytes) {
      to.offsets = static_cast<const int32_t*>(storage.offsets.data);
      to.bytes = static_cast<const char*>(storage.bytes.data);
      bound_bytes_ += static_cast<size_t>(to.offsets[from.size]);
    } else if (field.is_message()) {
      to.child = MakeNode(from.child);
    } else {
      to.values = from.values;
      value_bytes = LongestValueBytes(field.kind);
    }
    bound_bytes_ += from.size * (2 * tag_bytes + value_bytes);
  }

  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;
  size_t used_bytes_ = 0;  // of that chunk
  size_t bound_bytes_ = 0;
  bool unknown_fields_ = true;
};

}  // namespace encode_internal

namespace {

constexpr size_t kMaxMessageBytes = 0x7fffffff;

}  // namespace

EncodedBatch::EncodedBatch(encode_internal::OutputRef output)
    : output_(std::move(output)),
      bytes_((*output_).bytes),
      offsets_((*output_).offsets.data()),
      size_((*output_).offsets.size() - 1) {}

BatchEncoder::BatchEncoder(const plan::Message& plan, EncodeOptions options)
    : plan_(&plan),
      options_(options),
      preparation_(std::make_unique<encode_internal::Preparation>()),
      pool_(std::make_shared<encode_internal::OutputPool>()) {}
BatchEncoder::~BatchEncoder() = default;
BatchEncoder::BatchEncoder(BatchEncoder&&) noexcept = default;
BatchEncoder& BatchEncoder::operator=(BatchEncoder&&) noexcept = default;

absl::StatusOr<EncodedBatch> BatchEncoder::Encode(const ColumnTree& tree) {
  if (&tree.plan() != plan_) {
    return absl::InvalidArgumentError(absl::StrCat("the encoder is for ", ToAbsl(plan_->full_name), ", the batch has ",
                                                   ToAbsl(tree.plan().full_name), " messages"));
  }
  encode::Node* root = preparation_->Run(tree, options_.unknown_fields);
  encode_internal::OutputRef output_ref = encode_internal::OutputPool::Take(pool_);
  encode_internal::Output& output = *output_ref;
  const uint32_t nrows = tree.nrows();
  if (!output.Reserve(preparation_->bound_bytes() + encode::kWritableSlackBytes)) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", preparation_->bound_bytes(), " bytes, which ", nrows,
                                                     " messages may take; encode smaller batches"));
  }
  output.offsets.resize(size_t{nrows} + 1);
  encode::Context context{options_.sort_map_keys};
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
