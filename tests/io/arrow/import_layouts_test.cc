// The layouts of Arrow that we do not write, put together by hand: their meaning, and that damaged ones are errors.
// tests/python/package/test_arrow_layouts.py checks that Arrow's own libraries agree on the meaning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "structtensor/io/arrow/import.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

using ::testing::HasSubstr;

// An array, its type, and everything that they point at. Buffers are vectors of exactly the right size, so that the sanitizer
// detects reads beyond them.
struct Column {
  explicit Column(std::string format, int64_t length = 0) : format(std::move(format)) {
    array.length = length;
    array.null_count = -1;
    array.release = [](ArrowArray* self) { self->release = nullptr; };
    schema.release = [](ArrowSchema* self) { self->release = nullptr; };
  }
  template <typename T>
  Column& With(const std::vector<T>& values) {
    auto buffer = std::make_unique<std::vector<uint64_t>>(values.size() * sizeof(T) / 8 + 1);
    if (!values.empty()) std::memcpy(buffer->data(), values.data(), values.size() * sizeof(T));
    // At the end of the memory, as far as its alignment allows.
    const size_t spare = buffer->size() * 8 - values.size() * sizeof(T);
    char* const begin = reinterpret_cast<char*>(buffer->data()) + spare / alignof(T) * alignof(T);
    if (!values.empty()) std::memmove(begin, buffer->data(), values.size() * sizeof(T));
    owned.push_back(std::move(buffer));
    buffers.push_back(begin);
    return *this;
  }
  Column& WithNone() {
    buffers.push_back(nullptr);
    return *this;
  }
  Column& Child(const char* name, Column& child) {
    child.Finish();
    child.schema.name = name;
    schemas.push_back(&child.schema);
    children.push_back(&child.array);
    return *this;
  }
  Column& Nullable() {
    schema.flags = ARROW_FLAG_NULLABLE;
    return *this;
  }
  void Finish() {
    schema.format = format.c_str();
    schema.n_children = array.n_children = static_cast<int64_t>(children.size());
    schema.children = schemas.data();
    array.children = children.data();
    array.n_buffers = static_cast<int64_t>(buffers.size());
    array.buffers = buffers.data();
  }
  absl::StatusOr<Value> Import() {
    Finish();
    return ImportValue(schema, &array);
  }
  // As JSON, or the error.
  std::string Rows() {
    const absl::StatusOr<Value> value = Import();
    return value.ok() ? ToJson(*value) : std::string(value.status().message());
  }

  std::string format;
  ArrowSchema schema = {};
  ArrowArray array = {};
  std::vector<std::unique_ptr<std::vector<uint64_t>>> owned;
  std::vector<const void*> buffers;
  std::vector<ArrowSchema*> schemas;
  std::vector<ArrowArray*> children;
};

Column Numbers(const std::vector<int32_t>& values) {
  Column column("i", static_cast<int64_t>(values.size()));
  column.WithNone().With(values);
  return column;
}

std::string View(int32_t length, const std::string& bytes) {
  std::string view(16, '\0');
  std::memcpy(view.data(), &length, 4);
  std::memcpy(view.data() + 4, bytes.data(), bytes.size());
  return view;
}
std::string FarView(int32_t length, int32_t buffer, int32_t begin) {
  std::string rest = "pref";
  rest.append(reinterpret_cast<const char*>(&buffer), 4).append(reinterpret_cast<const char*>(&begin), 4);
  return View(length, rest);
}
// Views into a buffer of "abcdefghijklmnop".
std::string RowsOfViews(const std::string& views, const std::vector<uint8_t>& present = {0xff}) {
  // Views are aligned as integers of 32 bits.
  std::vector<int32_t> words(views.size() / 4);
  std::memcpy(words.data(), views.data(), views.size());
  Column column("vu", static_cast<int64_t>(views.size() / 16));
  const std::string bytes = "abcdefghijklmnop";
  column.With(present).With(words).With(std::vector<char>(bytes.begin(), bytes.end())).With(std::vector<int64_t>{16});
  return column.Rows();
}

TEST(ImportLayoutsTest, StringViews) {
  EXPECT_EQ(RowsOfViews(View(2, "xy") + FarView(13, 0, 3) + View(0, "") + View(12, "twelve bytes")),
            "[\"xy\",\"defghijklmnop\",\"\",\"twelve bytes\"]");
  EXPECT_EQ(RowsOfViews(FarView(1000, 7, -1) + View(1, "a"), {0b10}), "[null,\"a\"]");  // whatever is in an absent one
  EXPECT_EQ(RowsOfViews(FarView(14, 0, 3)),
            "the batch: element 0 is outside the buffers of the array: 14 bytes from 3 of buffer 0 of 1");
  EXPECT_THAT(RowsOfViews(FarView(13, 1, 0)), HasSubstr("is outside the buffers of the array"));
  EXPECT_THAT(RowsOfViews(FarView(13, -1, 0)), HasSubstr("is outside the buffers of the array"));
  EXPECT_THAT(RowsOfViews(FarView(13, 0, -1)), HasSubstr("is outside the buffers of the array"));
  EXPECT_EQ(RowsOfViews(FarView(-5, 0, 0)), "the batch: element 0 has -5 bytes");
  EXPECT_THAT(Column("vu", 1).WithNone().With(std::vector<int32_t>(4)).Rows(), HasSubstr("3 buffers or more; found 2"));
}

std::string RowsOfListViews(std::vector<int32_t> offsets, std::vector<int32_t> sizes, std::vector<uint8_t> present = {0xff}) {
  Column items = Numbers({1, 2, 3, 4});
  Column column("+vl", static_cast<int64_t>(offsets.size()));
  return column.With(present).With(offsets).With(sizes).Child("item", items).Rows();
}

TEST(ImportLayoutsTest, ListViews) {
  EXPECT_EQ(RowsOfListViews({2, 0, 4, 1}, {2, 2, 0, 3}), "[[3,4],[1,2],[],[2,3,4]]");
  EXPECT_EQ(RowsOfListViews({0, 1}, {1, 3}), "[[1],[2,3,4]]");
  EXPECT_EQ(RowsOfListViews({-7, 1}, {900, 1}, {0b10}), "[[],[2]]");
  EXPECT_EQ(RowsOfListViews({2}, {3}), "the batch: list 0 has 3 elements from 2 on, and the array has 4");
  EXPECT_EQ(RowsOfListViews({0}, {-1}), "the batch: list 0 has -1 elements from 0 on, and the array has 4");
  EXPECT_EQ(RowsOfListViews({-1}, {1}), "the batch: list 0 has 1 elements from -1 on, and the array has 4");
  // Many long lists of the same elements are more than there is memory for.
  Column items = Numbers(std::vector<int32_t>(50'000));
  Column column("+vl", 50'000);
  const std::vector<int32_t> all(50'000, 50'000);
  EXPECT_THAT(column.WithNone().With(std::vector<int32_t>(50'000)).With(all).Child("item", items).Rows(),
              HasSubstr("more than the limit of 50000000 for so little data; read fewer rows at a time"));
}

std::string RowsOfRuns(const std::vector<int16_t>& ends, int64_t offset, int64_t length) {
  Column run_ends("s", static_cast<int64_t>(ends.size()));
  run_ends.WithNone().With(ends);
  Column values = Numbers({7, 8, 9});
  Column column("+r", length);
  column.array.offset = offset;
  return column.Child("run_ends", run_ends).Child("values", values).Rows();
}

TEST(ImportLayoutsTest, RunEnds) {
  EXPECT_EQ(RowsOfRuns({2, 3, 6}, 0, 6), "[7,7,8,9,9,9]");
  EXPECT_EQ(RowsOfRuns({2, 3, 6}, 1, 3), "[7,8,9]");
  EXPECT_EQ(RowsOfRuns({2, 3, 6}, 4, 0), "[]");
  EXPECT_EQ(RowsOfRuns({2, 3, 6}, 2, 5), "the batch: the runs end at 6, and the array at 7");
  EXPECT_EQ(RowsOfRuns({2, 2, 6}, 0, 6), "the batch: run 1 ends at 2, which is not after 2");
  EXPECT_EQ(RowsOfRuns({-1, 3, 6}, 0, 6), "the batch: run 0 ends at -1, which is not after 0");
  EXPECT_THAT(RowsOfRuns({1, 2, 3, 4}, 0, 4), HasSubstr("have fewer values than they need"));
  EXPECT_THAT(RowsOfRuns({2}, 0, int64_t{1} << 40), HasSubstr("expands to 1099511627776 elements"));
  EXPECT_THAT(RowsOfRuns({2}, int64_t{1} << 62, 1), HasSubstr("no array has 1 elements from"));
}

std::string RowsOfUnion(const std::string& format, const std::vector<int8_t>& ids, const std::vector<int32_t>& offsets,
                        const char* second = "text") {
  Column numbers = Numbers({10, 20, 30});
  Column strings("u", 3);
  strings.With(std::vector<uint8_t>{0b101}).With(std::vector<int32_t>{0, 1, 1, 2}).With(std::vector<char>{'a', 'b'});
  Column column(format, static_cast<int64_t>(ids.size()));
  column.With(ids);
  if (!offsets.empty()) column.With(offsets);
  return column.Child("number", numbers).Child(second, strings.Nullable()).Rows();
}

TEST(ImportLayoutsTest, UnionsAreStructsOfTheirMembers) {
  EXPECT_EQ(RowsOfUnion("+ud:4,9", {9, 4, 9, 4}, {2, 0, 1, 0}),
            "[{\"number\":null,\"text\":\"b\"},{\"number\":10,\"text\":null},{\"number\":null,\"text\":null},"
            "{\"number\":10,\"text\":null}]");
  EXPECT_EQ(RowsOfUnion("+us:0,1", {0, 1, 1}, {}),
            "[{\"number\":10,\"text\":null},{\"number\":null,\"text\":null},{\"number\":null,\"text\":\"b\"}]");
  EXPECT_EQ(RowsOfUnion("+ud:0,1", {2}, {0}), "the batch: element 0 is of member 2, which \"+ud:0,1\" lacks");
  EXPECT_EQ(RowsOfUnion("+ud:0,1", {-1}, {0}), "the batch: element 0 is of member -1, which \"+ud:0,1\" lacks");
  EXPECT_EQ(RowsOfUnion("+ud:0,1", {1}, {3}), "the batch: element 0 is number 3 of the 3 that its member has");
  EXPECT_EQ(RowsOfUnion("+ud:0,1", {1}, {-1}), "the batch: element 0 is number -1 of the 3 that its member has");
  EXPECT_EQ(RowsOfUnion("+us:0,1", {0, 0, 0, 0}, {}), "field number: the array has 3 elements; at least 4 are needed");
  EXPECT_EQ(RowsOfUnion("+ud:0", {0}, {0}), "the batch: the type \"+ud:0\" has 1 members and 2 children");
  EXPECT_THAT(RowsOfUnion("+ud:0,0", {0}, {0}), HasSubstr("not one of its own from 0 to 127"));
  EXPECT_THAT(RowsOfUnion("+ud:0,200", {0}, {0}), HasSubstr("not one of its own from 0 to 127"));
  EXPECT_EQ(RowsOfUnion("+us:0,1", {0}, {}, "number"), "the batch: there are two fields named number");
}

TEST(ImportLayoutsTest, DecimalsAreTheirDigits) {
  const auto rows = [](const char* format, const std::vector<int32_t>& words, int64_t length) {
    Column column(format, length);
    return column.WithNone().With(words).Rows();
  };
  EXPECT_EQ(rows("d:9,2,32", {5, -5, 123456, 0, -100, std::numeric_limits<int32_t>::min()}, 6),
            "[\"0.05\",\"-0.05\",\"1234.56\",\"0.00\",\"-1.00\",\"-21474836.48\"]");
  EXPECT_EQ(rows("d:3,0,64", {7, 0, -7, -1}, 2), "[\"7\",\"-7\"]");
  EXPECT_EQ(rows("d:3,-2,32", {12, 0, -1}, 3), "[\"1200\",\"0\",\"-100\"]");
  EXPECT_EQ(rows("d:20,3", {0, 0, 1, 0}, 1), "[\"18446744073709551.616\"]");                                    // 2^64
  EXPECT_EQ(rows("d:76,0,256", {0, 0, 0, 0, 1, 0, 0, 0}, 1), "[\"340282366920938463463374607431768211456\"]");  // 2^128
  for (const char* format : {"d:3", "d:3,x", "d:3,77", "d:3,-77", "d:3,1,48", "d:3,1,128,1"}) {
    EXPECT_THAT(rows(format, {0, 0, 0, 0}, 1), HasSubstr("is not a decimal number of 32, 64, 128 or 256 bits")) << format;
  }
}

TEST(ImportLayoutsTest, DatesAndTimesOfDay) {
  const auto spec = [](const char* format) {
    Column column(format, 1);
    const absl::StatusOr<Value> value = column.WithNone().With(std::vector<int64_t>{1}).Import();
    return value.ok() ? value->tensor()->spec().dtype() : DType::kBfloat16;
  };
  EXPECT_EQ(spec("tdm"), DType::kTimestampMs);
  EXPECT_EQ(spec("ttu"), DType::kDurationUs);
  EXPECT_EQ(spec("ttn"), DType::kDurationNs);
  EXPECT_EQ(spec("tsu:Asia/Kolkata"), DType::kTimestampUs);
  for (const auto& [format, dtype, one] : {std::tuple("tdD", DType::kTimestampS, 86'400),
                                           std::tuple("tts", DType::kDurationS, 1), std::tuple("ttm", DType::kDurationMs, 1)}) {
    Column column(format, 2);
    const absl::StatusOr<Value> value = column.WithNone().With(std::vector<int32_t>{-3, 2}).Import();
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->tensor()->dtype(), dtype);
    EXPECT_EQ(value->tensor()->values<int64_t>()[0], -3 * one);
    EXPECT_EQ(value->tensor()->values<int64_t>()[1], 2 * one);
  }
}

TEST(ImportLayoutsTest, NullListsAreEmptyWhateverTheyHave) {
  Column items = Numbers({1, 2, 3, 4});
  Column column("+l", 3);
  EXPECT_EQ(column.With(std::vector<uint8_t>{0b101}).With(std::vector<int32_t>{0, 1, 3, 4}).Child("item", items).Rows(),
            "[[1],[],[4]]");
}

TEST(ImportLayoutsTest, NullFixedSizeListsHaveNullElements) {
  Column items = Numbers({1, 2, 3, 4});
  Column column("+w:2", 2);
  EXPECT_EQ(column.With(std::vector<uint8_t>{0b10}).Child("item", items).Nullable().Rows(), "[[null,null],[3,4]]");
  // Also below another axis, and of lists, which are empty.
  Column inner_items = Numbers({1, 2, 3, 4});
  Column inner("+w:2", 2);
  inner.WithNone().Child("item", inner_items);
  Column outer("+w:1", 2);
  EXPECT_EQ(outer.With(std::vector<uint8_t>{0b01}).Child("item", inner).Rows(), "[[[1,2]],[[null,null]]]");
  Column list_items = Numbers({1, 2, 3});
  Column lists("+l", 4);
  lists.WithNone().With(std::vector<int32_t>{0, 1, 2, 2, 3}).Child("item", list_items);
  Column of_lists("+w:2", 2);
  const absl::StatusOr<Value> value = of_lists.With(std::vector<uint8_t>{0b10}).Child("item", lists).Import();
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(ToJson(*value), "[[[],[]],[[],[3]]]");
  EXPECT_TRUE(value->ragged()->row_partitions()[0].is_uniform());
}

TEST(ImportLayoutsTest, ValidityDoesNotDependOnWhetherARowIsNull) {
  for (const std::vector<uint8_t>& present : {std::vector<uint8_t>{0b11}, std::vector<uint8_t>{0b01}}) {
    Column items = Numbers({1, 2, 3, 4});
    Column column("+w:2", 2);
    const absl::StatusOr<Value> value = column.With(present).Child("item", items).Nullable().Import();
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_TRUE(value->tensor()->nullable());
  }
}

TEST(ImportLayoutsTest, DictionariesOfListsAndStructs) {
  Column items = Numbers({1, 2, 3});
  Column lists("+l", 2);
  lists.WithNone().With(std::vector<int32_t>{0, 2, 3}).Child("item", items).Finish();
  Column column("C", 4);
  column.With(std::vector<uint8_t>{0b1011}).With(std::vector<uint8_t>{1, 0, 77, 1});
  column.schema.dictionary = &lists.schema;
  column.array.dictionary = &lists.array;
  EXPECT_EQ(column.Rows(), "[[3],[1,2],[],[3]]");

  Column x = Numbers({5, 6});
  Column structs("+s", 2);
  structs.WithNone().Child("x", x).Finish();
  Column of_structs("c", 3);
  of_structs.With(std::vector<uint8_t>{0b101}).With(std::vector<int8_t>{1, 0, 0});
  of_structs.schema.dictionary = &structs.schema;
  of_structs.array.dictionary = &structs.array;
  EXPECT_EQ(of_structs.Rows(), "[{\"x\":6},null,{\"x\":5}]");
}

TEST(ImportLayoutsTest, ListsOfNothingKeepTheirLengths) {
  Column nothing("n", 3);
  Column column("+l", 2);
  EXPECT_EQ(column.WithNone().With(std::vector<int32_t>{0, 2, 3}).Child("item", nothing).Rows(), "[[null,null],[null]]");
  EXPECT_THAT(Column("n", int64_t{1} << 40).Rows(), HasSubstr("expands to 1099511627776 elements"));
  EXPECT_THAT(Column("w:0", int64_t{1} << 40).WithNone().WithNone().Rows(), HasSubstr("expands to 1099511627776 elements"));
  EXPECT_THAT(Column("+s", int64_t{1} << 40).WithNone().Nullable().Rows(), HasSubstr("expands to 1099511627776 elements"));
}

TEST(ImportLayoutsTest, MissingAndMisalignedBuffersAreErrors) {
  for (const char* format : {"i", "c", "b", "e", "tdD", "ttm", "d:9,2", "tsn:"}) {
    EXPECT_EQ(Column(format, 1).WithNone().WithNone().Rows(), "the batch: the array has no values") << format;
    EXPECT_THAT(Column(format, 1).WithNone().Rows(), HasSubstr("has 2 buffers; found 1")) << format;
  }
  EXPECT_EQ(Column("u", 1).WithNone().WithNone().WithNone().Rows(), "the batch: the array has no offsets");
  EXPECT_EQ(Column("vu", 1).WithNone().WithNone().WithNone().Rows(), "the batch: the array has no views");
  EXPECT_EQ(Column("+us:", 1).WithNone().Rows(), "the batch: the array has no numbers of members");
  Column items = Numbers({1});
  EXPECT_EQ(Column("+vL", 1).WithNone().WithNone().WithNone().Child("item", items).Rows(),
            "the batch: the array has no offsets");
  EXPECT_EQ(Column("+r", 1).Rows(), "the batch: run-end encoded data has two children, run ends and values");
  Column column("l", 1);
  column.WithNone().With(std::vector<int64_t>{1, 2});
  column.buffers[1] = static_cast<const char*>(column.buffers[1]) + 1;
  EXPECT_EQ(column.Rows(), "the batch: the values of the array are not aligned to 8 bytes; copy the array");
}

}  // namespace
}  // namespace structtensor
