#include "structtensor/io/records/confluent_header.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/io/records/internal/lengths.h"

namespace structtensor {
namespace {

using records_internal::LengthPrefix;
using records_internal::ParseLengthPrefix;

constexpr size_t kSchemaIdBytes = 4;
// Types are never nested this deep.
constexpr int64_t kMaxIndexes = 100;

std::string Wrong(std::string_view what) {
  return absl::StrCat("the message does not begin with a Confluent header (a byte 0, a schema id, message indexes): ",
                      std::string(what));
}

// Takes a zigzag varint of at most 32 bits from the front of `bytes`.
std::optional<int64_t> TakeZigzag(std::string_view& bytes) {
  const LengthPrefix varint = ParseLengthPrefix(bytes);
  if (varint.size_bytes == 0 || varint.value > UINT32_MAX) return std::nullopt;
  bytes.remove_prefix(varint.size_bytes);
  const auto half = static_cast<int64_t>(varint.value >> 1);
  return varint.value % 2 == 0 ? half : -half - 1;
}

}  // namespace

std::string ReadConfluentHeader(std::string_view record, ConfluentHeader* header) {
  if (record.empty()) return Wrong("it is empty");
  if (record[0] != '\0') return Wrong(absl::StrCat("its first byte is ", static_cast<uint8_t>(record[0])));
  std::string_view rest = record.substr(1);
  if (rest.size() < kSchemaIdBytes) return Wrong(absl::StrCat("it ends after ", record.size(), " bytes"));
  header->schema_id = records_internal::LoadBigEndian32(rest.data());
  rest.remove_prefix(kSchemaIdBytes);
  const std::optional<int64_t> count = TakeZigzag(rest);
  if (!count.has_value()) return Wrong("the number of message indexes is not a varint of 32 bits");
  if (*count < 0 || *count > kMaxIndexes) return Wrong(absl::StrCat("the number of message indexes is ", *count));
  header->message_indexes.clear();
  for (int64_t i = 0; i < *count; ++i) {
    const std::optional<int64_t> index = TakeZigzag(rest);
    if (!index.has_value()) return Wrong(absl::StrCat("message index ", i, " of ", *count, " is not a varint of 32 bits"));
    if (*index < 0) return Wrong(absl::StrCat("message index ", i, " is ", *index));
    header->message_indexes.push_back(static_cast<int32_t>(*index));
  }
  if (*count == 0) header->message_indexes.push_back(0);
  header->size_bytes = record.size() - rest.size();
  return "";
}

std::string MessageIndexesText(std::span<const int32_t> indexes) {
  return absl::StrCat("[", absl::StrJoin(indexes, ", "), "]");
}

}  // namespace structtensor
