#include "structtensor/io/column_files/internal/parquet_file.h"

#include <arrow/buffer.h>
#include <arrow/ipc/writer.h>
#include <arrow/memory_pool.h>
#include <arrow/util/base64.h>
#include <arrow/util/compression.h>
#include <arrow/util/config.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/schema.h>
#include <parquet/column_page.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/metadata.h>
#include <parquet/page_index.h>
#include <parquet/statistics.h>
#include <parquet/types.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "structtensor/core/base/shared/parallel_for.h"
#if ARROW_VERSION_MAJOR >= 20
#include <parquet/size_statistics.h>
#endif

#include "structtensor/io/column_files/internal/arrow_pool.h"
#include "structtensor/io/column_files/internal/hybrid_encoding.h"
#include "structtensor/io/column_files/internal/page_codec.h"
#include "structtensor/io/column_files/internal/parquet_values.h"

namespace structtensor::column_files_internal {

// The levels of a column in one call of Write(). Columns with the same levels share them. A page has the levels of
// several calls, one after another.
struct LevelRun {
  ParquetLevels definition;  // kept until they are encoded; both are null if the column has none
  ParquetLevels repetition;
  int64_t number_of_levels = 0;
  int64_t number_of_rows = 0;
  Bytes encoded_definition;
  Bytes encoded_repetition;
  bool has_counts = false;                 // a column without values has these levels
  std::vector<int64_t> definition_counts;  // then, how often each definition level comes, up to the greatest one
};
using LevelRuns = std::vector<std::shared_ptr<const LevelRun>>;

// A page that has only levels. Columns with the same levels share it.
struct NullPage {
  Bytes body;              // until it is compressed
  int64_t size_bytes = 0;  // before compression
  std::shared_ptr<arrow::Buffer> compressed;
};

// A data page that is still to be written.
struct EncodedPage {
  std::shared_ptr<const NullPage> null_page;  // null if there are values
  std::shared_ptr<arrow::Buffer> compressed;  // null if there are none
  int64_t size_bytes = 0;                     // before compression
  int64_t number_of_levels = 0;
  int64_t number_of_rows = 0;
  parquet::Encoding::type encoding = parquet::Encoding::PLAIN;
  parquet::EncodedStatistics statistics;
};

namespace {

constexpr std::string_view kMagic = "PAR1";

// A page ends after the call of Write() that brings it to one of these limits: levels, calls with levels, or bytes of values.
constexpr int64_t kLevelsOfPage = int64_t{1} << 20;
constexpr size_t kRunsOfPage = 256;
constexpr int64_t kValueBytesOfPage = int64_t{1} << 20;

// For fewer levels, threads do not pay.
constexpr int64_t kLevelsOfThread = int64_t{1} << 15;

// Longer values are left out of statistics, because readers hold these in memory.
constexpr size_t kMaxStatisticsBytes = 4096;

// Adds levels to `body` as data pages of version 1 have them: the length of the encoded levels in 4 bytes, then the levels.
// `encoded` is a member of LevelRun.
void AppendLevels(const LevelRuns& runs, Bytes LevelRun::*encoded, Bytes& body) {
  uint32_t size_bytes = 0;
  for (const std::shared_ptr<const LevelRun>& run : runs) size_bytes += static_cast<uint32_t>(((*run).*encoded).size());
  body.Append(reinterpret_cast<const uint8_t*>(&size_bytes), sizeof(size_bytes));
  for (const std::shared_ptr<const LevelRun>& run : runs) body.Append(((*run).*encoded).data(), ((*run).*encoded).size());
}

// The part of a page in front of its values.
Bytes LevelsOf(const LevelRuns& runs, const parquet::ColumnDescriptor& descr) {
  Bytes body;
  if (descr.max_repetition_level() > 0) AppendLevels(runs, &LevelRun::encoded_repetition, body);
  if (descr.max_definition_level() > 0) AppendLevels(runs, &LevelRun::encoded_definition, body);
  return body;
}

std::vector<int64_t> CountsOf(std::span<const int16_t> levels) {
  std::vector<int64_t> counts;
  for (size_t i = 0; i < levels.size();) {
    const int16_t level = levels[i];
    const size_t begin = i;
    while (i < levels.size() && levels[i] == level) ++i;
    counts.resize(std::max(counts.size(), static_cast<size_t>(level) + 1));
    counts[static_cast<size_t>(level)] += static_cast<int64_t>(i - begin);
  }
  return counts;
}

// The levels of one call of Write(). Columns with the same levels and the same bit widths share them.
class SharedRuns {
 public:
  std::shared_ptr<const LevelRun> Of(const ParquetLeaf& leaf, int64_t number_of_rows) {
    const Key key = {leaf.definition.get(), leaf.repetition.get(), BitWidthOf(static_cast<uint32_t>(leaf.max_definition)),
                     BitWidthOf(static_cast<uint32_t>(leaf.max_repetition))};
    const auto [found, inserted] = runs_.try_emplace(key);
    if (inserted) {
      found->second = std::make_shared<LevelRun>();
      found->second->definition = leaf.definition;
      found->second->repetition = leaf.repetition;
      found->second->number_of_levels = leaf.number_of_levels;
      found->second->number_of_rows = number_of_rows;
      all_.push_back({found->second.get(), std::get<2>(key), std::get<3>(key)});
    }
    found->second->has_counts = found->second->has_counts || !leaf.has_values;
    return found->second;
  }

  // The following count each run once.
  size_t size() const { return all_.size(); }
  int64_t number_of_levels() const {
    int64_t sum = 0;
    for (const ToEncode& one : all_) sum += one.run->number_of_levels;
    return sum;
  }
  size_t encoded_bytes() const {
    size_t sum = 0;
    for (const ToEncode& one : all_) {
      sum += sizeof(LevelRun) + one.run->encoded_definition.capacity() + one.run->encoded_repetition.capacity();
    }
    return sum;
  }
  void Encode(size_t i) {
    const auto& [run, definition_bits, repetition_bits] = all_[i];
    const auto count = static_cast<size_t>(run->number_of_levels);
    if (definition_bits > 0) {
      const std::span<const int16_t> levels(run->definition.get(), count);
      AppendHybrid(levels, definition_bits, /*last=*/false, run->encoded_definition);
      if (run->has_counts) run->definition_counts = CountsOf(levels);
    }
    if (repetition_bits > 0) {
      AppendHybrid(std::span<const int16_t>(run->repetition.get(), count), repetition_bits, /*last=*/false,
                   run->encoded_repetition);
    }
    run->definition = run->repetition = nullptr;
  }

 private:
  using Key = std::tuple<const void*, const void*, int, int>;
  struct ToEncode {
    LevelRun* run;
    int definition_bits;
    int repetition_bits;
  };

  std::map<Key, std::shared_ptr<LevelRun>> runs_;
  std::vector<ToEncode> all_;
};

// The pages without values that end at the same time. Columns with the same levels share them.
class SharedNullPages {
 public:
  std::shared_ptr<const NullPage> Of(LevelRuns runs, const parquet::ColumnDescriptor& descr) {
    const auto [found, inserted] = pages_.try_emplace(std::move(runs));
    if (inserted) {
      found->second = std::make_shared<NullPage>();
      found->second->body = LevelsOf(found->first, descr);
      found->second->size_bytes = static_cast<int64_t>(found->second->body.size());
      all_.push_back(found->second.get());
    }
    return found->second;
  }

  size_t size() const { return all_.size(); }
  arrow::Status Compress(size_t i, ArrowCodec codec) {
    return Compressed(codec, std::exchange(all_[i]->body, {})).Value(&all_[i]->compressed);
  }

 private:
  std::map<LevelRuns, std::shared_ptr<NullPage>> pages_;
  std::vector<NullPage*> all_;
};

void SetRange(const ValueRange& range, parquet::EncodedStatistics& statistics) {
  if (!range.known) return;
  statistics.set_min(range.min);
  statistics.set_max(range.max);
  statistics.ApplyStatSizeLimits(kMaxStatisticsBytes);
}

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

// The page index says where pages begin and what their least and greatest values are, so that readers can skip pages. Versions
// of Arrow without this header write it in another way, and not by default.
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

// Says how often each definition level comes in a column without values, so that readers see which of the structs around it are
// absent, too.
#if ARROW_VERSION_MAJOR >= 20
void SetLevelCounts(const std::vector<int64_t>& counts, parquet::ColumnChunkMetaDataBuilder& metadata) {
  parquet::SizeStatistics sizes;
  sizes.definition_level_histogram = counts;
  metadata.SetSizeStatistics(sizes);
}
#else
void SetLevelCounts(const std::vector<int64_t>&, parquet::ColumnChunkMetaDataBuilder&) {}
#endif

// A template, because only versions of Arrow after 25 take the size as a value.
template <typename FileMetaData>
std::shared_ptr<FileMetaData> ParseMetadata(const std::string& serialized) {
  if constexpr (requires { FileMetaData::Make(serialized.data(), int64_t{}); }) {
    return FileMetaData::Make(serialized.data(), static_cast<int64_t>(serialized.size()));
  } else {
    auto size_bytes = static_cast<uint32_t>(serialized.size());
    return FileMetaData::Make(serialized.data(), &size_bytes);
  }
}

}  // namespace

// A column of the open row group.
class ParquetFile::Column {
 public:
  explicit Column(const parquet::ColumnDescriptor* descr) : descr_(*descr) {}

  const parquet::ColumnDescriptor& descr() const { return descr_; }

  void AddLevels(std::shared_ptr<const LevelRun> run) {
    waiting_levels_ += run->number_of_levels;
    waiting_.push_back(std::move(run));
  }

  arrow::Status AddValues(const ParquetLeaf& leaf) {
    if (values_ == nullptr) ARROW_RETURN_NOT_OK(ParquetValues::Make(descr()).Value(&values_));
    return values_->Add(leaf);
  }

  bool PageIsFull() const {
    return waiting_levels_ >= kLevelsOfPage || waiting_.size() >= kRunsOfPage ||
           (values_ != nullptr && values_->size_bytes() >= kValueBytesOfPage);
  }

  // About the page under way.
  bool has_page() const { return !waiting_.empty(); }
  int64_t page_levels() const { return waiting_levels_; }
  bool page_has_values() const { return values_ != nullptr && values_->number_of_values() > 0; }

  // Ends the page under way.
  void EndNullPage(SharedNullPages& null_pages) {
    EncodedPage& page = NewPage(0);
    page.null_page = null_pages.Of(std::exchange(waiting_, {}), descr());
    page.size_bytes = page.null_page->size_bytes;
  }
  arrow::Status EndPageWithValues(ArrowCodec codec) {
    EncodedPage& page = NewPage(values_->number_of_values());
    Bytes body = LevelsOf(std::exchange(waiting_, {}), descr());
    ARROW_ASSIGN_OR_RAISE(const ParquetValues::Page ended, values_->EndPage(codec, body));
    page.encoding = ended.encoding;
    SetRange(ended.range, page.statistics);
    page.size_bytes = static_cast<int64_t>(body.size());
    ARROW_ASSIGN_OR_RAISE(page.compressed, Compressed(codec, std::move(body)));
    page_bytes_ += page.compressed->size();
    return arrow::Status::OK();
  }

  // The memory of ended pages and of the page under way, without the levels and pages that other columns share.
  size_t memory_bytes() const {
    return sizeof(*this) + pages_.capacity() * sizeof(EncodedPage) + static_cast<size_t>(page_bytes_) +
           waiting_.capacity() * sizeof(LevelRuns::value_type) + (values_ == nullptr ? 0 : values_->memory_bytes());
  }

  // Writes the column. Returns its size in the file, in bytes. Without a page index, its builders are null.
  int64_t Write(const ParquetFile& file, parquet::ColumnChunkMetaDataBuilder* metadata,
                parquet::ColumnIndexBuilder* column_index, parquet::OffsetIndexBuilder* offset_index) {
    const std::unique_ptr<parquet::PageWriter> writer =
        parquet::PageWriter::Open(file.output_, file.codec_.type, metadata, -1, -1, ArrowPool(),
                                  /*buffered_row_group=*/false, nullptr, nullptr, false, column_index, offset_index,
                                  arrow::util::CodecOptions(file.codec_.level));
    int64_t size_bytes = 0;
    parquet::EncodedStatistics statistics;
    statistics.set_null_count(null_count_);
    statistics.set_is_signed(IsSigned());
    bool has_dictionary = false;
    bool has_other_values = false;
    if (values_ == nullptr) {
      statistics.all_null_value = true;
    } else {
      SetRange(values_->range(), statistics);
      ParquetValues::Dictionary dictionary = values_->TakeDictionary();
      has_dictionary = dictionary.number_of_values > 0;
      if (has_dictionary) {
        size_bytes += writer->WriteDictionaryPage(parquet::DictionaryPage(
            BufferOf(std::move(dictionary.values)), dictionary.number_of_values, parquet::Encoding::PLAIN));
      }
    }
    int64_t first_row = 0;
    for (const EncodedPage& page : pages_) {
      const auto* const null_page = page.null_page.get();
      has_other_values = has_other_values || (null_page == nullptr && page.encoding != parquet::Encoding::RLE_DICTIONARY);
      size_bytes += writer->WriteDataPage(parquet::DataPageV1(
          null_page != nullptr ? null_page->compressed : page.compressed, static_cast<int32_t>(page.number_of_levels),
          page.encoding, parquet::Encoding::RLE, parquet::Encoding::RLE, page.size_bytes, page.statistics, first_row));
      first_row += page.number_of_rows;
    }
    if (first_row > 0) metadata->SetStatistics(statistics);
    if (values_ == nullptr && !level_counts_.empty()) SetLevelCounts(level_counts_, *metadata);
    writer->Close(has_dictionary, has_dictionary && has_other_values);
    return size_bytes;
  }

 private:
  EncodedPage& NewPage(int64_t number_of_values) {
    EncodedPage& page = pages_.emplace_back();
    page.number_of_levels = std::exchange(waiting_levels_, 0);
    for (const std::shared_ptr<const LevelRun>& run : waiting_) {
      page.number_of_rows += run->number_of_rows;
      if (values_ == nullptr) AddLevelCounts(*run);
    }
    page.statistics.set_null_count(page.number_of_levels - number_of_values);
    page.statistics.all_null_value = number_of_values == 0;
    page.statistics.set_is_signed(IsSigned());
    null_count_ += page.number_of_levels - number_of_values;
    return page;
  }

  void AddLevelCounts(const LevelRun& run) {
    level_counts_.resize(static_cast<size_t>(descr().max_definition_level()) + 1);
    for (size_t level = 0; level < run.definition_counts.size(); ++level) level_counts_[level] += run.definition_counts[level];
  }

  bool IsSigned() const { return descr().sort_order() == parquet::SortOrder::SIGNED; }

  const parquet::ColumnDescriptor& descr_;
  std::vector<EncodedPage> pages_;
  int64_t page_bytes_ = 0;  // of pages with values, compressed
  LevelRuns waiting_;       // for the page under way
  int64_t waiting_levels_ = 0;
  std::unique_ptr<ParquetValues> values_;  // null as long as there is no value
  int64_t null_count_ = 0;
  std::vector<int64_t> level_counts_;  // how often each definition level comes, as long as there is no value
};

ParquetFile::ParquetFile(std::shared_ptr<arrow::io::OutputStream> output, std::shared_ptr<parquet::SchemaDescriptor> schema,
                         std::shared_ptr<parquet::WriterProperties> properties, ArrowCodec codec, int threads)
    : output_(std::move(output)),
      schema_(std::move(schema)),
      properties_(std::move(properties)),
      codec_(codec),
      threads_(threads) {}

ParquetFile::~ParquetFile() = default;

arrow::Result<std::unique_ptr<ParquetFile>> ParquetFile::Open(std::shared_ptr<arrow::io::OutputStream> output,
                                                              const arrow::Schema& schema, ArrowCodec codec, int threads) {
  const auto properties = parquet::WriterProperties::Builder().compression(codec.type)->build();
  std::shared_ptr<parquet::SchemaDescriptor> columns;
  ARROW_RETURN_NOT_OK(
      parquet::arrow::ToParquetSchema(&schema, *properties, *parquet::default_arrow_writer_properties(), &columns));
  // Arrow's readers look for this key and this encoding. The schema's metadata is in it, and also beside it for other
  // readers.
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> serialized, arrow::ipc::SerializeSchema(schema));
  std::unique_ptr<ParquetFile> file(new ParquetFile(std::move(output), std::move(columns), properties, codec, threads));
  const auto key_values = schema.HasMetadata() ? schema.metadata()->Copy() : std::make_shared<arrow::KeyValueMetadata>();
  key_values->Append("ARROW:schema", arrow::util::base64_encode(std::string_view(*serialized)));
  file->key_values_ = key_values;
  ARROW_RETURN_NOT_OK(file->output_->Write(kMagic));
  return file;
}

arrow::Status ParquetFile::BeginRowGroup() {
  ARROW_RETURN_NOT_OK(EndRowGroup());
  in_row_group_ = true;
  columns_.reserve(static_cast<size_t>(schema_->num_columns()));
  for (int i = 0; i < schema_->num_columns(); ++i) columns_.emplace_back(schema_->Column(i));
  return arrow::Status::OK();
}

arrow::Status ParquetFile::Write(const std::vector<ParquetLeaf>& leaves, int64_t number_of_rows) {
  if (leaves.size() != columns_.size()) return arrow::Status::Invalid("the columns are not those of the schema");
  std::vector<size_t> with_values;
  int64_t levels_of_values = 0;
  SharedRuns runs;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const parquet::ColumnDescriptor& descr = columns_[i].descr();
    if (descr.max_definition_level() != leaves[i].max_definition || descr.max_repetition_level() != leaves[i].max_repetition) {
      return arrow::Status::Invalid("the levels of ", descr.path()->ToDotString(), " are not those of the schema");
    }
    if (leaves[i].number_of_levels > INT32_MAX - kLevelsOfPage) {  // a page counts them in 32 bits
      return arrow::Status::CapacityError(descr.path()->ToDotString(), " has ", leaves[i].number_of_levels,
                                          " levels in one batch; write smaller batches");
    }
    columns_[i].AddLevels(runs.Of(leaves[i], number_of_rows));
    if (leaves[i].has_values) {
      with_values.push_back(i);
      levels_of_values += leaves[i].number_of_levels;
    }
  }
  number_of_rows_ += number_of_rows;
  // Columns are encoded independently of each other.
  const size_t threads = ThreadsFor(levels_of_values + runs.number_of_levels());
  ARROW_RETURN_NOT_OK(ForEach(with_values.size() + runs.size(), threads, [&](size_t i) {
    if (i < with_values.size()) return columns_[with_values[i]].AddValues(leaves[with_values[i]]);
    runs.Encode(i - with_values.size());
    return arrow::Status::OK();
  }));
  level_bytes_ += runs.encoded_bytes();
  std::vector<Column*> full;
  for (Column& column : columns_) {
    if (column.PageIsFull()) full.push_back(&column);
  }
  return EndPages(full);
}

arrow::Status ParquetFile::EndPages(const std::vector<Column*>& columns) {
  std::vector<Column*> with_values;
  SharedNullPages null_pages;
  int64_t number_of_levels = 0;
  for (Column* const column : columns) {
    number_of_levels += column->page_levels();
    if (column->page_has_values()) {
      with_values.push_back(column);
    } else {
      column->EndNullPage(null_pages);
    }
  }
  return ForEach(with_values.size() + null_pages.size(), ThreadsFor(number_of_levels), [&](size_t i) {
    if (i < with_values.size()) return with_values[i]->EndPageWithValues(codec_);
    return null_pages.Compress(i - with_values.size(), codec_);
  });
}

size_t ParquetFile::ThreadsFor(int64_t number_of_levels) const {
  return static_cast<size_t>(std::min<int64_t>(threads_, 1 + number_of_levels / kLevelsOfThread));
}

arrow::Status ParquetFile::EndRowGroup() {
  if (!in_row_group_) return arrow::Status::OK();
  std::vector<Column*> with_pages;
  for (Column& column : columns_) {
    if (column.has_page()) with_pages.push_back(&column);
  }
  ARROW_RETURN_NOT_OK(EndPages(with_pages));
  const std::unique_ptr<parquet::FileMetaDataBuilder> metadata = parquet::FileMetaDataBuilder::Make(schema_.get(), properties_);
  const std::unique_ptr<parquet::PageIndexBuilder> page_index = PageIndexOf(*schema_);
  parquet::RowGroupMetaDataBuilder* const row_group = metadata->AppendRowGroup();
  if (page_index != nullptr) page_index->AppendRowGroup();
  int64_t size_bytes = 0;
  for (int i = 0; i < schema_->num_columns(); ++i) {
    size_bytes += columns_[static_cast<size_t>(i)].Write(
        *this, row_group->NextColumnChunk(), page_index == nullptr ? nullptr : page_index->GetColumnIndexBuilder(i),
        page_index == nullptr ? nullptr : page_index->GetOffsetIndexBuilder(i));
  }
  row_group->set_num_rows(number_of_rows_);
  // The metadata have 16 bits for the ordinal, and may also lack it.
  const size_t ordinal = row_groups_.size();
  row_group->Finish(size_bytes, static_cast<int16_t>(ordinal <= INT16_MAX ? ordinal : -1));
  if (page_index != nullptr) WritePageIndex(*page_index, *metadata, *output_);
  row_groups_.push_back(metadata->Finish(nullptr)->SerializeToString());
  row_group_bytes_ += static_cast<int64_t>(sizeof(std::string) + row_groups_.back().capacity());
  in_row_group_ = false;
  columns_ = std::vector<Column>();
  number_of_rows_ = 0;
  level_bytes_ = 0;
  return arrow::Status::OK();
}

int64_t ParquetFile::memory_bytes() const {
  size_t sum = level_bytes_;
  for (const Column& column : columns_) sum += column.memory_bytes();
  return static_cast<int64_t>(sum);
}

arrow::Status ParquetFile::Close() {
  ARROW_RETURN_NOT_OK(EndRowGroup());
  const std::unique_ptr<parquet::FileMetaData> metadata =
      parquet::FileMetaDataBuilder::Make(schema_.get(), properties_)->Finish(key_values_);
  for (const std::string& row_group : row_groups_) {
    metadata->AppendRowGroups(*ParseMetadata<parquet::FileMetaData>(row_group));
  }
  row_groups_.clear();
  parquet::WriteFileMetaData(*metadata, output_.get());
  return arrow::Status::OK();
}

}  // namespace structtensor::column_files_internal
