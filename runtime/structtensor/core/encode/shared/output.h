// Memory of encoded batches, and the loop that fills it. For all code that makes EncodeNodes.
#ifndef STRUCTTENSOR_CORE_ENCODE_SHARED_OUTPUT_H_
#define STRUCTTENSOR_CORE_ENCODE_SHARED_OUTPUT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/core/encode/abi/node.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/core/plan/plan.h"

namespace structtensor::encode_internal {

// Memory for one batch of messages. The messages end where the memory ends.
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

// Outputs that no batch uses. Batches may be destroyed in any thread, and after their encoder.
class OutputPool {
 public:
  static OutputRef Take(const std::shared_ptr<OutputPool>& pool);
  void Give(std::unique_ptr<Output> output);

 private:
  std::unique_ptr<Output> TakeFree();

  std::mutex mutex_;
  std::vector<std::unique_ptr<Output>> free_;
};

// Encodes rows [0, nrows) of `root`, a node of `plan`. `bound_bytes`: at least the bytes that they take. `first_row`: the
// number of row 0 in errors.
// Errors: ResourceExhausted if a message would be longer than the 2 GiB that protobuf allows or there is no memory.
absl::StatusOr<EncodedBatch> EncodeRows(const std::shared_ptr<OutputPool>& pool, const plan::MessagePlan& plan,
                                        EncodeNode* root, uint32_t nrows, size_t bound_bytes, bool sort_map_keys,
                                        int64_t first_row = 0);

}  // namespace structtensor::encode_internal

#endif  // STRUCTTENSOR_CORE_ENCODE_SHARED_OUTPUT_H_
