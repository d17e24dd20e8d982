#include <utility>

#include "absl/status/status.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/tensor/ops/order.h"
#include "structtensor/tensor/values/shared/take_rows.h"

namespace structtensor {
namespace {

// SplitMix64 of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): the same numbers on every
// machine and with every standard library. The library's distributions do not promise this.
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}

  // Uniform in [0, limit): numbers that would make small results more likely are thrown away. Requires: limit > 0.
  uint64_t Below(uint64_t limit) {
    const uint64_t excess = (0 - limit) % limit;
    uint64_t number = Next();
    while (number < excess) number = Next();
    return number % limit;
  }

 private:
  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
  }

  uint64_t state_;
};

}  // namespace

absl::StatusOr<Value> Shuffle(const Value& value, uint64_t seed) {
  if (value.rank() == 0) return absl::InvalidArgumentError("the value is a scalar; only rows can be shuffled");
  const int64_t nrows = value.nrows();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> order, NewBuffer<int64_t>::Allocate(nrows));
  int64_t* rows = order.data();
  for (int64_t i = 0; i < nrows; ++i) rows[i] = i;
  RandomNumbers numbers(seed);
  for (int64_t i = nrows - 1; i > 0; --i) std::swap(rows[i], rows[numbers.Below(static_cast<uint64_t>(i) + 1)]);
  return values_internal::TakeRowsChecked(value, {rows, order.size_elements()});
}

}  // namespace structtensor
