#include "seeds.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "decode_input.h"
#include "message_types.h"
#include "naive_records.h"
#include "random_message.h"
#include "records_input.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/json/message_json.h"
#include "wire_case.h"

namespace structtensor::testing {

absl::StatusOr<std::vector<Seed>> DecodeSeeds() {
  std::vector<Seed> seeds;
  for (const std::string& file : CaseFiles()) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<WireCase> cases, ReadCases(file));
    for (const WireCase& c : cases) {
      const MessageType* type = FindMessageType(c.type);
      if (type == nullptr) return absl::NotFoundError(c.place + ": no message type " + c.type);
      DecodeInput input;
      input.type = static_cast<size_t>(type - MessageTypes().data());
      input.messages = {c.bytes};
      std::string name = c.place;
      std::replace(name.begin(), name.end(), ':', '_');
      seeds.push_back({name, SerializeDecodeInput(input)});
    }
  }
  return seeds;
}

absl::StatusOr<std::vector<Seed>> JsonSeeds() {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<Seed> messages, DecodeSeeds());
  std::vector<Seed> seeds;
  for (const Seed& seed : messages) {
    const DecodeInput input = ParseDecodeInput(seed.bytes);
    std::string text(1, static_cast<char>(input.type));
    if (MessageJson(*MessageTypes()[input.type].plan()).AppendJson(input.messages.front(), text).ok()) {
      seeds.push_back({seed.name, text});
    }
  }
  return seeds;
}

std::vector<Seed> RecordsSeeds() {
  const std::vector<std::string> messages = {"one", "", std::string(130, 'x'), "four"};
  const struct {
    const char* name;
    RecordFormat format;
  } formats[] = {{"delimited", RecordFormat::kDelimited},
                 {"tfrecord", RecordFormat::kTfRecord},
                 {"message", RecordFormat::kMessage},
                 {"length32", RecordFormat::kLength32BigEndian},
                 {"length32le", RecordFormat::kLength32LittleEndian},
                 {"grpc", RecordFormat::kGrpc}};
  const struct {
    const char* ending;
    std::string (*compress)(std::string_view);
  } compressions[] = {{"_gz", Gzip}, {"_zst", ZstdFrame}, {"_lz4", Lz4Frame}};
  std::vector<Seed> seeds;
  for (const auto& [name, format] : formats) {
    RecordsInput input;
    input.format = format;
    input.batch_messages = 1;
    input.batch_bytes = 10;
    input.message_bytes = 12;
    input.file = WriteRecords(messages, format);
    seeds.push_back({name, SerializeRecordsInput(input)});
    for (const auto& [ending, compress] : compressions) {
      RecordsInput compressed = input;
      compressed.file = compress(input.file);
      seeds.push_back({std::string(name) + ending, SerializeRecordsInput(compressed)});
    }
  }
  return seeds;
}

std::vector<Seed> ArrowSeeds() {
  std::vector<Seed> seeds;
  Random random(21);
  for (int i = 0; i < 200; ++i) {
    std::string bytes(20 + Pick(random, 400), '\0');
    // Small bytes alone make arrays without a mistake.
    const size_t end = i % 2 == 0 ? 240 : 256;
    for (char& byte : bytes) byte = static_cast<char>(Pick(random, end));
    seeds.push_back({"random_" + std::to_string(i), bytes});
  }
  return seeds;
}

}  // namespace structtensor::testing
