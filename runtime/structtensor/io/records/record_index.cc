#include "structtensor/io/records/record_index.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/records/internal/byte_source.h"
#include "structtensor/io/records/internal/crc32c.h"
#include "structtensor/io/records/internal/lengths.h"
#include "structtensor/io/records/internal/random_access.h"
#include "structtensor/io/records/internal/record_extent.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor {
namespace {

using records_internal::AppendLittleEndian;
using records_internal::BlockReader;
using records_internal::LoadLittleEndian;
using records_internal::RecordExtent;

constexpr std::string_view kIndexMagic = "STINDEX\x01";
constexpr size_t kIndexHeaderBytes = 8 + 3 * 8;  // the magic, the format, the file's size, the number of marks
constexpr size_t kMarkEntryBytes = 8 + 8 + 4;
constexpr size_t kIndexChecksumBytes = 4;
// Each block of a remote file costs a request, each block of a local file a system call. Long records of local files are passed
// over unread.
constexpr size_t kRemoteBlockBytes = size_t{4} << 20;
constexpr size_t kLocalBlockBytes = size_t{64} << 10;

absl::Status InIndexedFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(DisplayPath(path), ": ", status.message()));
}

// The format, found in the same way as RecordReader finds it. Errors: InvalidArgument for a file that cannot be cut.
absl::StatusOr<RecordFormat> FormatToIndex(const std::string& path, const RecordIndexOptions& options) {
  std::optional<RecordFormat> format = options.format;
  if (!format.has_value()) format = RecordFormatOfName(path);
  if (!format.has_value() && options.confluent_headers) format = RecordFormat::kDelimited;
  if (!format.has_value()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const SniffedFormat sniffed, SniffFile(path));
    format = sniffed.format;
  }
  if (CanBeIndexed(*format)) return *format;
  return absl::InvalidArgumentError(
      absl::StrCat("it is read as ", ToAbsl(RecordFormatName(*format)),
                   ", which cannot be indexed; expected delimited, tfrecord, length32, length32le or grpc: check `format`"));
}

// What is wrong with an index, whatever its file is; or "".
std::string ProblemOf(const RecordIndex& index) {
  if (!CanBeIndexed(index.format)) return absl::StrCat("it is of the format ", static_cast<int>(index.format));
  if (index.file_bytes < 0) return "its file has more bytes than a file can have";
  if (index.marks.empty() || index.marks[0].byte_offset != 0 || index.marks[0].record_number != 0) {
    return "its first mark is not the first byte";
  }
  for (size_t i = 1; i < index.marks.size(); ++i) {
    if (index.marks[i].byte_offset > index.marks[i - 1].byte_offset &&
        index.marks[i].record_number > index.marks[i - 1].record_number) {
      continue;
    }
    return absl::StrCat("mark ", i, " is not after the one before it");
  }
  if (index.marks.back().byte_offset > index.file_bytes) return "its last mark is after the end of the file";
  return "";
}

}  // namespace

bool CanBeIndexed(RecordFormat format) {
  switch (format) {
    case RecordFormat::kDelimited:
    case RecordFormat::kTfRecord:
    case RecordFormat::kLength32BigEndian:
    case RecordFormat::kLength32LittleEndian:
    case RecordFormat::kGrpc:
      return true;
    case RecordFormat::kMessage:
    case RecordFormat::kBase64:
    case RecordFormat::kHex:
    case RecordFormat::kJson:
    case RecordFormat::kTextproto:
    case RecordFormat::kCsv:
      return false;
  }
  return false;
}

std::string RecordIndexPath(const std::string& path) {
  const std::string_view options = IsRemotePath(path) ? SplitRemotePath(path).options : std::string_view();
  std::string index_path = path.substr(0, path.size() - options.size());
  const size_t slash = index_path.rfind('/');
  index_path.insert(slash == std::string::npos ? 0 : slash + 1, ".");
  return absl::StrCat(index_path, ".stidx", ToAbsl(options));
}

absl::StatusOr<RecordIndex> MakeRecordIndex(const std::string& path, const RecordIndexOptions& options, std::string* damage) {
  if (options.every_bytes < 1) {
    return base_internal::UnexpectedOption("every_bytes", std::to_string(options.every_bytes), "1 or more");
  }
  const absl::StatusOr<std::unique_ptr<RemoteFile>> file = records_internal::OpenForReadAt(path);
  if (!file.ok()) return InIndexedFile(path, file.status());
  const absl::StatusOr<records_internal::OpenedSource> source = records_internal::OpenByteSource(path);
  if (!source.ok()) return InIndexedFile(path, source.status());
  if (source->compressed) {
    return InIndexedFile(
        path, absl::InvalidArgumentError("it is compressed as one stream, which can be read only from its beginning; "
                                         "decompress it first, or write several files"));
  }
  const absl::StatusOr<RecordFormat> format = FormatToIndex(path, options);
  if (!format.ok()) return InIndexedFile(path, format.status());

  RecordIndex index = {.format = *format, .file_bytes = (*file)->size_bytes()};
  BlockReader blocks(**file, IsRemotePath(path) ? kRemoteBlockBytes : kLocalBlockBytes);
  int64_t position = 0;
  int64_t record_number = 0;
  int64_t next_mark = 0;
  while (true) {
    if (position >= next_mark || position == index.file_bytes) {
      const absl::StatusOr<uint32_t> checksum = records_internal::MarkChecksum(blocks, index.file_bytes, position);
      if (!checksum.ok()) return InIndexedFile(path, checksum.status());
      index.marks.push_back({position, record_number, *checksum});
      const int64_t most = std::numeric_limits<int64_t>::max() - position;
      next_mark = position + std::min(options.every_bytes, most);
    }
    if (position == index.file_bytes) return index;
    const int64_t left = index.file_bytes - position;
    const absl::StatusOr<std::string_view> header =
        blocks.View(position, static_cast<size_t>(std::min<int64_t>(records_internal::kMaxRecordHeaderBytes, left)));
    if (!header.ok()) return InIndexedFile(path, header.status());
    const absl::StatusOr<RecordExtent> extent = records_internal::ExtentOf(*format, *header);
    if (!extent.ok() || static_cast<int64_t>(extent->record_bytes()) > left) {
      if (damage != nullptr) {
        *damage = absl::StrCat("record ", record_number, ", byte ", position, ": ");
        if (extent.ok()) {
          absl::StrAppend(damage, "the record has ", extent->record_bytes(), " bytes but only ", left, " remain");
        } else {
          absl::StrAppend(damage, extent.status().message());
        }
      }
      return index;
    }
    position += static_cast<int64_t>(extent->record_bytes());
    ++record_number;
  }
}

std::string SerializeRecordIndex(const RecordIndex& index) {
  std::string bytes(kIndexMagic);
  AppendLittleEndian(static_cast<uint64_t>(index.format), 8, bytes);
  AppendLittleEndian(static_cast<uint64_t>(index.file_bytes), 8, bytes);
  AppendLittleEndian(index.marks.size(), 8, bytes);
  for (const RecordMark& mark : index.marks) {
    AppendLittleEndian(static_cast<uint64_t>(mark.byte_offset), 8, bytes);
    AppendLittleEndian(static_cast<uint64_t>(mark.record_number), 8, bytes);
    AppendLittleEndian(mark.checksum, 4, bytes);
  }
  AppendLittleEndian(records_internal::Crc32c(bytes), kIndexChecksumBytes, bytes);
  return bytes;
}

absl::StatusOr<RecordIndex> ParseRecordIndex(std::string_view bytes) {
  const auto damaged = [](std::string_view what) {
    return absl::DataLossError(absl::StrCat("the index is damaged: ", ToAbsl(what)));
  };
  if (bytes.size() < kIndexHeaderBytes + kIndexChecksumBytes) return damaged("it is too short");
  if (bytes.substr(0, kIndexMagic.size()) != kIndexMagic) {
    return damaged(bytes.starts_with(kIndexMagic.substr(0, kIndexMagic.size() - 1)) ? "its version is not 1"
                                                                                    : "it begins as no index does");
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kIndexChecksumBytes);
  if (records_internal::Crc32c(body) != LoadLittleEndian<uint32_t>(body.data() + body.size())) {
    return damaged("its checksum is wrong");
  }
  const uint64_t format = LoadLittleEndian<uint64_t>(body.data() + 8);
  const uint64_t count = LoadLittleEndian<uint64_t>(body.data() + 24);
  if (format > static_cast<uint64_t>(RecordFormat::kCsv)) return damaged("it is of a format that is not known");
  const size_t marks_bytes = body.size() - kIndexHeaderBytes;
  if (marks_bytes % kMarkEntryBytes != 0 || count != marks_bytes / kMarkEntryBytes) {
    return damaged("it has another number of marks than it says");
  }
  RecordIndex index = {.format = static_cast<RecordFormat>(format), .file_bytes = LoadLittleEndian<int64_t>(body.data() + 16)};
  index.marks.reserve(count);
  for (const char* p = body.data() + kIndexHeaderBytes; p != body.data() + body.size(); p += kMarkEntryBytes) {
    index.marks.push_back({LoadLittleEndian<int64_t>(p), LoadLittleEndian<int64_t>(p + 8), LoadLittleEndian<uint32_t>(p + 16)});
  }
  const std::string problem = ProblemOf(index);
  return problem.empty() ? absl::StatusOr<RecordIndex>(std::move(index)) : damaged(problem);
}

absl::StatusOr<std::optional<RecordIndex>> ReadRecordIndex(const std::string& path, const RecordIndexOptions& options) {
  const std::string index_path = RecordIndexPath(path);
  const absl::StatusOr<std::unique_ptr<RemoteFile>> index_file = records_internal::OpenForReadAt(index_path);
  if (absl::IsNotFound(index_file.status())) return std::nullopt;
  if (!index_file.ok()) return InIndexedFile(index_path, index_file.status());
  const absl::StatusOr<std::unique_ptr<RemoteFile>> file = records_internal::OpenForReadAt(path);
  if (!file.ok()) return InIndexedFile(path, file.status());
  const auto wrong = [&](std::string_view what) {
    return InIndexedFile(index_path, absl::InvalidArgumentError(
                                         absl::StrCat(ToAbsl(what), "; write it again (structtensor index), or remove it")));
  };

  const int64_t file_bytes = (*file)->size_bytes();
  const int64_t index_bytes = (*index_file)->size_bytes();
  constexpr int64_t kMostIndexBytes = int64_t{1} << 40;  // so that sizes do not overflow when calculated with
  if (index_bytes > kMostIndexBytes ||
      index_bytes / static_cast<int64_t>(kMarkEntryBytes) > file_bytes + static_cast<int64_t>(kIndexHeaderBytes)) {
    return wrong("the index does not fit the file: it has more marks than the file has bytes");
  }
  std::string bytes(static_cast<size_t>(index_bytes), '\0');
  if (const absl::Status read = (*index_file)->ReadAt(0, bytes.size(), bytes.data()); !read.ok()) {
    return InIndexedFile(index_path, read);
  }
  absl::StatusOr<RecordIndex> index = ParseRecordIndex(bytes);
  if (!index.ok()) return wrong(std::string_view(index.status().message().data(), index.status().message().size()));
  if (index->file_bytes != file_bytes) {
    return wrong(absl::StrCat("the index does not fit the file, which has ", file_bytes, " bytes and had ", index->file_bytes,
                              " when the index was written"));
  }
  BlockReader blocks(**file, 2 * records_internal::kMarkBytes);
  for (const RecordMark& mark : {index->marks.front(), index->marks.back()}) {
    const absl::StatusOr<uint32_t> checksum = records_internal::MarkChecksum(blocks, file_bytes, mark.byte_offset);
    if (!checksum.ok()) return InIndexedFile(path, checksum.status());
    if (*checksum == mark.checksum) continue;
    return wrong(absl::StrCat("the index does not fit the file, whose bytes around byte ", mark.byte_offset,
                              " have changed since the index was written"));
  }
  const absl::StatusOr<RecordFormat> format = FormatToIndex(path, options);
  if (!format.ok()) return InIndexedFile(path, format.status());
  if (*format != index->format) {
    return wrong(absl::StrCat("the index is of ", ToAbsl(RecordFormatName(index->format)), ", and the file is read as ",
                              ToAbsl(RecordFormatName(*format))));
  }
  return *std::move(index);
}

}  // namespace structtensor
