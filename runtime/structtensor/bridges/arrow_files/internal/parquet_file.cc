#include "structtensor/bridges/arrow_files/internal/parquet_file.h"

#include <arrow/array/array_base.h>
#include <arrow/buffer.h>
#include <arrow/ipc/writer.h>
#include <arrow/memory_pool.h>
#include <arrow/util/base64.h>
#include <arrow/util/compression.h>
#include <arrow/util/config.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/statistics.h>
#include <parquet/types.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "structtensor/base/internal/parallel_for.h"

namespace structtensor::arrow_files_internal {

// The levels that one call of Write() has for a column.
struct LevelRun {
  ParquetLevels definition;
  ParquetLevels repetition;
  int64_t number_of_levels = 0;
  int64_t number_of_rows = 0;
};

// A data page without values.
struct NullPage {
  std::vector<LevelRun> runs;  // until it is encoded
  int64_t number_of_levels = 0;
  int64_t number_of_rows = 0;
  int16_t max_definition = 0;
  int16_t max_repetition = 0;
  std::shared_ptr<arrow::Buffer> body;        // repetition levels, if there are any, then definition levels
  std::shared_ptr<arrow::Buffer> compressed;  // the same as `body` without compression
};

namespace {

constexpr std::string_view kMagic = "PAR1";

// A page without values has at least so many levels, or levels of so many calls of Write(), or what is left of a row group.
constexpr int64_t kLevelsOfNullPage = int64_t{1} << 17;
constexpr size_t kRunsOfNullPage = 256;

// Threads are not worth their while for fewer levels.
constexpr int64_t kLevelsOfThread = int64_t{1} << 15;

// Adds levels to `body` as data pages of version 1 have them: the length of the encoded levels in 4 bytes, then the levels.
void AppendLevels(const std::vector<int16_t>& levels, int16_t max_level, std::vector<uint8_t>& body) {
  const int count = static_cast<int>(levels.size());
  const int capacity = parquet::LevelEncoder::MaxBufferSize(parquet::Encoding::RLE, max_level, count);
  const size_t begin = body.size();
  body.resize(begin + sizeof(int32_t) + static_cast<size_t>(capacity));
  parquet::LevelEncoder encoder;
  encoder.Init(parquet::Encoding::RLE, max_level, count, body.data() + begin + sizeof(int32_t), capacity);
  if (encoder.Encode(count, levels.data()) != count) throw parquet::ParquetException("levels do not fit their buffer");
  const int32_t size_bytes = encoder.len();
  std::memcpy(body.data() + begin, &size_bytes, sizeof(size_bytes));
  body.resize(begin + sizeof(int32_t) + static_cast<size_t>(size_bytes));
}

// The levels of all runs, one behind the other. `levels_of` is a member of LevelRun.
std::vector<int16_t> Joined(const std::vector<LevelRun>& runs, ParquetLevels LevelRun::*levels_of) {
  std::vector<int16_t> joined;
  for (const LevelRun& run : runs) joined.insert(joined.end(), (run.*levels_of)->begin(), (run.*levels_of)->end());
  return joined;
}

arrow::Status EncodeNullPage(arrow::Compression::type compression, NullPage& page) {
  std::vector<uint8_t> body;
  if (page.max_repetition > 0) AppendLevels(Joined(page.runs, &LevelRun::repetition), page.max_repetition, body);
  AppendLevels(Joined(page.runs, &LevelRun::definition), page.max_definition, body);
  page.runs.clear();
  page.body = arrow::Buffer::FromVector(std::move(body));
  page.compressed = page.body;
  if (compression == arrow::Compression::UNCOMPRESSED) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const std::unique_ptr<arrow::util::Codec> codec, arrow::util::Codec::Create(compression));
  const int64_t capacity = codec->MaxCompressedLen(page.body->size(), page.body->data());
  ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::ResizableBuffer> compressed, arrow::AllocateResizableBuffer(capacity));
  ARROW_ASSIGN_OR_RAISE(const int64_t size_bytes,
                        codec->Compress(page.body->size(), page.body->data(), capacity, compressed->mutable_data()));
  ARROW_RETURN_NOT_OK(compressed->Resize(size_bytes));
  page.compressed = std::move(compressed);
  return arrow::Status::OK();
}

// Decodes what AppendLevels added, and takes it from the front of `body`.
std::vector<int16_t> TakeLevels(int64_t count, int16_t max_level, std::span<const uint8_t>& body) {
  std::vector<int16_t> levels(static_cast<size_t>(count));
  parquet::LevelDecoder decoder;
  const int size_bytes = decoder.SetData(parquet::Encoding::RLE, max_level, static_cast<int>(count), body.data(),
                                         static_cast<int32_t>(body.size()));
  if (decoder.Decode(static_cast<int>(count), levels.data()) != count) throw parquet::ParquetException("levels are missing");
  body = body.subspan(static_cast<size_t>(size_bytes));
  return levels;
}

template <typename Type>
void WriteNulls(parquet::ColumnWriter& writer, int64_t count, const int16_t* definition, const int16_t* repetition) {
  static_cast<parquet::TypedColumnWriter<Type>&>(writer).WriteBatch(count, definition, repetition, nullptr);
}

void WriteNulls(parquet::ColumnWriter& writer, int64_t count, const int16_t* definition, const int16_t* repetition) {
  switch (writer.type()) {
    case parquet::Type::BOOLEAN:
      return WriteNulls<parquet::BooleanType>(writer, count, definition, repetition);
    case parquet::Type::INT32:
      return WriteNulls<parquet::Int32Type>(writer, count, definition, repetition);
    case parquet::Type::INT64:
      return WriteNulls<parquet::Int64Type>(writer, count, definition, repetition);
    case parquet::Type::INT96:
      return WriteNulls<parquet::Int96Type>(writer, count, definition, repetition);
    case parquet::Type::FLOAT:
      return WriteNulls<parquet::FloatType>(writer, count, definition, repetition);
    case parquet::Type::DOUBLE:
      return WriteNulls<parquet::DoubleType>(writer, count, definition, repetition);
    case parquet::Type::BYTE_ARRAY:
      return WriteNulls<parquet::ByteArrayType>(writer, count, definition, repetition);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return WriteNulls<parquet::FLBAType>(writer, count, definition, repetition);
    case parquet::Type::UNDEFINED:
      break;
  }
  throw parquet::ParquetException("a column of no type");
}

const int16_t* DataOf(const ParquetLevels& levels) { return levels == nullptr ? nullptr : levels->data(); }

// Pages by the levels of which they are made, so that columns with the same levels share them.
class NullPages {
 public:
  std::shared_ptr<NullPage> PageOf(std::vector<LevelRun> runs, int16_t max_definition, int16_t max_repetition) {
    std::vector<const void*> levels;
    for (const LevelRun& run : runs) levels.insert(levels.end(), {run.definition.get(), run.repetition.get()});
    const auto [found, inserted] = pages_.try_emplace({std::move(levels), max_definition, max_repetition});
    if (inserted) {
      found->second = std::make_shared<NullPage>();
      for (const LevelRun& run : runs) {
        found->second->number_of_levels += run.number_of_levels;
        found->second->number_of_rows += run.number_of_rows;
      }
      found->second->runs = std::move(runs);
      found->second->max_definition = max_definition;
      found->second->max_repetition = max_repetition;
    }
    return found->second;
  }

  std::vector<NullPage*> pages() const {
    std::vector<NullPage*> pages;
    for (const auto& [levels, page] : pages_) pages.push_back(page.get());
    return pages;
  }

 private:
  std::map<std::tuple<std::vector<const void*>, int16_t, int16_t>, std::shared_ptr<NullPage>> pages_;
};

// Calls `task(i)`, which returns a Status, for each i in [0, count). Returns the error, or throws the exception, of the least i
// that has one.
template <typename Task>
arrow::Status ForEach(size_t count, size_t threads, const Task& task) {
  std::vector<arrow::Status> statuses(count);
  std::vector<std::exception_ptr> exceptions(count);
  base_internal::ParallelFor(count, threads, [&](size_t i) {
    try {
      statuses[i] = task(i);
    } catch (...) {
      exceptions[i] = std::current_exception();
    }
  });
  for (size_t i = 0; i < count; ++i) {
    if (exceptions[i] != nullptr) std::rethrow_exception(exceptions[i]);
    ARROW_RETURN_NOT_OK(statuses[i]);
  }
  return arrow::Status::OK();
}

std::shared_ptr<parquet::WriterProperties> PropertiesOf(arrow::Compression::type compression) {
  parquet::WriterProperties::Builder builder;
  builder.compression(compression);
#if ARROW_VERSION_MAJOR >= 19
  // Histograms of levels cost more than the levels themselves, and hardly any reader looks at them.
  builder.set_size_statistics_level(parquet::SizeStatisticsLevel::None);
#endif
  return builder.build();
}

// Where pages begin and what their least and greatest values are, so that readers can pass over pages. Libraries without this
// header write it in another way, and not by default.
#if __has_include(<parquet/index_location.h>)
std::unique_ptr<parquet::PageIndexBuilder> PageIndexOf(const parquet::SchemaDescriptor& schema) {
  return parquet::PageIndexBuilder::Make(&schema);
}

void WritePageIndex(parquet::PageIndexBuilder& page_index, parquet::FileMetaDataBuilder& metadata,
                    arrow::io::OutputStream& output) {
  page_index.Finish();
  const parquet::PageIndexBuilder::WriteResult written = page_index.WriteTo(&output);
  metadata.SetIndexLocations(parquet::IndexKind::kColumnIndex, written.column_index_locations);
  metadata.SetIndexLocations(parquet::IndexKind::kOffsetIndex, written.offset_index_locations);
}
#else
std::unique_ptr<parquet::PageIndexBuilder> PageIndexOf(const parquet::SchemaDescriptor&) { return nullptr; }
void WritePageIndex(parquet::PageIndexBuilder&, parquet::FileMetaDataBuilder&, arrow::io::OutputStream&) {}
#endif

}  // namespace

// A column of the row group that is open. Before the first value it has levels that wait and pages without values; then a
// column writer takes them over.
class ParquetFile::Column {
 public:
  Column(parquet::ColumnChunkMetaDataBuilder* metadata, parquet::ColumnIndexBuilder* column_index,
         parquet::OffsetIndexBuilder* offset_index)
      : metadata_(metadata), column_index_(column_index), offset_index_(offset_index) {}

  const parquet::ColumnDescriptor& descr() const { return *metadata_->descr(); }
  bool has_values() const { return writer_ != nullptr; }

  void AddNulls(const ParquetLeaf& leaf, int64_t number_of_rows) {
    waiting_.push_back({leaf.definition, leaf.repetition, leaf.number_of_levels, number_of_rows});
    waiting_levels_ += leaf.number_of_levels;
  }

  // There are enough levels for a page.
  bool WaitsForNullPage() const { return waiting_levels_ >= kLevelsOfNullPage || waiting_.size() >= kRunsOfNullPage; }

  // Makes a page of the levels that wait, if there are any.
  void MakeNullPage(NullPages& pages) {
    if (waiting_.empty()) return;
    null_pages_.push_back(
        pages.PageOf(std::exchange(waiting_, {}), descr().max_definition_level(), descr().max_repetition_level()));
    waiting_levels_ = 0;
  }

  arrow::Status AddValues(const ParquetLeaf& leaf, const ParquetFile& file) {
    if (writer_ == nullptr) BeginValues(file);
    parquet::ArrowWriteContext context(arrow::default_memory_pool(), file.arrow_properties_.get());
    return writer_->WriteArrow(DataOf(leaf.definition), DataOf(leaf.repetition), leaf.number_of_levels, *leaf.values, &context,
                               leaf.nullable);
  }

  // Writes the column. Returns its size in the file, in bytes.
  int64_t Close(const ParquetFile& file) {
    if (writer_ != nullptr) return writer_->Close();
    const std::unique_ptr<parquet::PageWriter> pages = PagesOf(file, /*buffered=*/false);
    int64_t size_bytes = 0;
    parquet::EncodedStatistics statistics;
    statistics.all_null_value = true;
    statistics.set_is_signed(descr().sort_order() == parquet::SortOrder::SIGNED);
    int64_t number_of_levels = 0;
    int64_t number_of_rows = 0;
    for (const std::shared_ptr<NullPage>& page : null_pages_) {
      statistics.set_null_count(page->number_of_levels);
      size_bytes += pages->WriteDataPage(
          parquet::DataPageV1(page->compressed, static_cast<int32_t>(page->number_of_levels), parquet::Encoding::PLAIN,
                              parquet::Encoding::RLE, parquet::Encoding::RLE, page->body->size(), statistics, number_of_rows));
      number_of_levels += page->number_of_levels;
      number_of_rows += page->number_of_rows;
    }
    statistics.set_null_count(number_of_levels);
    metadata_->SetStatistics(statistics);
    pages->Close(/*has_dictionary=*/false, /*fallback=*/false);
    return size_bytes;
  }

 private:
  std::unique_ptr<parquet::PageWriter> PagesOf(const ParquetFile& file, bool buffered) const {
    return parquet::PageWriter::Open(file.output_, file.compression_, metadata_, -1, -1, arrow::default_memory_pool(), buffered,
                                     nullptr, nullptr, false, column_index_, offset_index_);
  }

  // Hands the levels that came before the first value to a column writer.
  void BeginValues(const ParquetFile& file) {
    writer_ = parquet::ColumnWriter::Make(metadata_, PagesOf(file, /*buffered=*/true), file.properties_.get());
    for (const std::shared_ptr<NullPage>& page : std::exchange(null_pages_, {})) {
      std::span<const uint8_t> body(page->body->data(), static_cast<size_t>(page->body->size()));
      std::vector<int16_t> repetition;
      if (page->max_repetition > 0) repetition = TakeLevels(page->number_of_levels, page->max_repetition, body);
      const std::vector<int16_t> definition = TakeLevels(page->number_of_levels, page->max_definition, body);
      WriteNulls(*writer_, page->number_of_levels, definition.data(), page->max_repetition > 0 ? repetition.data() : nullptr);
    }
    for (const LevelRun& run : std::exchange(waiting_, {})) {
      WriteNulls(*writer_, run.number_of_levels, DataOf(run.definition), DataOf(run.repetition));
    }
  }

  parquet::ColumnChunkMetaDataBuilder* metadata_;
  parquet::ColumnIndexBuilder* column_index_;  // null without a page index, as is the next one
  parquet::OffsetIndexBuilder* offset_index_;
  std::vector<std::shared_ptr<NullPage>> null_pages_;
  std::vector<LevelRun> waiting_;  // for the next page
  int64_t waiting_levels_ = 0;
  std::shared_ptr<parquet::ColumnWriter> writer_;  // null as long as there is no value
};

ParquetFile::ParquetFile(std::shared_ptr<arrow::io::OutputStream> output, std::shared_ptr<parquet::SchemaDescriptor> schema,
                         std::shared_ptr<parquet::WriterProperties> properties, arrow::Compression::type compression,
                         int threads)
    : output_(std::move(output)),
      schema_(std::move(schema)),
      properties_(std::move(properties)),
      arrow_properties_(parquet::ArrowWriterProperties::Builder().build()),
      compression_(compression),
      threads_(threads),
      metadata_(parquet::FileMetaDataBuilder::Make(schema_.get(), properties_)),
      page_index_(PageIndexOf(*schema_)) {}

ParquetFile::~ParquetFile() = default;

arrow::Result<std::unique_ptr<ParquetFile>> ParquetFile::Open(std::shared_ptr<arrow::io::OutputStream> output,
                                                              const arrow::Schema& schema, arrow::Compression::type compression,
                                                              int threads) {
  std::shared_ptr<parquet::WriterProperties> properties = PropertiesOf(compression);
  std::shared_ptr<parquet::SchemaDescriptor> columns;
  ARROW_RETURN_NOT_OK(
      parquet::arrow::ToParquetSchema(&schema, *properties, *parquet::default_arrow_writer_properties(), &columns));
  // Arrow's readers look for this key and this encoding.
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> serialized, arrow::ipc::SerializeSchema(schema));
  std::unique_ptr<ParquetFile> file(
      new ParquetFile(std::move(output), std::move(columns), std::move(properties), compression, threads));
  file->key_values_ =
      arrow::KeyValueMetadata::Make({"ARROW:schema"}, {arrow::util::base64_encode(std::string_view(*serialized))});
  ARROW_RETURN_NOT_OK(file->output_->Write(kMagic));
  return file;
}

arrow::Status ParquetFile::BeginRowGroup() {
  ARROW_RETURN_NOT_OK(EndRowGroup());
  row_group_ = metadata_->AppendRowGroup();
  if (page_index_ != nullptr) page_index_->AppendRowGroup();
  for (int i = 0; i < schema_->num_columns(); ++i) {
    columns_.emplace_back(row_group_->NextColumnChunk(),
                          page_index_ == nullptr ? nullptr : page_index_->GetColumnIndexBuilder(i),
                          page_index_ == nullptr ? nullptr : page_index_->GetOffsetIndexBuilder(i));
  }
  return arrow::Status::OK();
}

arrow::Status ParquetFile::Write(const std::vector<ParquetLeaf>& leaves, int64_t number_of_rows) {
  if (leaves.size() != columns_.size()) return arrow::Status::Invalid("the columns are not those of the schema");
  std::vector<size_t> with_values;
  NullPages null_pages;
  int64_t number_of_levels = 0;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const parquet::ColumnDescriptor& descr = columns_[i].descr();
    if (descr.max_definition_level() != leaves[i].max_definition || descr.max_repetition_level() != leaves[i].max_repetition) {
      return arrow::Status::Invalid("the levels of ", descr.path()->ToDotString(), " are not those of the schema");
    }
    if (leaves[i].number_of_levels > INT32_MAX - kLevelsOfNullPage) {  // a page counts them in 32 bits
      return arrow::Status::CapacityError(descr.path()->ToDotString(), " has ", leaves[i].number_of_levels,
                                          " levels in one batch; write smaller batches");
    }
    if (leaves[i].has_values || columns_[i].has_values()) {
      with_values.push_back(i);
      number_of_levels += leaves[i].number_of_levels;
    } else {
      columns_[i].AddNulls(leaves[i], number_of_rows);
      if (columns_[i].WaitsForNullPage()) columns_[i].MakeNullPage(null_pages);
    }
  }
  const std::vector<NullPage*> pages = null_pages.pages();
  for (const NullPage* page : pages) number_of_levels += page->number_of_levels;
  number_of_rows_ += number_of_rows;
  // The columns of a row group and the pages without values are encoded independently of each other.
  return ForEach(with_values.size() + pages.size(), ThreadsFor(number_of_levels), [&](size_t i) {
    if (i >= with_values.size()) return EncodeNullPage(compression_, *pages[i - with_values.size()]);
    return columns_[with_values[i]].AddValues(leaves[with_values[i]], *this);
  });
}

size_t ParquetFile::ThreadsFor(int64_t number_of_levels) const {
  return static_cast<size_t>(std::min<int64_t>(threads_, 1 + number_of_levels / kLevelsOfThread));
}

arrow::Status ParquetFile::EndRowGroup() {
  if (row_group_ == nullptr) return arrow::Status::OK();
  NullPages null_pages;
  for (Column& column : columns_) column.MakeNullPage(null_pages);
  const std::vector<NullPage*> pages = null_pages.pages();
  int64_t number_of_levels = 0;
  for (const NullPage* page : pages) number_of_levels += page->number_of_levels;
  ARROW_RETURN_NOT_OK(
      ForEach(pages.size(), ThreadsFor(number_of_levels), [&](size_t i) { return EncodeNullPage(compression_, *pages[i]); }));
  int64_t size_bytes = 0;
  for (Column& column : columns_) size_bytes += column.Close(*this);
  row_group_->set_num_rows(number_of_rows_);
  // The metadata have 16 bits for it, and need not have it.
  row_group_->Finish(size_bytes, static_cast<int16_t>(ordinal_ <= INT16_MAX ? ordinal_ : -1));
  ++ordinal_;
  row_group_ = nullptr;
  columns_.clear();
  number_of_rows_ = 0;
  return arrow::Status::OK();
}

arrow::Status ParquetFile::Close() {
  ARROW_RETURN_NOT_OK(EndRowGroup());
  if (page_index_ != nullptr) WritePageIndex(*page_index_, *metadata_, *output_);
  parquet::WriteFileMetaData(*metadata_->Finish(key_values_), output_.get());
  return arrow::Status::OK();
}

}  // namespace structtensor::arrow_files_internal
