#include "structtensor/app/sinks/internal/zip_writer.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::sinks_internal {
namespace {

static_assert(std::endian::native == std::endian::little, "zip files are little-endian");

constexpr uint16_t kVersion = 45;                // the version with sizes of 64 bits
constexpr uint16_t kMadeBy = 3 << 8 | kVersion;  // on Unix, so that rights mean something
constexpr uint32_t kRights = 0100644u << 16;
constexpr uint16_t kNamesAreUtf8 = 1 << 11;
constexpr uint16_t kStored = 0;
constexpr uint16_t kMidnight = 0;
constexpr uint16_t kFirstOfJanuary1980 = 1 << 5 | 1;  // so that files do not depend on the time of writing
constexpr uint16_t kSizesOf64Bits = 1;                // the kind of an extra field
constexpr uint16_t kSeeExtraField16 = 0xffff;
constexpr uint32_t kSeeExtraField32 = 0xffffffff;

// Appends the bytes of the numbers. Each number has the size of its type.
template <typename... Numbers>
void AppendNumbers(std::string& out, Numbers... numbers) {
  const auto append = [&out](auto number) { out.append(reinterpret_cast<const char*>(&number), sizeof(number)); };
  (append(numbers), ...);
}

}  // namespace

absl::Status ZipWriter::BeginMember(std::string_view name, uint32_t crc32, int64_t size_bytes) {
  assert(name.size() <= kMaxNameBytes);
  const auto name_bytes = static_cast<uint16_t>(name.size());
  const auto offset = static_cast<uint64_t>(written_bytes_);
  const auto size = static_cast<uint64_t>(size_bytes);
  constexpr uint16_t kLocalExtraBytes = 20;
  constexpr uint16_t kDirectoryExtraBytes = 28;
  constexpr uint16_t kNone16 = 0;

  std::string header = "PK\3\4";
  AppendNumbers(header, kVersion, kNamesAreUtf8, kStored, kMidnight, kFirstOfJanuary1980, crc32, kSeeExtraField32,
                kSeeExtraField32, name_bytes, kLocalExtraBytes);
  header += name;
  AppendNumbers(header, kSizesOf64Bits, static_cast<uint16_t>(kLocalExtraBytes - 4), size, size);

  directory_ += "PK\1\2";
  AppendNumbers(directory_, kMadeBy, kVersion, kNamesAreUtf8, kStored, kMidnight, kFirstOfJanuary1980, crc32, kSeeExtraField32,
                kSeeExtraField32, name_bytes, kDirectoryExtraBytes, /*comment*/ kNone16, /*disk*/ kNone16,
                /*internal attributes*/ kNone16, kRights, kSeeExtraField32);
  directory_ += name;
  AppendNumbers(directory_, kSizesOf64Bits, static_cast<uint16_t>(kDirectoryExtraBytes - 4), size, size, offset);
  ++number_of_members_;
  return Write(header);
}

absl::Status ZipWriter::Write(std::string_view bytes) {
  STRUCTTENSOR_RETURN_IF_ERROR(WriteAll(fd_, bytes));
  written_bytes_ += static_cast<int64_t>(bytes.size());
  return absl::OkStatus();
}

absl::Status ZipWriter::Finish() {
  const auto members = static_cast<uint64_t>(number_of_members_);
  const auto directory_offset = static_cast<uint64_t>(written_bytes_);
  const uint64_t directory_bytes = directory_.size();
  const uint64_t end_offset = directory_offset + directory_bytes;
  constexpr uint32_t kFirstDisk = 0;
  constexpr uint32_t kDisks = 1;
  constexpr uint64_t kEndBytes = 44;  // the size of the bytes after it
  constexpr uint16_t kNoComment = 0;

  std::string end = "PK\6\6";
  AppendNumbers(end, kEndBytes, kMadeBy, kVersion, kFirstDisk, kFirstDisk, members, members, directory_bytes, directory_offset);
  end += "PK\6\7";
  AppendNumbers(end, kFirstDisk, end_offset, kDisks);
  end += "PK\5\6";
  AppendNumbers(end, kSeeExtraField16, kSeeExtraField16, kSeeExtraField16, kSeeExtraField16, kSeeExtraField32, kSeeExtraField32,
                kNoComment);
  STRUCTTENSOR_RETURN_IF_ERROR(Write(directory_));
  return Write(end);
}

}  // namespace structtensor::sinks_internal
