#include "structtensor/app/convert/shared/broken_record_list.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::convert_internal {
namespace {

constexpr int64_t kListed = 10;

}  // namespace

void BrokenRecordList::Add(const BrokenRecord& record) {
  if (++count_ <= kListed) absl::FPrintF(stderr, "%s: %s\n", ToAbsl(verb()), WithFlagNames(record.text));
}

void BrokenRecordList::Add(const DamagedFile& file) { absl::FPrintF(stderr, "damaged file: %s\n", WithFlagNames(file.text)); }

void BrokenRecordList::Finish(std::string_view reason) const {
  if (count_ > kListed) absl::FPrintF(stderr, "%s: … and %s more\n", ToAbsl(verb()), CountText(count_ - kListed));
  if (!reason.empty()) absl::FPrintF(stderr, "%s\n", ToAbsl(reason));
}

std::string ReasonOf(const Scan& scan) {
  if (!scan.all_messages_invalid() && !scan.no_message_has_fields()) return "";
  return absl::StrCat(
      scan.all_messages_invalid() ? "no message could be read as a " : "no message that was read has a field of ",
      ToAbsl(scan.message().full_name),
      ", so the messages may be of another type: structtensor inspect, with the schema, says which types fit");
}

absl::Status WithReason(const absl::Status& status, const Scan& scan) {
  // If messages were valid, their type does not explain the error.
  if (status.ok() || !scan.all_messages_invalid()) return status;
  const std::string reason = ReasonOf(scan);
  return absl::Status(status.code(), absl::StrCat(status.message(), "; ", reason));
}

std::string_view BrokenRecordList::verb() const {
  return on_error_ == DecodeOptions::OnError::kNull ? "set to null" : "skipped";
}

}  // namespace structtensor::convert_internal
