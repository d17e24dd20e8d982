// Short ways to write partitions, validities and a small batch of messages.
#ifndef STRUCTTENSOR_TESTS_TENSOR_VALUES_TENSOR_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_VALUES_TENSOR_TESTUTIL_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/value.h"

namespace structtensor {

inline RowPartition Partition(std::vector<int64_t> row_splits, RowPartition::Optional optional = RowPartition::Optional::kNo) {
  return RowPartition::FromRowSplits(Buffer<int64_t>::FromVector(std::move(row_splits)), optional).value();
}

inline Validity Bits(const std::vector<bool>& present, int64_t bit_offset = 0) {
  std::vector<uint8_t> bytes((present.size() + static_cast<size_t>(bit_offset)) / 8 + 1);
  for (size_t i = 0; i < present.size(); ++i) {
    const size_t bit_index = i + static_cast<size_t>(bit_offset);
    if (present[i]) bytes[bit_index / 8] |= static_cast<uint8_t>(1 << (bit_index % 8));
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bytes)), bit_offset);
}

template <typename T>
Tensor NullableVector(std::vector<T> values, const std::vector<bool>& present) {
  return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(values)), DTypeOf<T>::value, Bits(present));
}

// Two recipes:
//   {title: "soup", rating: 4.5,   ingredients: [{name: "water", grams: 500}, {name: "salt", grams: null}], tags: {"hot": 1}}
//   {title: "bread", rating: none, ingredients: [{name: "flour", grams: 300}], tags: {"dry": 2, "baked": 3}}
inline StructuredTensor Recipes() {
  StructuredTensor ingredients =
      StructuredTensor::Create({Partition({0, 2, 3})}, 3,
                               {{"name", Tensor::FromVector({"water", "salt", "flour"})},
                                {"grams", NullableVector<int32_t>({500, 0, 300}, {true, false, true})}});
  StructuredTensor tags = StructuredTensor::Create(
      {Partition({0, 1, 3})}, 3,
      {{"key", Tensor::FromVector({"hot", "dry", "baked"})}, {"value", Tensor::FromVector(std::vector<int64_t>{1, 2, 3})}},
      StructKind::kMapEntry);
  RaggedTensor rating = RaggedTensor::FromRowPartitions({Partition({0, 1, 1}, RowPartition::Optional::kYes)},
                                                        Tensor::FromVector(std::vector<double>{4.5}))
                            .value();
  return StructuredTensor::FromFields(2, {{"title", Tensor::FromVector({"soup", "bread"})},
                                          {"rating", rating},
                                          {"ingredients", ingredients},
                                          {"tags", tags}})
      .value();
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_VALUES_TENSOR_TESTUTIL_H_
