#include "structtensor/io/records/split_records.h"

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/records/internal/record_extent.h"

namespace structtensor {
namespace {

absl::StatusOr<std::string_view> TakeMessage(RecordFormat format, std::string_view& rest) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const records_internal::RecordExtent extent, records_internal::ExtentOf(format, rest));
  const size_t left = rest.size() - extent.message_position;
  if (left < extent.message_bytes + extent.bytes_after) {
    return absl::DataLossError(
        absl::StrCat("the length says ", extent.message_bytes + extent.bytes_after, " bytes but only ", left, " remain"));
  }
  const std::string_view message = rest.substr(extent.message_position, extent.message_bytes);
  if (format == RecordFormat::kTfRecord && !records_internal::HasMaskedCrc32c(message, message.data() + message.size())) {
    return absl::DataLossError(absl::StrCat("the checksum of its ", message.size(), " bytes is wrong"));
  }
  rest.remove_prefix(extent.message_position + extent.message_bytes + extent.bytes_after);
  return message;
}

}  // namespace

absl::StatusOr<std::vector<std::string_view>> SplitRecords(RecordFormat format, std::string_view bytes) {
  std::vector<std::string_view> messages;
  if (format == RecordFormat::kMessage) {
    messages.push_back(bytes);  // zero bytes are a message, too
    return messages;
  }
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const absl::StatusOr<std::string_view> message = TakeMessage(format, rest);
    if (!message.ok()) {
      const std::string where = absl::StrCat("record ", messages.size(), ", byte ", bytes.size() - rest.size(), ": ");
      return absl::Status(message.status().code(), absl::StrCat(where, message.status().message()));
    }
    messages.push_back(*message);
  }
  return messages;
}

}  // namespace structtensor
