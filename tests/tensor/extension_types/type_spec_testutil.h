// Random specs, of every kind and with every flag, whose parts fit each other.
#ifndef STRUCTTENSOR_TESTS_TENSOR_EXTENSION_TYPES_TYPE_SPEC_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_EXTENSION_TYPES_TYPE_SPEC_TESTUTIL_H_

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "masked_tensor_testutil.h"
#include "structtensor/tensor/type_spec/type_spec.h"

namespace structtensor {

class RandomSpecs {
 public:
  explicit RandomSpecs(uint32_t seed) : random_(seed) {}

  // Any spec, with structs at most `depth` inside each other.
  TypeSpec Any(int depth = 3) {
    switch (Below(6)) {
      case 0:
        return TensorSpec(AnyShape(), AnyDType(), Chance(3));
      case 1:
        return RaggedTensorSpec(Chance(3) ? Shape::UnknownRank() : Shape({Size(), kUnknownDimension, Size()}), AnyDType(),
                                static_cast<int>(Below(3)), Chance(3), SplitsDType());
      case 2:
        return Partitions(Size(), 1, SplitsDType()).front();
      case 3:
        return Scalar(depth);
      default:
        return Rows(Size(), depth);
    }
  }

  // A spec of rank >= 1 with `nrows` rows, which may be unknown.
  TypeSpec Rows(int64_t nrows, int depth) {
    switch (Below(depth > 0 ? 5 : 3)) {
      case 0:
        return TensorSpec(InnerShape().Prepend(nrows), AnyDType(), Chance(3));
      case 1: {
        std::vector<RowPartitionSpec> partitions = Partitions(nrows, 1 + Below(2), SplitsDType());
        const Shape flat_shape = InnerShape().Prepend(partitions.back().nvals);
        return RaggedTensorSpec(std::move(partitions), TensorSpec(flat_shape, AnyDType(), Chance(3)));
      }
      case 2:
        return TypeSpec(std::make_shared<MaskedTensorSpec>(InnerShape().Prepend(nrows), AnyDType()));
      default:
        return Structs(nrows, depth);
    }
  }

  uint32_t Below(uint32_t limit) { return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random_); }
  bool Chance(uint32_t one_in) { return Below(one_in) == 0; }

 private:
  int64_t Size() { return Chance(3) ? kUnknownDimension : static_cast<int64_t>(Below(5)); }
  DType AnyDType() { return static_cast<DType>(Below(static_cast<uint32_t>(kLastDType) + 1)); }
  DType SplitsDType() { return Chance(3) ? DType::kInt32 : DType::kInt64; }

  Shape InnerShape() {
    Shape shape;
    for (uint32_t rank = Below(3); rank > 0; --rank) shape = shape.Prepend(Size());
    return shape;
  }
  Shape AnyShape() { return Chance(5) ? Shape::UnknownRank() : InnerShape(); }

  // A stack of partitions of rows that know some of their sizes.
  std::vector<RowPartitionSpec> Partitions(int64_t nrows, uint32_t count, DType dtype) {
    std::vector<RowPartitionSpec> partitions;
    for (; count > 0; --count) {
      RowPartitionSpec partition{.nrows = nrows, .optional = Chance(4), .dtype = dtype};
      if (Chance(2)) partition.uniform_row_length = Below(partition.optional ? 2 : 4);
      if (partition.uniform_row_length != kUnknownDimension && nrows != kUnknownDimension) {
        partition.nvals = nrows * partition.uniform_row_length;
      } else if (nrows == 0) {
        partition.nvals = 0;
      } else if (Chance(2) && partition.uniform_row_length == kUnknownDimension) {
        partition.nvals = partition.optional && nrows != kUnknownDimension ? Below(static_cast<uint32_t>(nrows) + 1) : Below(9);
      }
      nrows = partition.nvals;
      partitions.push_back(partition);
    }
    return partitions;
  }

  std::vector<FieldSpec> Fields(int64_t flat_nrows, int depth) {
    std::vector<FieldSpec> fields;
    for (uint32_t i = Below(4); i > 0; --i) {
      fields.push_back({"f" + std::to_string((i * 7) % 5), Rows(flat_nrows, depth - 1)});
    }
    return fields;
  }
  StructKind Kind() { return Chance(4) ? StructKind::kMapEntry : StructKind::kStruct; }

  TypeSpec Scalar(int depth) { return StructuredTensorSpec(Shape(), Fields(1, depth), Kind(), Chance(3), {}, SplitsDType()); }

  TypeSpec Structs(int64_t nrows, int depth) {
    const DType dtype = SplitsDType();
    std::vector<RowPartitionSpec> partitions = Partitions(nrows, Below(3), dtype);
    std::vector<int64_t> dims = {nrows};
    for (const RowPartitionSpec& partition : partitions) dims.push_back(partition.uniform_row_length);
    const int64_t flat_nrows = partitions.empty() ? nrows : partitions.back().nvals;
    return StructuredTensorSpec(Shape(dims), Fields(flat_nrows, depth), Kind(), Chance(3), std::move(partitions), dtype);
  }

  std::mt19937 random_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_EXTENSION_TYPES_TYPE_SPEC_TESTUTIL_H_
