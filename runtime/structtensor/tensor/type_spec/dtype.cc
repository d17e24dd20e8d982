#include "structtensor/tensor/type_spec/dtype.h"

namespace structtensor {

std::string_view TimeUnitName(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kSeconds:
      return "s";
    case TimeUnit::kMilliseconds:
      return "ms";
    case TimeUnit::kMicroseconds:
      return "us";
    case TimeUnit::kNanoseconds:
      return "ns";
  }
  return "unknown";
}

std::string_view DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "bool";
    case DType::kInt32:
      return "int32";
    case DType::kInt64:
      return "int64";
    case DType::kUint32:
      return "uint32";
    case DType::kUint64:
      return "uint64";
    case DType::kFloat:
      return "float";
    case DType::kDouble:
      return "double";
    case DType::kString:
      return "string";
    case DType::kBytes:
      return "bytes";
    case DType::kTimestampNs:
      return "timestamp[ns]";
    case DType::kDurationNs:
      return "duration[ns]";
    case DType::kTimestampUs:
      return "timestamp[us]";
    case DType::kTimestampMs:
      return "timestamp[ms]";
    case DType::kTimestampS:
      return "timestamp[s]";
    case DType::kDurationUs:
      return "duration[us]";
    case DType::kDurationMs:
      return "duration[ms]";
    case DType::kDurationS:
      return "duration[s]";
    case DType::kFloat16:
      return "float16";
    case DType::kBfloat16:
      return "bfloat16";
  }
  return "unknown";
}

size_t DTypeSizeBytes(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return 1;
    case DType::kFloat16:
    case DType::kBfloat16:
      return 2;
    case DType::kInt32:
    case DType::kUint32:
    case DType::kFloat:
      return 4;
    case DType::kInt64:
    case DType::kUint64:
    case DType::kDouble:
    case DType::kTimestampNs:
    case DType::kTimestampUs:
    case DType::kTimestampMs:
    case DType::kTimestampS:
    case DType::kDurationNs:
    case DType::kDurationUs:
    case DType::kDurationMs:
    case DType::kDurationS:
      return 8;
    case DType::kString:
    case DType::kBytes:
      return 0;
  }
  return 0;
}

}  // namespace structtensor
