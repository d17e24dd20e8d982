#include "records_input.h"

#include <iterator>

namespace structtensor::testing {
namespace {

constexpr size_t kRecordsHeaderBytes = 5;
constexpr RecordFormat kFormats[] = {RecordFormat::kDelimited,
                                     RecordFormat::kTfRecord,
                                     RecordFormat::kMessage,
                                     RecordFormat::kLength32BigEndian,
                                     RecordFormat::kLength32LittleEndian,
                                     RecordFormat::kGrpc};

}  // namespace

RecordsInput ParseRecordsInput(std::string_view bytes) {
  std::string header(bytes.substr(0, kRecordsHeaderBytes));
  header.resize(kRecordsHeaderBytes);
  RecordsInput input;
  input.format = kFormats[static_cast<uint8_t>(header[0]) % std::size(kFormats)];
  input.options = static_cast<uint8_t>(header[1]);
  input.batch_messages = static_cast<uint8_t>(header[2]);
  input.batch_bytes = static_cast<uint8_t>(header[3]);
  input.message_bytes = static_cast<uint8_t>(header[4]);
  if (bytes.size() > kRecordsHeaderBytes) input.file = bytes.substr(kRecordsHeaderBytes);
  return input;
}

std::string SerializeRecordsInput(const RecordsInput& input) {
  const uint8_t header[kRecordsHeaderBytes] = {static_cast<uint8_t>(input.format), input.options, input.batch_messages,
                                               input.batch_bytes, input.message_bytes};
  return std::string(header, header + kRecordsHeaderBytes) + input.file;
}

}  // namespace structtensor::testing
