// Lists broken records on standard error: the first ones, and how many more there were. Also all damaged files.
#ifndef STRUCTTENSOR_APP_CONVERT_SHARED_BROKEN_RECORD_LIST_H_
#define STRUCTTENSOR_APP_CONVERT_SHARED_BROKEN_RECORD_LIST_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/core/decode/decoder.h"

namespace structtensor::convert_internal {

class BrokenRecordList {
 public:
  explicit BrokenRecordList(DecodeOptions::OnError on_error) : on_error_(on_error) {}

  void Add(const BrokenRecord& record);
  void Add(const DamagedFile& file);
  // To be called last. `reason`: the result of ReasonOf() for the scan, or "".
  void Finish(std::string_view reason = "") const;

  // What happened to the records: "skipped", or "set to null".
  std::string_view verb() const;

 private:
  const DecodeOptions::OnError on_error_;
  int64_t count_ = 0;
};

// Returns why the message type is probably wrong, if no message of the scan was valid or none had a field. Otherwise "".
std::string ReasonOf(const Scan& scan);
// Returns `status`, an error of the scan. If no message was valid, the text of ReasonOf() is added.
absl::Status WithReason(const absl::Status& status, const Scan& scan);

}  // namespace structtensor::convert_internal

#endif  // STRUCTTENSOR_APP_CONVERT_SHARED_BROKEN_RECORD_LIST_H_
