// A batch with every kind of column, built by hand.
#ifndef STRUCTTENSOR_TESTS_IO_ARROW_RECIPES_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_IO_ARROW_RECIPES_TESTUTIL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "structtensor/tensor/values/value.h"

namespace structtensor {

inline RowPartition Splits(std::vector<int64_t> row_splits, RowPartition::Optional optional = RowPartition::Optional::kNo) {
  return RowPartition::FromRowSplits(Buffer<int64_t>::FromVector(std::move(row_splits)), optional).value();
}

// Bits from the least significant of each byte on.
inline Validity Bits(std::vector<uint8_t> bytes) { return Validity(Buffer<uint8_t>::FromVector(std::move(bytes))); }

template <typename T>
Tensor Nullable(std::vector<T> values, std::vector<uint8_t> bits, DType dtype = DTypeOf<T>::value) {
  return Tensor::FromBuffer(Buffer<T>::FromVector(std::move(values)), dtype, Bits(std::move(bits)));
}

inline RaggedTensor Ragged(std::vector<RowPartition> partitions, Tensor flat_values) {
  return RaggedTensor::FromRowPartitions(std::move(partitions), std::move(flat_values)).value();
}

inline StructuredTensor Structs(std::vector<RowPartition> partitions, int64_t flat_nrows, std::vector<Field> fields,
                                Validity validity = {}) {
  return StructuredTensor::Create(std::move(partitions), flat_nrows, std::move(fields), StructKind::kStruct,
                                  std::move(validity));
}

inline StructuredTensor Map(std::vector<RowPartition> partitions, Tensor keys, Value values) {
  const int64_t nvals = keys.nrows();
  std::vector<Field> fields = {{"key", std::move(keys)}, {"value", std::move(values)}};
  return StructuredTensor::Create(std::move(partitions), nvals, std::move(fields), StructKind::kMapEntry);
}

// Structs whose only field is x.
inline StructuredTensor OneField(Value value) {
  const int64_t nrows = value.nrows();
  return StructuredTensor::FromFields(nrows, {{"x", std::move(value)}}).value();
}

inline Tensor Strings(const std::vector<std::string>& values) { return Tensor::FromVector(values); }

// Three recipes; the rows as JSON are RecipeRows().
inline StructuredTensor Recipes() {
  const StructuredTensor ingredients = Structs({Splits({0, 2, 2, 3})}, 3,
                                               {{"name", Strings({"flour", "milk", "salt"})},
                                                {"tags", Ragged({Splits({0, 1, 1, 3})}, Strings({"dry", "fine", "sea"}))}});
  const StructuredTensor origin = Structs({}, 3, {{"year", Tensor::FromVector<int32_t>({1900, 0, 2000})}}, Bits({0b101}));
  return StructuredTensor::FromFields(
             3, {{"title", Strings({"Bread", "", "Soup"})},
                 {"rating", Nullable<double>({4.5, 0, 3}, {0b101})},
                 {"vegan", Tensor::FromVector<uint8_t>({1, 0, 1})},
                 {"ingredients", ingredients},
                 {"origin", origin},
                 {"notes", Map({Splits({0, 1, 1, 3})}, Strings({"a", "b", "c"}), Tensor::FromVector<int64_t>({1, 2, 3}))},
                 {"cooked", Nullable<int64_t>({1'000'000'001, 0, -1}, {0b101}, DType::kTimestampNs)},
                 {"time", Tensor::FromVector<int64_t>({60, 0, 30}, DType::kDurationNs)}})
      .value();
}

inline std::vector<std::string> RecipeRows() {
  return {
      R"({title:"Bread",rating:4.5,vegan:1,ingredients:[{name:"flour",tags:["dry"]},{name:"milk",tags:[]}],)"
      R"(origin:{year:1900},notes:[{key:"a",value:1}],cooked:1000000001,time:60})",
      R"({title:"",rating:null,vegan:0,ingredients:[],origin:null,notes:[],cooked:null,time:0})",
      R"({title:"Soup",rating:3,vegan:1,ingredients:[{name:"salt",tags:["fine","sea"]}],)"
      R"(origin:{year:2000},notes:[{key:"b",value:2},{key:"c",value:3}],cooked:-1,time:30})",
  };
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_IO_ARROW_RECIPES_TESTUTIL_H_
