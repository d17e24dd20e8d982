// Writes the results of string functions.
#ifndef STRUCTTENSOR_TENSOR_MATH_INTERNAL_WRITE_STRINGS_H_
#define STRUCTTENSOR_TENSOR_MATH_INTERNAL_WRITE_STRINGS_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/tensor/math/internal/flat_values.h"
#include "structtensor/tensor/values/tensor.h"
#include "structtensor/tensor/values/validity.h"

namespace structtensor::math_internal {

// Errors: InvalidArgument if elements are not strings or bytes, with advice what to do.
inline absl::Status CheckStrings(std::string_view op, const Tensor& flat) {
  if (IsStringLike(flat.dtype())) return absl::OkStatus();
  return WrongDType(op, flat.dtype(), "it needs strings or bytes; AsString converts numbers to strings");
}

// Counts bytes, or writes them.
class Sink {
 public:
  explicit Sink(char* out) : out_(out) {}
  void Append(std::string_view text) {
    if (out_ != nullptr && !text.empty()) std::memcpy(out_ + size_bytes_, text.data(), text.size());
    size_bytes_ += static_cast<int64_t>(text.size());
  }
  int64_t size_bytes() const { return size_bytes_; }

 private:
  char* out_;  // null: counts
  int64_t size_bytes_ = 0;
};

// Returns n strings; write(i, sink) appends string i. It is called twice for each string, so that growing copies nothing.
template <typename Write>
absl::StatusOr<Tensor> WriteStrings(std::string_view op, int64_t n, DType dtype, Validity validity, Write write) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int32_t> offsets, NewBuffer<int32_t>::Allocate(n + 1));
  offsets.data()[0] = 0;
  Sink counter(nullptr);
  for (int64_t i = 0; i < n; ++i) {
    write(i, counter);
    if (counter.size_bytes() > std::numeric_limits<int32_t>::max()) {
      return absl::ResourceExhaustedError(absl::StrCat(
          ToAbsl(op), "(): the strings of the result exceed the 2 GiB that a tensor can have; work on fewer rows"));
    }
    offsets.data()[i + 1] = static_cast<int32_t>(counter.size_bytes());
  }
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<char> bytes, NewBuffer<char>::Allocate(counter.size_bytes()));
  Sink writer(bytes.data());
  for (int64_t i = 0; i < n; ++i) write(i, writer);
  return Tensor::FromStrings(std::move(offsets).Finish(), std::move(bytes).Finish(), dtype, std::move(validity));
}

}  // namespace structtensor::math_internal

#endif  // STRUCTTENSOR_TENSOR_MATH_INTERNAL_WRITE_STRINGS_H_
