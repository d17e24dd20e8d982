#include "structtensor/core/encode/shared/output.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/encode/abi/varint.h"

namespace structtensor::encode_internal {
namespace {

constexpr size_t kMaxMessageBytes = 0x7fffffff;

}  // namespace

OutputRef OutputPool::Take(const std::shared_ptr<OutputPool>& pool) {
  std::unique_ptr<Output> output = pool->TakeFree();
  if (output == nullptr) output = std::make_unique<Output>();
  output->references.store(1, std::memory_order_relaxed);
  output->pool = pool;
  return OutputRef(output.release());
}

void OutputPool::Give(std::unique_ptr<Output> output) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(output));
}

std::unique_ptr<Output> OutputPool::TakeFree() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  std::unique_ptr<Output> output = std::move(free_.back());
  free_.pop_back();
  return output;
}

OutputRef::OutputRef(const OutputRef& other) : output_(other.output_) {
  if (output_ != nullptr) output_->references.fetch_add(1, std::memory_order_relaxed);
}

OutputRef::~OutputRef() {
  if (output_ == nullptr || output_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::shared_ptr<OutputPool> pool = std::move(output_->pool);
  pool->Give(std::unique_ptr<Output>(output_));
}

absl::StatusOr<EncodedBatch> EncodeRows(const std::shared_ptr<OutputPool>& pool, const plan::MessagePlan& plan,
                                        EncodeNode* root, uint32_t nrows, size_t bound_bytes, bool sort_map_keys,
                                        int64_t first_row) {
  OutputRef output_ref = OutputPool::Take(pool);
  Output& output = *output_ref;
  if (!output.Reserve(bound_bytes + kWritableSlackBytes)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for ", bound_bytes, " bytes, which ", nrows, " messages may take; encode smaller batches"));
  }
  output.offsets.resize(size_t{nrows} + 1);
  EncodeContext context;
  context.sort_map_keys = sort_map_keys;
  uint8_t* const begin = reinterpret_cast<uint8_t*>(output.bytes);
  uint8_t* p = begin + output.capacity_bytes;
  output.offsets[nrows] = output.capacity_bytes;
  for (uint32_t row = nrows; row-- > 0;) {
    p = plan.encode(p, root, row, &context);
    output.offsets[row] = static_cast<size_t>(p - begin);
    const size_t message_bytes = output.offsets[row + 1] - output.offsets[row];
    if (message_bytes > kMaxMessageBytes) {
      return absl::ResourceExhaustedError(absl::StrCat("row ", first_row + row, " makes a message of ", message_bytes,
                                                       " bytes; protobuf allows ", kMaxMessageBytes));
    }
  }
  return EncodedBatch(std::move(output_ref));
}

}  // namespace structtensor::encode_internal
