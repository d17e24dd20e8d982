#include "structtensor/tensor/struct_ops/select.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "path_testutil.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

std::string Selected(const Value& value, std::string_view path) { return Json(Select(value, P(path))); }

// Rows with a map from strings and one from integers.
StructuredTensor Maps() {
  const auto map = [](std::vector<int64_t> splits, const Value& keys, const Value& values) {
    return StructuredTensor::Create({*RowPartition::FromRowSplits(Buffer<int64_t>::FromVector(std::move(splits)))},
                                    keys.nrows(), std::vector<Field>{{"key", keys}, {"value", values}}, StructKind::kMapEntry);
  };
  return StructuredTensor::Create(
      {}, 2,
      std::vector<Field>{{"labels", map({0, 2, 3}, Make(L{"env", "os", "os"}), Make(L{"prod", "linux", "bsd"}))},
                         {"codes", map({0, 1, 2}, Make(L{7, 0}), Make(L{"seven", "zero"}))}});
}

TEST(Select, Names) {
  EXPECT_EQ(Selected(Docs(), "docs.t"), "[[1,2],[3],[]]");
  EXPECT_EQ(Selected(Docs(), ""), kDocs);
}

TEST(Select, PositionsWorkOnTheFieldsOwnAxes) {
  const StructuredTensor docs = Docs().SliceRows(0, 2);
  EXPECT_EQ(Selected(docs, "docs[0].t"), "[1,3]");
  EXPECT_EQ(Selected(docs, "docs[-1].tags"), "[[3],[7]]");
  EXPECT_EQ(Selected(docs, "docs[0].tags[0]"), "[1,7]");
  EXPECT_EQ(Selected(docs, "docs[*].tags[0]"), Selected(docs, "docs.tags[0]"));
  EXPECT_EQ(Selected(docs, "[1].docs[0].t"), "3");
  EXPECT_EQ(Selected(docs, "[*].id"), R"(["d0","d1"])");
  EXPECT_EQ(Selected(docs.Row(0), "docs[1].tags[0]"), "3");
}

TEST(Select, KeysOfMaps) {
  EXPECT_EQ(Selected(Maps(), "labels[\"os\"]"), R"([["linux"],["bsd"]])");
  EXPECT_EQ(Selected(Maps(), "labels[\"env\"]"), R"([["prod"],[]])");
  EXPECT_EQ(Selected(Maps(), "codes[0]"), R"([[],["zero"]])");
  EXPECT_EQ(Selected(Maps().Row(0), "labels[\"os\"]"), R"(["linux"])");
}

// A map of one row with two keys.
template <typename T>
StructuredTensor MapOf(T first, T second) {
  const Value entries = StructuredTensor::Create(
      {*RowPartition::FromRowSplits(Buffer<int64_t>::FromVector({0, 2}))}, 2,
      std::vector<Field>{{"key", Tensor::FromVector(std::vector<T>{first, second})}, {"value", Make(L{"first", "second"})}},
      StructKind::kMapEntry);
  return StructuredTensor::Create({}, 1, std::vector<Field>{{"m", entries}});
}

// The smallest and the largest key of each type, as paths have them.
TEST(Select, KeysOfEachType) {
  const auto found = [](const StructuredTensor& map, const std::string& key) { return Selected(map, "m[" + key + "]"); };
  const auto expect_limits = [&]<typename T>(T) {
    constexpr T kLeast = std::numeric_limits<T>::min();
    constexpr T kMost = std::numeric_limits<T>::max();
    const StructuredTensor map = MapOf<T>(kLeast, kMost);
    for (const std::string quote : {"", "\""}) {
      EXPECT_EQ(found(map, quote + std::to_string(kLeast) + quote), R"([["first"]])");
      EXPECT_EQ(found(map, quote + std::to_string(kMost) + quote), R"([["second"]])");
      EXPECT_EQ(found(map, quote + "1" + quote), "[[]]");
      EXPECT_EQ(found(map, quote + "-1" + quote), "[[]]");
      EXPECT_EQ(found(map, quote + "18446744073709551614" + quote), "[[]]");
    }
    for (const std::string quoted : {"\"07\"", "\"+7\"", "\" 7\""}) {
      EXPECT_THAT(found(map, quoted), HasSubstr("is not a key of a map with keys of ")) << quoted;
    }
    EXPECT_THAT(found(map, "true"), HasSubstr("'true' is not a key of a map with keys of "));
  };
  expect_limits(int32_t{});
  expect_limits(int64_t{});
  expect_limits(uint32_t{});
  expect_limits(uint64_t{});
  const StructuredTensor flags = MapOf<uint8_t>(0, 1);
  EXPECT_EQ(found(flags, "false"), R"([["first"]])");
  EXPECT_EQ(found(flags, "true"), R"([["second"]])");
  EXPECT_EQ(found(flags, "\"true\""), R"([["second"]])");
  EXPECT_THAT(found(flags, "\"yes\""), HasSubstr("'yes' is not a key of a map with keys of bool"));
}

TEST(Select, OutOfRange) {
  const absl::Status status = Select(Docs(), P("docs[0].t")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("field path docs[0].t: "));
  EXPECT_EQ(Select(Docs(), P("[3]")).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(Select, Errors) {
  const auto status = [](const char* path) { return Select(Docs(), P(path)).status(); };
  EXPECT_EQ(status("docs.zz").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status("id.x").message()), HasSubstr("id.x: id is"));
  EXPECT_THAT(std::string(status("id[0]").message()), HasSubstr("no axis left for [0]: id is"));
  EXPECT_THAT(std::string(status("docs[*][*]").message()), HasSubstr("no axis left for [*]"));
  EXPECT_THAT(std::string(status("docs[\"k\"]").message()), HasSubstr("[\"k\"] is a key, and "));
  EXPECT_THAT(std::string(Select(Maps(), P("codes[\"k\"]")).status().message()),
              HasSubstr("field path codes[\"k\"]: 'k' is not a key of a map with keys of int64"));
  EXPECT_EQ(status("docs.*").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace structtensor
