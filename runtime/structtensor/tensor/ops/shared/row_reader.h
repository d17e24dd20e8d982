// Fast access to the rows of a partition, one after the other.
#ifndef STRUCTTENSOR_TENSOR_OPS_SHARED_ROW_READER_H_
#define STRUCTTENSOR_TENSOR_OPS_SHARED_ROW_READER_H_

#include <cstdint>

#include "structtensor/tensor/values/row_partition.h"

namespace structtensor::ops_internal {

// partition.row(i), inlined. Valid as long as the partition lives.
class RowReader {
 public:
  explicit RowReader(const RowPartition& partition) {
    if (partition.uniform_row_length()) {
      length_ = *partition.uniform_row_length();
    } else {
      splits_ = partition.unshifted_row_splits().data();
    }
  }

  RowRange row(int64_t i) const {
    if (splits_ == nullptr) return {i * length_, (i + 1) * length_};
    return {splits_[i] - splits_[0], splits_[i + 1] - splits_[0]};
  }

 private:
  const int64_t* splits_ = nullptr;  // null: uniform
  int64_t length_ = 0;
};

}  // namespace structtensor::ops_internal

#endif  // STRUCTTENSOR_TENSOR_OPS_SHARED_ROW_READER_H_
