#include "structtensor/io/column_files/file_format.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/option_enum.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor {
namespace {

constexpr CompressionCodec kCodecs[] = {
    {FileCompression::kNone, "none", /*in_parquet=*/true, /*in_arrow=*/true, 0, 0},
    {FileCompression::kGzip, "gzip", /*in_parquet=*/true, /*in_arrow=*/false, 1, 9},
    {FileCompression::kLz4, "lz4", /*in_parquet=*/true, /*in_arrow=*/true, 0, 0},
    {FileCompression::kSnappy, "snappy", /*in_parquet=*/true, /*in_arrow=*/false, 0, 0},
    {FileCompression::kZstd, "zstd", /*in_parquet=*/true, /*in_arrow=*/true, 1, 22},
};

// "a, b or c", with `last` as the word before the last.
std::string List(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) absl::StrAppend(&text, i + 1 == words.size() ? absl::StrCat(" ", ToAbsl(last), " ") : ", ");
    absl::StrAppend(&text, words[i]);
  }
  return text;
}

std::string CodecsOf(bool CompressionCodec::*in_format) {
  std::vector<std::string> names;
  for (const CompressionCodec& codec : kCodecs) {
    if (codec.*in_format) names.emplace_back(codec.name);
  }
  return List(names, "or");
}

// "gzip (1 to 9) and zstd (1 to 22)".
std::string CodecsWithLevels() {
  std::vector<std::string> names;
  for (const CompressionCodec& codec : kCodecs) {
    if (codec.greatest_level == 0) continue;
    names.push_back(absl::StrCat(ToAbsl(codec.name), " (", codec.least_level, " to ", codec.greatest_level, ")"));
  }
  return List(names, "and");
}

}  // namespace

std::span<const CompressionCodec> CompressionCodecs() { return kCodecs; }

const CompressionCodec& CodecOf(FileCompression compression) {
  return *std::find_if(std::begin(kCodecs), std::end(kCodecs),
                       [compression](const CompressionCodec& codec) { return codec.compression == compression; });
}

FileCompression DefaultCompressionOf(FileFormat format) {
  return format == FileFormat::kCsv ? FileCompression::kNone : FileCompression::kZstd;
}

absl::Status CheckCompressionValue(std::string_view option, FileCompression compression) {
  return base_internal::CheckEnum(option, compression, FileCompression::kLz4,
                                  "kDefault (0), kNone (1), kSnappy (2), kZstd (3), kGzip (4) or kLz4 (5)");
}

absl::Status CheckCompression(FileFormat format, FileCompression compression, std::optional<int> level) {
  const CompressionCodec& codec =
      CodecOf(compression == FileCompression::kDefault ? DefaultCompressionOf(format) : compression);
  if (format == FileFormat::kCsv && codec.compression != FileCompression::kNone) {
    return absl::InvalidArgumentError("CSV has no compression of its own; use none, and a pipe to gzip or zstd");
  }
  const bool parquet = format == FileFormat::kParquet;
  if (!parquet && !codec.in_arrow) {
    return absl::InvalidArgumentError(
        absl::StrCat("`compression=", ToAbsl(codec.name), "`: Arrow files take ", CodecsOf(&CompressionCodec::in_arrow)));
  }
  if (parquet && !codec.in_parquet) {
    return absl::InvalidArgumentError(
        absl::StrCat("`compression=", ToAbsl(codec.name), "`: Parquet files take ", CodecsOf(&CompressionCodec::in_parquet)));
  }
  if (!level.has_value() || (codec.greatest_level > 0 && *level >= codec.least_level && *level <= codec.greatest_level)) {
    return absl::OkStatus();
  }
  if (codec.greatest_level == 0) {
    const std::string_view what = codec.compression == FileCompression::kNone ? "a file without compression" : codec.name;
    return absl::InvalidArgumentError(
        absl::StrCat("`compression_level`: ", ToAbsl(what), " has no levels; ", CodecsWithLevels(), " have"));
  }
  return absl::InvalidArgumentError(absl::StrCat("`compression_level=", *level, "`: ", ToAbsl(codec.name), " has levels from ",
                                                 codec.least_level, " to ", codec.greatest_level));
}

}  // namespace structtensor
