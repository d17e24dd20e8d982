#include "structtensor/tensor/math/internal/broadcast_runs.h"

#include <cstddef>
#include <utility>

namespace structtensor::math_internal {

BroadcastRuns::BroadcastRuns(const Shape& shape, std::span<const Tensor> operands)
    : size_elements_(shape.num_elements()), num_operands_(operands.size()) {
  if (size_elements_ == 0) return;
  absl::InlinedVector<int64_t, 3> next(num_operands_, 1);  // the stride of the current axis in each operand that has it
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 1) continue;
    Loop loop{shape[axis], absl::InlinedVector<int64_t, 3>(num_operands_, 0)};
    for (size_t i = 0; i < num_operands_; ++i) {
      const int own_axis = axis - (shape.rank() - operands[i].rank());
      if (own_axis < 0 || operands[i].shape()[own_axis] == 1) continue;
      loop.strides[i] = next[i];
      next[i] *= shape[axis];
    }
    bool continues = !loops_.empty();
    for (size_t i = 0; continues && i < num_operands_; ++i) {
      continues = loop.strides[i] == loops_.back().strides[i] * loops_.back().size;
    }
    if (continues) {
      loops_.back().size *= loop.size;
    } else {
      loops_.push_back(std::move(loop));
    }
  }
  if (loops_.empty()) loops_.push_back({1, absl::InlinedVector<int64_t, 3>(num_operands_, 0)});
}

void BroadcastRuns::ForEach(absl::FunctionRef<void(const BroadcastRun&)> visit) const {
  if (size_elements_ == 0) return;
  BroadcastRun run{loops_[0].size, 0, absl::InlinedVector<int64_t, 3>(num_operands_, 0), loops_[0].strides};
  absl::InlinedVector<int64_t, 4> counters(loops_.size(), 0);
  while (true) {
    visit(run);
    run.out += run.size;
    size_t level = 1;
    for (; level < loops_.size(); ++level) {
      const Loop& loop = loops_[level];
      const bool more = ++counters[level] < loop.size;
      const int64_t times = more ? 1 : 1 - loop.size;  // one step forward, or back to the beginning
      for (size_t i = 0; i < num_operands_; ++i) run.in[i] += times * loop.strides[i];
      if (more) break;
      counters[level] = 0;
    }
    if (level == loops_.size()) return;
  }
}

}  // namespace structtensor::math_internal
