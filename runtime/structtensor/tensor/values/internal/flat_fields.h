// The fields of a struct: values, or a source that makes them when they are first read.
#ifndef STRUCTTENSOR_TENSOR_VALUES_INTERNAL_FLAT_FIELDS_H_
#define STRUCTTENSOR_TENSOR_VALUES_INTERNAL_FLAT_FIELDS_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/structured_tensor.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::values_internal {

class FlatFields {
 public:
  FlatFields(std::vector<Value> fields) : size_(fields.size()), fields_(std::move(fields)) {}  // NOLINT: fields are FlatFields
  FlatFields(std::shared_ptr<const FieldSource> source, size_t size)
      : size_(size), source_(std::move(source)), made_(std::make_unique<std::atomic<const Value*>[]>(size)) {}
  FlatFields(FlatFields&&) = default;
  ~FlatFields() {
    if (made_ == nullptr) return;
    for (size_t i = 0; i < size_; ++i) delete made_[i].load(std::memory_order_relaxed);
  }

  size_t size() const { return size_; }
  bool may_have_values(size_t i) const { return source_ == nullptr || source_->MayHaveValues(i); }
  // The reference lives as long as this. Several threads may call it at once.
  const Value& operator[](size_t i) const {
    if (made_ == nullptr) return fields_[i];
    const Value* made = made_[i].load(std::memory_order_acquire);
    if (made == nullptr) {
      auto value = std::make_unique<const Value>(source_->MakeField(i));
      // If another thread was faster, its value is used.
      if (made_[i].compare_exchange_strong(made, value.get(), std::memory_order_acq_rel)) made = value.release();
    }
    return *made;
  }

 private:
  size_t size_;
  std::vector<Value> fields_;
  // Or, if made_ is not null:
  std::shared_ptr<const FieldSource> source_;
  std::unique_ptr<std::atomic<const Value*>[]> made_;  // [size_]
};

}  // namespace structtensor::values_internal

#endif  // STRUCTTENSOR_TENSOR_VALUES_INTERNAL_FLAT_FIELDS_H_
