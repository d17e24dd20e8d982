#include "structtensor/io/column_files/internal/parquet_file.h"

#include <arrow/array.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/builder.h>
#include <arrow/io/memory.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "structtensor/io/column_files/internal/parquet_leaves.h"

namespace structtensor::column_files_internal {
namespace {

using Batches = std::vector<std::shared_ptr<arrow::RecordBatch>>;

struct Options {
  arrow::Compression::type compression = arrow::Compression::UNCOMPRESSED;
  int threads = 1;
  size_t batches_of_row_group = 100;
};

// `schema`: of the file, if the batches do not have all of its columns.
std::shared_ptr<arrow::Buffer> FileOf(const Batches& batches, const Options& options,
                                      std::shared_ptr<arrow::Schema> schema = nullptr) {
  if (schema == nullptr) schema = batches.front()->schema();
  auto output = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto file = ParquetFile::Open(output, *schema, {options.compression}, options.threads).ValueOrDie();
  for (size_t i = 0; i < batches.size(); ++i) {
    if (i % options.batches_of_row_group == 0) {
      EXPECT_TRUE(file->BeginRowGroup().ok());
    }
    const auto leaves = ParquetLeavesOf(*batches[i], *schema).ValueOrDie();
    const arrow::Status written = file->Write(leaves, batches[i]->num_rows());
    EXPECT_TRUE(written.ok()) << written.ToString();
  }
  EXPECT_TRUE(file->Close().ok());
  return output->Finish().ValueOrDie();
}

std::shared_ptr<arrow::Table> Read(const std::shared_ptr<arrow::Buffer>& file) {
  auto reader =
      parquet::arrow::OpenFile(std::make_shared<arrow::io::BufferReader>(file), arrow::default_memory_pool()).ValueOrDie();
  auto table = reader->ReadTable().ValueOrDie();
  EXPECT_TRUE(table->ValidateFull().ok()) << table->ValidateFull().ToString();
  return table;
}

void ExpectReadsBack(const Batches& batches, const Options& options) {
  const auto expected = arrow::Table::FromRecordBatches(batches).ValueOrDie();
  const auto actual = Read(FileOf(batches, options));
  ASSERT_TRUE(actual->schema()->Equals(*expected->schema())) << actual->schema()->ToString();
  ASSERT_TRUE(actual->Equals(*expected)) << actual->ToString() << "\nexpected\n" << expected->ToString();
}

// Schemas and batches at random. All values of a node may be absent, in a batch or in all.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(engine_); }

  std::shared_ptr<arrow::DataType> Type(int depth) {
    static const std::vector<std::shared_ptr<arrow::DataType>> kScalars = {
        arrow::int32(),       arrow::utf8(),    arrow::boolean(),    arrow::timestamp(arrow::TimeUnit::MICRO),
        arrow::int8(),        arrow::uint8(),   arrow::int16(),      arrow::uint16(),
        arrow::uint32(),      arrow::int64(),   arrow::uint64(),     arrow::float16(),
        arrow::float32(),     arrow::float64(), arrow::large_utf8(), arrow::binary(),
        arrow::large_binary()};
    switch (Below(depth > 0 ? 8 : 4)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return kScalars[static_cast<size_t>(Below(static_cast<int>(kScalars.size())))];
      case 4:
        return arrow::list(Field("element", depth - 1));
      case 5:
        return arrow::large_list(Field("element", depth - 1));
      case 6:
        return arrow::map(arrow::utf8(), Field("value", depth - 1));
      default: {
        arrow::FieldVector fields;
        const int count = 1 + Below(3);
        for (int i = 0; i < count; ++i) fields.push_back(Field("f" + std::to_string(i), depth - 1));
        return arrow::struct_(fields);
      }
    }
  }

  std::shared_ptr<arrow::Field> Field(const std::string& name, int depth) {
    const auto type = Type(depth);
    return arrow::field(name, type, /*nullable=*/Below(3) > 0);
  }

  std::shared_ptr<arrow::Schema> Schema() {
    arrow::FieldVector fields;
    const int count = 1 + Below(4);
    for (int i = 0; i < count; ++i) fields.push_back(Field("c" + std::to_string(i), 4));
    return arrow::schema(fields);
  }

  std::shared_ptr<arrow::RecordBatch> Batch(const std::shared_ptr<arrow::Schema>& schema, int64_t rows) {
    arrow::ArrayVector columns;
    for (const auto& field : schema->fields()) columns.push_back(Array(*field, rows));
    return arrow::RecordBatch::Make(schema, rows, columns);
  }

 private:
  // Some are slices of longer ones.
  std::shared_ptr<arrow::Array> Array(const arrow::Field& field, int64_t length) {
    const int64_t front = Below(4) == 0 ? Below(5) : 0;
    const int64_t back = Below(4) == 0 ? Below(5) : 0;
    return Whole(field, front + length + back)->Slice(front, length);
  }

  std::shared_ptr<arrow::Array> Whole(const arrow::Field& field, int64_t length) {
    static constexpr int kPercents[] = {0, 30, 90, 100};
    const int percent = field.nullable() ? kPercents[Below(4)] : 0;
    std::shared_ptr<arrow::Buffer> valid;
    int64_t null_count = 0;
    if (percent > 0) {
      arrow::TypedBufferBuilder<bool> bits;
      for (int64_t i = 0; i < length; ++i) {
        const bool is_null = Below(100) < percent;
        null_count += is_null ? 1 : 0;
        EXPECT_TRUE(bits.Append(!is_null).ok());
      }
      valid = bits.Finish().ValueOrDie();
    }
    switch (field.type()->id()) {
      case arrow::Type::STRUCT: {
        arrow::ArrayVector children;
        for (const auto& child : field.type()->fields()) children.push_back(Array(*child, length));
        return std::make_shared<arrow::StructArray>(field.type(), length, children, valid, null_count);
      }
      case arrow::Type::LIST:
      case arrow::Type::MAP:
        return Lists<int32_t>(field, length, valid, null_count);
      case arrow::Type::LARGE_LIST:
        return Lists<int64_t>(field, length, valid, null_count);
      default:
        return Scalars(field, length, valid, null_count);
    }
  }

  // Lists that are absent may have elements, and elements may be in no list.
  template <typename Offset>
  std::shared_ptr<arrow::Array> Lists(const arrow::Field& field, int64_t length, const std::shared_ptr<arrow::Buffer>& valid,
                                      int64_t null_count) {
    arrow::TypedBufferBuilder<Offset> offsets;
    const bool all_empty = Below(4) == 0;
    auto end = static_cast<Offset>(Below(4) == 0 ? Below(3) : 0);
    EXPECT_TRUE(offsets.Append(end).ok());
    for (int64_t i = 0; i < length; ++i) {
      if (!all_empty) end = static_cast<Offset>(end + std::max(0, Below(6) - 2));
      EXPECT_TRUE(offsets.Append(end).ok());
    }
    const auto elements = Array(*field.type()->field(0), end + Below(2));
    auto data =
        arrow::ArrayData::Make(field.type(), length, {valid, offsets.Finish().ValueOrDie()}, {elements->data()}, null_count);
    return arrow::MakeArray(data);
  }

  std::shared_ptr<arrow::Array> Scalars(const arrow::Field& field, int64_t length, const std::shared_ptr<arrow::Buffer>& valid,
                                        int64_t null_count) {
    const int different = Below(2) == 0 ? 3 : 1000;
    std::vector<std::shared_ptr<arrow::Buffer>> buffers;
    if (arrow::is_base_binary_like(field.type()->id())) {
      const auto builder = arrow::MakeBuilder(field.type()).ValueOrDie();
      const bool large = arrow::is_large_binary_like(field.type()->id());
      for (int64_t i = 0; i < length; ++i) {
        const int value = Below(different);
        const std::string text = std::string(static_cast<size_t>(value % 20), 'a') + std::to_string(value);
        EXPECT_TRUE((large ? static_cast<arrow::LargeBinaryBuilder&>(*builder).Append(text)
                           : static_cast<arrow::BinaryBuilder&>(*builder).Append(text))
                        .ok());
      }
      buffers = builder->Finish().ValueOrDie()->data()->buffers;
      buffers[0] = valid;
    } else {
      // Little-endian numbers; of booleans, eight at a time.
      const auto width = static_cast<size_t>(std::max(1, arrow::bit_width(field.type()->id()) / 8));
      std::string bytes;
      for (int64_t i = 0; i < length; ++i) {
        const auto value = static_cast<uint64_t>(Below(different));
        bytes.append(reinterpret_cast<const char*>(&value), width);
      }
      buffers = {valid, arrow::Buffer::FromString(bytes)};
    }
    return arrow::MakeArray(arrow::ArrayData::Make(field.type(), length, buffers, null_count));
  }

  std::mt19937 engine_;
};

TEST(ParquetFile, RandomBatchesReadBackEqual) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto schema = random.Schema();
    Batches batches;
    const int count = 1 + random.Below(5);
    for (int i = 0; i < count; ++i) batches.push_back(random.Batch(schema, random.Below(30)));
    ExpectReadsBack(batches, {.compression = random.Below(2) == 0 ? arrow::Compression::UNCOMPRESSED : arrow::Compression::ZSTD,
                              .threads = 1 + random.Below(3),
                              .batches_of_row_group = static_cast<size_t>(1 + random.Below(5))});
    if (HasFailure()) break;
  }
}

// Lists of `length` elements. All elements are absent, or all are present.
std::shared_ptr<arrow::RecordBatch> Elements(bool absent, int rows, int length,
                                             const std::shared_ptr<arrow::DataType>& type = arrow::int64()) {
  arrow::ListBuilder list(arrow::default_memory_pool(), arrow::MakeBuilder(type).ValueOrDie());
  for (int row = 0; row < rows; ++row) {
    EXPECT_TRUE(list.Append().ok());
    for (int i = 0; i < length; ++i) {
      EXPECT_TRUE((absent ? list.value_builder()->AppendNull() : list.value_builder()->AppendEmptyValue()).ok());
    }
  }
  const auto array = list.Finish().ValueOrDie();
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("list", array->type())}), rows, {array});
}

template <typename Lists>
bool HasElements(const arrow::Array& array) {
  const auto& lists = static_cast<const Lists&>(array);
  return lists.value_offset(lists.length()) != lists.value_offset(0);
}

bool IsEmpty(const arrow::Field& field, const arrow::Array& array) {
  if (field.nullable()) return array.null_count() == array.length();
  switch (array.type_id()) {
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return !HasElements<arrow::ListArray>(array);
    case arrow::Type::LARGE_LIST:
      return !HasElements<arrow::LargeListArray>(array);
    default:
      return false;
  }
}

struct Fields {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
};

// Returns the fields that have values. Structs in them lose their fields without values, too.
Fields WithoutEmptyFields(const arrow::FieldVector& fields, const arrow::ArrayVector& arrays);

std::shared_ptr<arrow::Array> WithoutEmptyFields(const std::shared_ptr<arrow::Array>& array);

template <typename Lists, typename Type>
std::shared_ptr<arrow::Array> ListsWithoutEmptyFields(const Lists& lists) {
  const auto values = WithoutEmptyFields(lists.values());
  const auto type = std::make_shared<Type>(lists.list_type()->value_field()->WithType(values->type()));
  return std::make_shared<Lists>(type, lists.length(), lists.value_offsets(), values, lists.null_bitmap(), lists.null_count(),
                                 lists.offset());
}

std::shared_ptr<arrow::Array> WithoutEmptyFields(const std::shared_ptr<arrow::Array>& array) {
  if (array->type_id() == arrow::Type::STRUCT) {
    const auto& structs = static_cast<const arrow::StructArray&>(*array);
    const auto& [fields, arrays] = WithoutEmptyFields(structs.struct_type()->fields(), structs.fields());
    std::shared_ptr<arrow::Buffer> valid;
    if (structs.null_bitmap() != nullptr) {
      valid = arrow::internal::CopyBitmap(arrow::default_memory_pool(), structs.null_bitmap_data(), structs.offset(),
                                          structs.length())
                  .ValueOrDie();
    }
    return std::make_shared<arrow::StructArray>(arrow::struct_(fields), structs.length(), arrays, valid, structs.null_count());
  }
  if (array->type_id() == arrow::Type::LIST) {
    return ListsWithoutEmptyFields<arrow::ListArray, arrow::ListType>(static_cast<const arrow::ListArray&>(*array));
  }
  if (array->type_id() == arrow::Type::LARGE_LIST) {
    return ListsWithoutEmptyFields<arrow::LargeListArray, arrow::LargeListType>(
        static_cast<const arrow::LargeListArray&>(*array));
  }
  return array;
}

Fields WithoutEmptyFields(const arrow::FieldVector& fields, const arrow::ArrayVector& arrays) {
  Fields kept;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (IsEmpty(*fields[i], *arrays[i])) continue;
    kept.arrays.push_back(WithoutEmptyFields(arrays[i]));
    kept.fields.push_back(fields[i]->WithType(kept.arrays.back()->type()));
  }
  return kept;
}

TEST(ParquetFile, ColumnsThatABatchDoesNotHaveAreEmpty) {
  size_t left_out = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto schema = random.Schema();
    Batches batches;
    Batches with_values;
    for (int i = 0; i < 3; ++i) {
      const auto& batch = batches.emplace_back(random.Batch(schema, random.Below(30)));
      const auto& [fields, arrays] = WithoutEmptyFields(schema->fields(), batch->columns());
      left_out += static_cast<size_t>(batch->num_columns()) - fields.size();
      with_values.push_back(arrow::RecordBatch::Make(arrow::schema(fields), batch->num_rows(), arrays));
    }
    ASSERT_TRUE(FileOf(batches, {})->Equals(*FileOf(with_values, {}, schema)));
  }
  EXPECT_GT(left_out, 200u);
}

TEST(ParquetFile, ColumnsThatTheFileDoesNotHaveAreRefused) {
  const auto batch = Elements(false, 2, 2);
  const auto other = arrow::schema({arrow::field("other", arrow::int32())});
  EXPECT_TRUE(ParquetLeavesOf(*batch, *other).status().IsInvalid());
  const auto none = arrow::RecordBatch::Make(arrow::schema({}), 2, arrow::ArrayVector());
  EXPECT_TRUE(ParquetLeavesOf(*none, *other).ok());
  const auto required = arrow::schema({arrow::field("other", arrow::int32(), /*nullable=*/false)});
  EXPECT_TRUE(ParquetLeavesOf(*none, *required).status().IsInvalid());
}

// More levels than a page without values has.
TEST(ParquetFile, ValuesMayFollowManyPagesWithoutAny) {
  for (const auto& type : {arrow::boolean(), arrow::int8(), arrow::int32(), arrow::uint64(), arrow::float32(), arrow::float64(),
                           arrow::utf8(), arrow::binary(), arrow::timestamp(arrow::TimeUnit::NANO), arrow::float16()}) {
    SCOPED_TRACE(type->ToString());
    const auto absent = Elements(true, 100, 1000, type);
    ExpectReadsBack({absent, absent, absent, Elements(false, 3, 5, type), absent}, {.compression = arrow::Compression::ZSTD});
  }
  const auto absent = Elements(true, 100, 1000);
  ExpectReadsBack({absent, absent, absent, absent, absent}, {.threads = 2, .batches_of_row_group = 2});
}

// Batches of one row. Many batches make one page.
TEST(ParquetFile, ManySmallBatchesMakeFewPages) {
  Batches batches(1000, Elements(true, 1, 2));
  ExpectReadsBack(batches, {});
  EXPECT_LT(FileOf(batches, {})->size(), 9000);
  batches.push_back(Elements(false, 1, 2));
  ExpectReadsBack(batches, {});
}

TEST(ParquetFile, ListsOfAFixedSizeReadBackEqual) {
  auto values = arrow::Int32Builder();
  ASSERT_TRUE(values.AppendValues({1, 2, 3, 4, 5, 6}).ok());
  const auto field = arrow::field("element", arrow::int32(), /*nullable=*/false);
  const auto lists = arrow::FixedSizeListArray::FromArrays(values.Finish().ValueOrDie(), arrow::fixed_size_list(field, 2));
  const auto array = lists.ValueOrDie();
  const auto schema = arrow::schema({arrow::field("pair", array->type(), /*nullable=*/false)});
  ExpectReadsBack({arrow::RecordBatch::Make(schema, 3, {array}), arrow::RecordBatch::Make(schema, 2, {array->Slice(1, 2)})},
                  {});
}

// Absent lists of a fixed size have elements, which are left out.
TEST(ParquetFile, ListsOfAFixedSizeHaveTheLevelsOfOtherLists) {
  arrow::Int32Builder numbers;
  ASSERT_TRUE(numbers.AppendValues({1, 2, 3, 4, 5, 6, 7, 8}).ok());
  const std::shared_ptr<arrow::Array> values = numbers.Finish().ValueOrDie();
  const std::shared_ptr<arrow::Buffer> present = arrow::Buffer::FromVector(std::vector<uint8_t>{0b1101});
  const auto fixed = std::make_shared<arrow::FixedSizeListArray>(arrow::fixed_size_list(arrow::int32(), 2), 4, values, present);
  const auto offsets = arrow::Buffer::FromVector(std::vector<int32_t>{0, 2, 4, 6, 8});
  const auto lists = std::make_shared<arrow::ListArray>(arrow::list(arrow::int32()), 4, offsets, values, present);
  const auto leaf_of = [](const std::shared_ptr<arrow::Array>& array) {
    const auto schema = arrow::schema({arrow::field("list", array->type())});
    return ParquetLeavesOf(*arrow::RecordBatch::Make(schema, array->length(), {array}), *schema).ValueOrDie().at(0);
  };
  for (const auto& [begin, expected] : std::map<int64_t, std::vector<int32_t>>{{0, {1, 2, 5, 6, 7, 8}}, {1, {5, 6, 7, 8}}}) {
    const ParquetLeaf a = leaf_of(fixed->Slice(begin));
    const ParquetLeaf b = leaf_of(lists->Slice(begin));
    ASSERT_EQ(a.number_of_levels, b.number_of_levels);
    EXPECT_TRUE(std::equal(a.definition.get(), a.definition.get() + a.number_of_levels, b.definition.get()));
    EXPECT_TRUE(std::equal(a.repetition.get(), a.repetition.get() + a.number_of_levels, b.repetition.get()));
    arrow::Int32Builder in_lists;
    ASSERT_TRUE(in_lists.AppendValues(expected).ok());
    EXPECT_TRUE(a.values->Equals(*in_lists.Finish().ValueOrDie()));
    EXPECT_TRUE(b.values->Equals(*a.values));
  }
}

// The row group's column with these values: `value_of(i)` of `count` rows, a row group of `batches` calls.
template <typename Builder, typename ValueOf>
std::shared_ptr<arrow::RecordBatch> Column(const std::shared_ptr<arrow::DataType>& type, int64_t count,
                                           const ValueOf& value_of) {
  const auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(static_cast<Builder&>(*builder).Append(value_of(i)).ok());
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("value", type)}), count, {builder->Finish().ValueOrDie()});
}

std::set<parquet::Encoding::type> EncodingsOf(const std::shared_ptr<arrow::Buffer>& file) {
  const auto metadata = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file))->metadata();
  const auto encodings = metadata->RowGroup(0)->ColumnChunk(0)->encodings();
  return {encodings.begin(), encodings.end()};
}

TEST(ParquetFile, DictionariesAreGivenUpWhereTheyDoNotPay) {
  const auto few = Column<arrow::Int64Builder>(arrow::int64(), 200'000, [](int64_t i) { return i % 10; });
  const auto many = Column<arrow::DoubleBuilder>(arrow::float64(), 200'000, [](int64_t i) { return static_cast<double>(i); });
  const auto repeated =
      Column<arrow::DoubleBuilder>(arrow::float64(), 200'000, [](int64_t i) { return static_cast<double>(i % 10); });
  const auto strings =
      Column<arrow::StringBuilder>(arrow::utf8(), 50'000, [](int64_t i) { return std::to_string(i * 77) + "text"; });
  const auto three = Column<arrow::StringBuilder>(arrow::utf8(), 50'000, [](int64_t i) { return std::to_string(i % 3); });
  using parquet::Encoding;
  EXPECT_EQ(EncodingsOf(FileOf({few}, {})), (std::set{Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY}));
  EXPECT_EQ(EncodingsOf(FileOf({many}, {})), (std::set{Encoding::PLAIN, Encoding::RLE}));
  EXPECT_EQ(EncodingsOf(FileOf({strings}, {})), (std::set{Encoding::PLAIN, Encoding::RLE}));
  for (const Batches& batches : {Batches{few},
                                 {many},
                                 {strings},
                                 {three},
                                 {repeated, repeated, repeated, repeated, repeated, repeated, many, repeated},
                                 {many, repeated},
                                 {three, three, strings, three}}) {
    ExpectReadsBack(batches, {});
  }
}

// The encodings of the data pages of the only column.
std::set<parquet::Encoding::type> DataEncodingsOf(const std::shared_ptr<arrow::Buffer>& file) {
  const auto metadata = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file))->metadata();
  const auto chunk = metadata->RowGroup(0)->ColumnChunk(0);
  std::set<parquet::Encoding::type> encodings;
  for (const parquet::PageEncodingStats& pages : chunk->encoding_stats()) {
    if (pages.page_type == parquet::PageType::DATA_PAGE) encodings.insert(pages.encoding);
  }
  return encodings;
}

template <typename ValueOf>
std::shared_ptr<arrow::RecordBatch> Integers(int64_t count, const ValueOf& value_of) {
  return Column<arrow::Int64Builder>(arrow::int64(), count, value_of);
}

using Encodings = std::set<parquet::Encoding::type>;
const Encodings kDictionary = {parquet::Encoding::RLE_DICTIONARY};
const Encodings kDifferences = {parquet::Encoding::DELTA_BINARY_PACKED};
const Encodings kPlain = {parquet::Encoding::PLAIN};

TEST(ParquetFile, IntegersAreDifferencesWhereTheseAreSmaller) {
  std::mt19937_64 bits(1);
  const auto sequence = Integers(300'000, [](int64_t i) { return i; });
  const auto random = Integers(200'000, [&bits](int64_t) { return static_cast<int64_t>(bits()); });
  // The dictionary would be smaller than the values, but not than the differences.
  const auto again = Integers(200'000, [](int64_t i) { return i % 1000; });
  const auto few = Integers(200'000, [](int64_t i) { return i % 256; });
  const auto scattered = Integers(200'000, [&bits](int64_t) { return static_cast<int64_t>(bits() % 1000); });
  // Five batches make a page with a dictionary, and each of the others a page without one.
  const Batches all_kinds = {scattered, scattered, scattered, scattered, scattered, random, sequence};
  const auto narrow = [](int64_t i) { return static_cast<uint32_t>(i * 3 - 5); };  // begins with the greatest ones
  const std::vector<std::pair<Batches, Encodings>> cases = {
      {{sequence}, kDifferences},
      {{random}, kPlain},
      {{again}, kDifferences},
      {{few}, kDictionary},
      {{scattered}, kDictionary},
      {{sequence, random}, {parquet::Encoding::DELTA_BINARY_PACKED, parquet::Encoding::PLAIN}},
      {all_kinds, {parquet::Encoding::RLE_DICTIONARY, parquet::Encoding::PLAIN, parquet::Encoding::DELTA_BINARY_PACKED}},
      {{Column<arrow::UInt32Builder>(arrow::uint32(), 5000, narrow)}, kDifferences},
      {{Column<arrow::UInt16Builder>(arrow::uint16(), 5000, narrow)}, kDifferences},
      {{Column<arrow::Int32Builder>(arrow::int32(), 5000, narrow)}, kDifferences},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    for (const auto compression : {arrow::Compression::UNCOMPRESSED, arrow::Compression::ZSTD}) {
      EXPECT_EQ(DataEncodingsOf(FileOf(cases[i].first, {.compression = compression})), cases[i].second) << "case " << i;
      ExpectReadsBack(cases[i].first, {.compression = compression});
    }
  }
}

// A codec finds a value that comes again, but not its two differences.
TEST(ParquetFile, TheCodecDecidesWhetherDifferencesAreSmaller) {
  std::mt19937_64 bits(1);
  int64_t value = 0;
  const auto twice =
      Integers(400'000, [&](int64_t i) { return value = i % 2 == 0 ? static_cast<int64_t>(bits() >> 16) : value; });
  EXPECT_EQ(DataEncodingsOf(FileOf({twice}, {})), kDifferences);
  EXPECT_EQ(DataEncodingsOf(FileOf({twice}, {.compression = arrow::Compression::ZSTD})), kPlain);
}

TEST(ParquetFile, TheWholePageDecidesWhetherDifferencesAreSmaller) {
  std::mt19937_64 bits(1);
  std::vector<int64_t> values(30'000);
  for (int64_t& value : values) value = static_cast<int64_t>(bits() >> 16);
  // A sequence, at the beginning or at the end, among values at random, or the other way round.
  const auto with_sequence = [&](int64_t begin, int64_t end) {
    return Integers(300'000, [&, begin, end](int64_t i) { return i >= begin && i < end ? i : values[bits() % values.size()]; });
  };
  EXPECT_EQ(DataEncodingsOf(FileOf({with_sequence(280'000, 300'000)}, {})), kDictionary);
  EXPECT_EQ(DataEncodingsOf(FileOf({with_sequence(0, 20'000)}, {})), kDictionary);
  const auto mostly_again =
      Integers(300'000, [&](int64_t i) { return i < 20'000 || i >= 280'000 ? static_cast<int64_t>(bits() % 1000) : i % 1000; });
  EXPECT_EQ(DataEncodingsOf(FileOf({mostly_again}, {})), kDifferences);
}

TEST(ParquetFile, PagesOfLongValuesEndEarlier) {
  const auto batch =
      Column<arrow::StringBuilder>(arrow::utf8(), 10'000, [text = std::string(1024, 'a')](int64_t) { return text; });
  const auto file = FileOf(Batches(8, batch), {});  // ten million bytes a batch, and indices without bits
  const auto reader = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file));
  const auto pages = reader->RowGroup(0)->GetColumnPageReader(0);
  std::vector<int32_t> values_of_pages;
  while (const auto page = pages->NextPage()) {
    if (page->type() == parquet::PageType::DATA_PAGE) {
      values_of_pages.push_back(static_cast<const parquet::DataPage&>(*page).num_values());
    }
  }
  EXPECT_EQ(values_of_pages, (std::vector<int32_t>{40'000, 40'000}));
}

TEST(ParquetFile, DifferencesLeaveOutAbsentValues) {
  arrow::Int64Builder values;
  arrow::Int32Builder offsets;
  for (int64_t i = 0; i < 6000; ++i) {
    EXPECT_TRUE((i % 3 == 1 ? values.AppendNull() : values.Append(i * i)).ok());
    if (i % 4 == 3) continue;
    EXPECT_TRUE(offsets.Append(static_cast<int32_t>(i)).ok());
  }
  const auto numbers = values.Finish().ValueOrDie();
  const auto lists = arrow::ListArray::FromArrays(*offsets.Finish().ValueOrDie(), *numbers).ValueOrDie();
  for (const std::shared_ptr<arrow::Array>& array : {numbers, std::shared_ptr<arrow::Array>(lists)}) {
    const auto batch =
        arrow::RecordBatch::Make(arrow::schema({arrow::field("value", array->type())}), array->length(), {array});
    EXPECT_EQ(DataEncodingsOf(FileOf({batch, batch}, {})), kDifferences);
    ExpectReadsBack({batch, batch}, {});
  }
}

// The number of different values in the dictionary of the only column.
int32_t DictionarySizeOf(const std::shared_ptr<arrow::Buffer>& file) {
  const auto reader = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file));
  const auto page = reader->RowGroup(0)->GetColumnPageReader(0)->NextPage();
  if (page == nullptr || page->type() != parquet::PageType::DICTIONARY_PAGE) return 0;
  return static_cast<const parquet::DictionaryPage&>(*page).num_values();
}

// Small integers are found in a table that grows with the dictionary. Those that came when it was smaller are in it, too.
TEST(ParquetFile, SmallAndLargeIntegersShareADictionary) {
  const auto check = [](const std::shared_ptr<arrow::RecordBatch>& batch, int32_t different) {
    EXPECT_EQ(DictionarySizeOf(FileOf({batch}, {})), different);
    ExpectReadsBack({batch}, {});
  };
  const auto many = Column<arrow::Int64Builder>(arrow::int64(), 600'000, [](int64_t i) { return 70'000 - i * 7919 % 70'001; });
  check(many, 70'001);
  ExpectReadsBack({many, many}, {});  // two pages
  check(Column<arrow::Int64Builder>(arrow::int64(), 20'000, [](int64_t i) { return i % 2 == 0 ? 900 - i % 900 : i % 5; }), 453);
  check(Column<arrow::Int64Builder>(arrow::int64(), 20'000,
                                    [](int64_t i) { return (i % 40 - 20) * (i % 3 == 0 ? int64_t{1} << 40 : 1); }),
        79);
  check(Column<arrow::UInt8Builder>(arrow::uint8(), 3'000, [](int64_t i) { return static_cast<uint8_t>(i * 11); }), 256);
}

// Lists with one long list first. Some of the other lists are absent, and none has elements.
std::shared_ptr<arrow::Array> OneLongList(const std::shared_ptr<arrow::Array>& elements) {
  arrow::Int32Builder offsets;
  EXPECT_TRUE(offsets.Append(0).ok());
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE((i % 3 == 1 ? offsets.AppendNull() : offsets.Append(static_cast<int32_t>(elements->length()))).ok());
  }
  EXPECT_TRUE(offsets.Append(static_cast<int32_t>(elements->length())).ok());
  return arrow::ListArray::FromArrays(*offsets.Finish().ValueOrDie(), *elements).ValueOrDie();
}

// About half of the values are absent. Nothing follows the presence bits, so the address sanitizer sees reads after them.
std::shared_ptr<arrow::Array> PartlyAbsent(const std::shared_ptr<arrow::DataType>& type, int64_t length) {
  const auto parsed = type->id() == arrow::Type::HALF_FLOAT ? arrow::uint16() : type;
  const auto builder = arrow::MakeBuilder(parsed).ValueOrDie();
  for (int64_t i = 0; i < length; ++i) {
    const auto value = arrow::Scalar::Parse(parsed, std::to_string(i % 2)).ValueOrDie();
    EXPECT_TRUE((i * i % 7 < 3 ? builder->AppendNull() : builder->AppendScalar(*value)).ok());
  }
  const auto data = builder->Finish().ValueOrDie()->data()->Copy();
  data->type = type;
  const uint8_t* const bits = data->buffers[0]->data();
  data->buffers[0] = arrow::Buffer::FromVector(std::vector<uint8_t>(bits, bits + (length + 7) / 8));
  return arrow::MakeArray(data);
}

TEST(ParquetFile, AbsentElementsReadBackEqual) {
  for (const auto& type : {arrow::int32(), arrow::boolean(), arrow::float16(), arrow::utf8()}) {
    for (const int64_t length : {1, 7, 8, 64, 1024, 1025, 5000}) {
      for (const int64_t from : {int64_t{0}, std::min<int64_t>(3, length - 1)}) {
        const auto elements = PartlyAbsent(type, length)->Slice(from);
        for (const auto& array : {elements, OneLongList(elements)}) {
          const auto schema = arrow::schema({arrow::field("value", array->type())});
          ExpectReadsBack({arrow::RecordBatch::Make(schema, array->length(), {array})}, {});
        }
      }
    }
  }
}

template <typename Statistics>
void ExpectRange(const std::shared_ptr<arrow::RecordBatch>& batch, const typename Statistics::T& min,
                 const typename Statistics::T& max) {
  const auto file = FileOf({batch}, {});
  const auto metadata = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file))->metadata();
  const auto statistics = std::static_pointer_cast<Statistics>(metadata->RowGroup(0)->ColumnChunk(0)->statistics());
  ASSERT_NE(statistics, nullptr);
  ASSERT_TRUE(statistics->HasMinMax());
  EXPECT_EQ(statistics->min(), min);
  EXPECT_EQ(statistics->max(), max);
}

TEST(ParquetFile, StatisticsHaveTheLeastAndTheGreatestValue) {
  // By a dictionary, and without one. The least and the greatest value come after a dictionary has been given up.
  for (const int64_t different : {5, 300'000}) {
    const int64_t count = std::max<int64_t>(different, 1000);
    const auto number = [different](int64_t i) { return (290'000 - i + different) % different - 2; };
    ExpectRange<parquet::Int64Statistics>(Column<arrow::Int64Builder>(arrow::int64(), count, number), -2, different - 3);
    ExpectRange<parquet::Int32Statistics>(Column<arrow::Int32Builder>(arrow::int32(), count, number), -2,
                                          static_cast<int32_t>(different - 3));
    ExpectRange<parquet::DoubleStatistics>(
        Column<arrow::DoubleBuilder>(arrow::float64(), count,
                                     [&](int64_t i) { return i == 3 ? NAN : static_cast<double>(number(i)); }),
        -2, static_cast<double>(different - 3));
  }
  // The greatest number without a sign is -1 with one.
  ExpectRange<parquet::Int32Statistics>(
      Column<arrow::UInt32Builder>(arrow::uint32(), 3, [](int64_t i) { return i == 1 ? 0xffffffffu : 7u; }), 7, -1);
  ExpectRange<parquet::Int64Statistics>(
      Column<arrow::UInt64Builder>(arrow::uint64(), 3, [](int64_t i) { return i == 1 ? ~uint64_t{0} : 7u; }), 7, -1);
  const auto above_and_below = [](uint64_t middle) {
    return [middle](int64_t i) { return middle - 150'000 + static_cast<uint64_t>(590'000 - i) % 300'000; };
  };
  ExpectRange<parquet::Int64Statistics>(
      Column<arrow::UInt64Builder>(arrow::uint64(), 300'000, above_and_below(uint64_t{1} << 63)),
      std::numeric_limits<int64_t>::max() - 149'999, std::numeric_limits<int64_t>::min() + 149'999);
  ExpectRange<parquet::Int32Statistics>(
      Column<arrow::UInt32Builder>(arrow::uint32(), 300'000, above_and_below(uint64_t{1} << 31)),
      std::numeric_limits<int32_t>::max() - 149'999, std::numeric_limits<int32_t>::min() + 149'999);
  ExpectRange<parquet::BoolStatistics>(Column<arrow::BooleanBuilder>(arrow::boolean(), 9, [](int64_t i) { return i == 4; }),
                                       false, true);
  const auto strings = Column<arrow::StringBuilder>(arrow::utf8(), 4, [](int64_t i) {
    return std::vector<std::string>{"b", "\xc3\xa4", "abc", ""}[static_cast<size_t>(i)];
  });
  ExpectRange<parquet::ByteArrayStatistics>(strings, parquet::ByteArray(""), parquet::ByteArray("\xc3\xa4"));
}

TEST(ParquetFile, StatisticsLeaveOutWhatCannotBeCompared) {
  for (const auto& batch : {Column<arrow::DoubleBuilder>(arrow::float64(), 3, [](int64_t) { return NAN; }),
                            Column<arrow::StringBuilder>(arrow::utf8(), 3, [](int64_t) { return std::string(5000, 'x'); })}) {
    const auto file = FileOf({batch}, {});
    const auto metadata = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file))->metadata();
    const auto statistics = metadata->RowGroup(0)->ColumnChunk(0)->statistics();
    ASSERT_NE(statistics, nullptr);
    EXPECT_FALSE(statistics->HasMinMax());
    EXPECT_EQ(statistics->null_count(), 0);
  }
}

TEST(ParquetFile, ColumnsThatAreAbsentShareTheirLevels) {
  const auto absent = arrow::MakeArrayOfNull(arrow::int32(), 10).ValueOrDie();
  const auto lists = arrow::MakeArrayOfNull(arrow::list(arrow::utf8()), 10).ValueOrDie();
  const auto schema = arrow::schema({arrow::field("a", absent->type()), arrow::field("b", absent->type()),
                                     arrow::field("c", lists->type()), arrow::field("d", lists->type())});
  const auto leaves =
      ParquetLeavesOf(*arrow::RecordBatch::Make(schema, 10, {absent, absent, lists, lists}), *schema).ValueOrDie();
  for (const ParquetLeaf& leaf : leaves) {
    EXPECT_FALSE(leaf.has_values);
    EXPECT_EQ(leaf.definition, leaves[0].definition);
  }
  EXPECT_EQ(leaves[2].repetition, leaves[3].repetition);
}

TEST(ParquetFile, SiblingsWithoutNullsShareTheirLevels) {
  const auto numbers = Column<arrow::Int32Builder>(arrow::int32(), 10, [](int64_t i) { return static_cast<int32_t>(i); });
  const auto present = numbers->column(0);
  const auto absent = arrow::MakeArrayOfNull(arrow::int32(), 10).ValueOrDie();
  arrow::FieldVector fields;
  for (const char* const name : {"a", "b", "c"}) fields.push_back(arrow::field(name, arrow::int32()));
  const auto schema = arrow::schema(fields);
  const auto leaves = ParquetLeavesOf(*arrow::RecordBatch::Make(schema, 10, {present, absent, present}), *schema).ValueOrDie();
  EXPECT_EQ(leaves[0].definition, leaves[2].definition);
  EXPECT_NE(leaves[0].definition, leaves[1].definition);
}

TEST(ParquetFile, HasAPageIndex) {
#if !__has_include(<parquet/index_location.h>)
  GTEST_SKIP() << "this Arrow's library writes page indexes in another way";
#endif
  Batches batches(5, Elements(true, 400, 1000));
  batches.push_back(Elements(false, 400, 1000));
  for (const size_t batches_of_row_group : {5u, 6u}) {  // with a row group of pages without values, and without one
    const auto file = FileOf(batches, {.batches_of_row_group = batches_of_row_group});
    const auto reader = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file));
    const auto index = reader->GetPageIndexReader();
    ASSERT_NE(index, nullptr);
    for (int group = 0; group < reader->metadata()->num_row_groups(); ++group) {
      const auto offsets = index->RowGroup(group)->GetOffsetIndex(0);
      ASSERT_NE(offsets, nullptr);
      EXPECT_EQ(offsets->page_locations()[0].first_row_index, 0);
      const auto columns = index->RowGroup(group)->GetColumnIndex(0);
      ASSERT_NE(columns, nullptr);
      EXPECT_EQ(columns->null_pages()[0], group == 0);
      EXPECT_EQ(columns->null_pages().size(), offsets->page_locations().size());
      if (group == 0) {
        EXPECT_EQ(offsets->page_locations()[1].first_row_index, 1200);  // three calls make a page
      }
    }
  }
}

TEST(ParquetFile, PagesHaveTheRangeOfTheirOwnValues) {
#if !__has_include(<parquet/index_location.h>)
  GTEST_SKIP() << "this Arrow's library writes page indexes in another way";
#endif
  // Each batch is a page. The second has values of the first, the third such values and new ones.
  const auto page = [](int64_t first, int64_t different) {
    return Column<arrow::Int64Builder>(arrow::int64(), int64_t{1} << 20, [=](int64_t i) { return first + i % different; });
  };
  const auto file = FileOf({page(0, 100), page(40, 11), page(90, 20)}, {});
  const auto reader = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file));
  const auto index = reader->GetPageIndexReader()->RowGroup(0)->GetColumnIndex(0);
  const auto& columns = dynamic_cast<const parquet::Int64ColumnIndex&>(*index);
  EXPECT_EQ(columns.min_values(), (std::vector<int64_t>{0, 40, 90}));
  EXPECT_EQ(columns.max_values(), (std::vector<int64_t>{99, 50, 109}));

  // Without a dictionary, there are no shared values.
  const auto direct = [](int64_t first) { return Integers(200'000, [=](int64_t i) { return first - i; }); };
  const auto file_of_direct = FileOf({direct(0), direct(1'000'000), direct(500'000)}, {});
  const auto reader_of_direct = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file_of_direct));
  const auto index_of_direct = reader_of_direct->GetPageIndexReader()->RowGroup(0)->GetColumnIndex(0);
  const auto& ranges = dynamic_cast<const parquet::Int64ColumnIndex&>(*index_of_direct);
  EXPECT_EQ(ranges.min_values(), (std::vector<int64_t>{-199'999, 800'001, 300'001}));
  EXPECT_EQ(ranges.max_values(), (std::vector<int64_t>{0, 1'000'000, 500'000}));
}

// Accepts up to `capacity` bytes.
class FullOutput : public arrow::io::OutputStream {
 public:
  explicit FullOutput(int64_t capacity) : capacity_(capacity) {}
  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void*, int64_t size_bytes) override {
    if (position_ + size_bytes > capacity_) return arrow::Status::IOError("full");
    position_ += size_bytes;
    return arrow::Status::OK();
  }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }
  arrow::Result<int64_t> Tell() const override { return position_; }

 private:
  const int64_t capacity_;
  int64_t position_ = 0;
};

arrow::Status WriteTwoRowGroups(int64_t capacity) {
  Batches batches = {Elements(true, 10, 10), Elements(false, 10, 10)};
  try {
    ARROW_ASSIGN_OR_RAISE(const auto file, ParquetFile::Open(std::make_shared<FullOutput>(capacity), *batches[0]->schema(),
                                                             {arrow::Compression::UNCOMPRESSED}, 2));
    for (const auto& batch : batches) {
      ARROW_RETURN_NOT_OK(file->BeginRowGroup());
      ARROW_ASSIGN_OR_RAISE(const auto leaves, ParquetLeavesOf(*batch, *batch->schema()));
      ARROW_RETURN_NOT_OK(file->Write(leaves, batch->num_rows()));
    }
    return file->Close();
  } catch (const parquet::ParquetException& error) {
    return arrow::Status::IOError(error.what());
  }
}

TEST(ParquetFile, AFullOutputIsAnErrorWhereverItIsFull) {
  int64_t size_bytes = 0;
  while (!WriteTwoRowGroups(size_bytes).ok()) {
    ASSERT_LT(size_bytes, 10'000);
    ++size_bytes;
  }
  EXPECT_GT(size_bytes, 100);
}

TEST(ParquetFile, ColumnsWithoutValuesTellSo) {
  const auto absent = Elements(true, 100, 1000);
  const auto file = FileOf({absent, absent}, {});
  const auto metadata = parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(file))->metadata();
  EXPECT_EQ(metadata->num_rows(), 200);
  const auto column = metadata->RowGroup(0)->ColumnChunk(0);
  EXPECT_EQ(column->num_values(), 200'000);
  ASSERT_NE(column->statistics(), nullptr);
  EXPECT_EQ(column->statistics()->null_count(), 200'000);
  EXPECT_FALSE(column->statistics()->HasMinMax());
}

TEST(ParquetFile, DoesNotDependOnTheNumberOfThreads) {
  Random random(1);
  const auto schema = random.Schema();
  const Batches batches = {random.Batch(schema, 500), random.Batch(schema, 500), random.Batch(schema, 20)};
  EXPECT_TRUE(FileOf(batches, {.threads = 1})->Equals(*FileOf(batches, {.threads = 5})));

  // With fewer levels, all columns are encoded by one thread.
  constexpr int64_t kRows = 50'000;
  const auto numbers = Column<arrow::Int64Builder>(arrow::int64(), kRows, [](int64_t i) { return i % 300; })->column(0);
  const auto strings =
      Column<arrow::StringBuilder>(arrow::utf8(), kRows, [](int64_t i) { return std::to_string(i % 70); })->column(0);
  const auto absent = PartlyAbsent(arrow::int32(), kRows);
  arrow::FieldVector fields;
  arrow::ArrayVector columns = {numbers, strings, absent, numbers, strings, absent};
  for (const auto& column : columns) fields.push_back(arrow::field("c" + std::to_string(fields.size()), column->type()));
  const auto large = arrow::RecordBatch::Make(arrow::schema(fields), kRows, columns);
  ExpectReadsBack({large, large}, {.threads = 3});
  EXPECT_TRUE(FileOf({large, large}, {.threads = 1})->Equals(*FileOf({large, large}, {.threads = 3})));
}

TEST(ParquetFile, WithoutRowsIsAFile) {
  auto batch = Elements(true, 0, 0);
  ExpectReadsBack({batch}, {});
  auto output = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto file = ParquetFile::Open(output, *batch->schema(), {arrow::Compression::UNCOMPRESSED}, 1).ValueOrDie();
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Read(output->Finish().ValueOrDie())->num_rows(), 0);
}

TEST(ParquetFile, OtherColumnsAreAnError) {
  const auto batch = Elements(false, 2, 2);
  auto output = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto file =
      ParquetFile::Open(output, *arrow::schema({arrow::field("list", arrow::int64())}), {arrow::Compression::UNCOMPRESSED}, 1)
          .ValueOrDie();
  ASSERT_TRUE(file->BeginRowGroup().ok());
  EXPECT_TRUE(file->Write(*ParquetLeavesOf(*batch, *batch->schema()), 2).IsInvalid());
  EXPECT_TRUE(file->Write({}, 2).IsInvalid());
}

}  // namespace
}  // namespace structtensor::column_files_internal
