#include "structtensor/tensor/values/shared/absent.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "structtensor/core/base/buffer.h"
#include "structtensor/tensor/values/text.h"
#include "structtensor/tensor/values/value.h"
#include "tensor_testutil.h"

namespace structtensor::values_internal {
namespace {

// The bits around those that count are 0, so that one that is looked at too many is seen.
Validity OnesAt(int64_t begin, int64_t end, int64_t zero) {
  std::vector<uint8_t> bytes(static_cast<size_t>(end) / 8 + 1);
  for (int64_t i = begin; i < end; ++i) {
    if (i != zero) bytes[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(1 << (i % 8));
  }
  return Validity(Buffer<uint8_t>::FromVector(std::move(bytes)), begin);
}

TEST(AllPresent, EveryOffsetAndSize) {
  for (int64_t offset = 0; offset < 20; ++offset) {
    for (int64_t n = 0; n < 150; ++n) {
      EXPECT_TRUE(AllPresent(OnesAt(offset, offset + n, -1), n)) << offset << " " << n;
    }
  }
}

TEST(AllPresent, FindsEachAbsentOne) {
  for (int64_t offset = 0; offset < 10; ++offset) {
    for (int64_t absent = 0; absent < 150; ++absent) {
      EXPECT_FALSE(AllPresent(OnesAt(offset, offset + 150, offset + absent), 150)) << offset << " " << absent;
    }
  }
}

TEST(AllPresent, WithoutBitsAllAre) { EXPECT_TRUE(AllPresent(Validity(), 5)); }

TEST(PresentInBoth, EveryOffsetAndSize) {
  for (int64_t a_offset = 0; a_offset < 10; ++a_offset) {
    for (int64_t b_offset = 0; b_offset < 10; ++b_offset) {
      for (int64_t n = 0; n < 40; ++n) {
        const Validity both =
            PresentInBoth(OnesAt(a_offset, a_offset + n, a_offset + 3), OnesAt(b_offset, b_offset + n, b_offset + 17), n);
        for (int64_t i = 0; i < n; ++i)
          EXPECT_EQ(both.is_valid(i), i != 3 && i != 17) << a_offset << " " << b_offset << " " << n;
      }
    }
  }
}

TEST(PresentInBoth, SharesBitsIfOnlyOneHasThem) {
  const Validity bits = Bits({true, false});
  EXPECT_EQ(PresentInBoth(bits, Validity(), 2).bits().data(), bits.bits().data());
  EXPECT_EQ(PresentInBoth(Validity(), bits, 2).bits().data(), bits.bits().data());
  EXPECT_FALSE(PresentInBoth(Validity(), Validity(), 2).has_bits());
}

// Three structs, the second one absent. All fields have something stored for it.
StructuredTensor Hiding() {
  const RaggedTensor ragged =
      RaggedTensor::FromRowPartitions({Partition({0, 1, 3, 4})}, Tensor::FromVector(std::vector<int64_t>{1, 2, 3, 4})).value();
  const RaggedTensor uniform =
      RaggedTensor::FromRowPartitions({RowPartition::FromUniformRowLength(2, 3).value(), Partition({0, 1, 2, 3, 4, 5, 6})},
                                      Tensor::FromVector(std::vector<int64_t>{1, 2, 3, 4, 5, 6}))
          .value();
  const StructuredTensor nested =
      StructuredTensor::Create({}, 3, {{"y", NullableVector<int64_t>({1, 2, 3}, {true, true, false})}});
  const StructuredTensor repeated =
      StructuredTensor::Create({Partition({0, 1, 3, 4})}, 4, {{"z", Tensor::FromVector(std::vector<int64_t>{1, 2, 3, 4})}});
  const StructuredTensor pairs = StructuredTensor::Create({RowPartition::FromUniformRowLength(2, 3).value()}, 6,
                                                          {{"w", Tensor::FromVector(std::vector<int64_t>{1, 2, 3, 4, 5, 6})}});
  return StructuredTensor::Create(
      {}, 3,
      {{"scalar", Tensor::FromVector(std::vector<int64_t>{1, 2, 3})},
       {"dense", Tensor::FromBuffer(Buffer<int64_t>::FromVector({1, 2, 3, 4, 5, 6}), Shape({3, 2}))},
       {"ragged", ragged},
       {"uniform", uniform},
       {"nested", nested},
       {"repeated", repeated},
       {"pairs", pairs}},
      StructKind::kStruct, Bits({true, false, true}));
}

std::string JsonOf(const StructuredTensor& structs, std::string_view path) { return ToJson(structs.field_value(path).value()); }

TEST(FieldsOfAbsentStructs, AreAbsent) {
  const StructuredTensor structs = Hiding();
  EXPECT_EQ(JsonOf(structs, "scalar"), "[1,null,3]");
  EXPECT_EQ(JsonOf(structs, "dense"), "[[1,2],[null,null],[5,6]]");
  EXPECT_EQ(JsonOf(structs, "ragged"), "[[1],[],[4]]");
  EXPECT_EQ(JsonOf(structs, "uniform"), "[[[1],[2]],[[],[]],[[5],[6]]]");
  EXPECT_EQ(JsonOf(structs, "nested"), R"([{"y":1},null,{"y":null}])");
  EXPECT_EQ(JsonOf(structs, "nested.y"), "[1,null,null]");
  EXPECT_EQ(JsonOf(structs, "repeated"), R"([[{"z":1}],[],[{"z":4}]])");
  EXPECT_EQ(JsonOf(structs, "repeated.z"), "[[1],[],[4]]");
  EXPECT_EQ(JsonOf(structs, "pairs"), R"([[{"w":1},{"w":2}],[null,null],[{"w":5},{"w":6}]])");
  EXPECT_EQ(JsonOf(structs, "pairs.w"), "[[1,2],[null,null],[5,6]]");
}

TEST(FieldsOfAbsentStructs, HaveATypeThatDoesNotDependOnTheData) {
  const StructuredTensor structs = Hiding();
  const StructuredTensor present = structs.SliceRows(0, 1);
  for (size_t i = 0; i < structs.num_fields(); ++i) {
    EXPECT_EQ(structs.field_value(i).spec().WithUnknownSizes(), present.field_value(i).spec().WithUnknownSizes())
        << structs.field_names()[i];
  }
}

TEST(FieldsOfAbsentStructs, OfOneStruct) {
  const StructuredTensor absent = Hiding().Row(1);
  EXPECT_EQ(JsonOf(absent, "scalar"), "null");
  EXPECT_EQ(JsonOf(absent, "dense"), "[null,null]");
  EXPECT_EQ(JsonOf(absent, "ragged"), "[]");
  EXPECT_EQ(JsonOf(absent, "nested.y"), "null");
}

TEST(FieldsOfAbsentStructs, DoNotCountWhenStructsAreCompared) {
  const StructuredTensor structs = Hiding();
  EXPECT_EQ(structs, WithoutHiddenRows(structs));
  const auto scalars = [](int64_t hidden, Validity validity) {
    return StructuredTensor::Create({}, 2, {{"x", Tensor::FromVector(std::vector<int64_t>{1, hidden})}}, StructKind::kStruct,
                                    std::move(validity));
  };
  EXPECT_EQ(scalars(2, Bits({true, false})), scalars(3, Bits({true, false})));
  EXPECT_FALSE(scalars(2, Bits({true, true})) == scalars(3, Bits({true, true})));
}

TEST(WithoutHiddenRows, LeavesOnlyRowsOfPresentStructs) {
  const StructuredTensor structs = WithoutHiddenRows(Hiding());
  EXPECT_EQ(structs.FindFlatField("ragged")->ragged()->row_partition(0), Partition({0, 1, 1, 2}));
  EXPECT_EQ(structs.FindFlatField("repeated")->structured()->flat_nrows(), 2);
  EXPECT_EQ(structs.FindFlatField("uniform")->ragged()->row_partition(1), Partition({0, 1, 2, 2, 2, 3, 4}));
  EXPECT_EQ(structs.FindFlatField("pairs")->structured()->flat_nrows(), 6);
}

}  // namespace
}  // namespace structtensor::values_internal
