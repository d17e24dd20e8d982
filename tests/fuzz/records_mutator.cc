#include "records_mutator.h"

#include <vector>

#include "naive_records.h"
#include "records_input.h"
#include "rewrite.h"

namespace structtensor::testing {
namespace {

std::string RandomPayload(Random& random) {
  // Lengths of one, two and three bytes; of the last kind only what compression makes small.
  if (Chance(random, 0.05)) return std::string(16000 + Pick(random, 1000), static_cast<char>(random()));
  return RandomBytes(random);
}

void MutateHeader(Random& random, RecordsInput& input) {
  static constexpr RecordFormat kFormats[] = {RecordFormat::kDelimited,
                                              RecordFormat::kTfRecord,
                                              RecordFormat::kMessage,
                                              RecordFormat::kLength32BigEndian,
                                              RecordFormat::kLength32LittleEndian,
                                              RecordFormat::kGrpc};
  switch (Pick(random, 5)) {
    case 0:
      input.format = kFormats[Pick(random, 6)];
      break;
    case 1:
      input.options ^= static_cast<uint8_t>(1 << Pick(random, RecordsInput::kOptionBits));
      break;
    case 2:
      input.batch_messages = static_cast<uint8_t>(random());
      break;
    case 3:
      input.batch_bytes = static_cast<uint8_t>(random());
      break;
    default:
      input.message_bytes = static_cast<uint8_t>(random());
      break;
  }
}

// Rewrites the file's valid records with one of them added, removed or changed.
void MutateValidRecords(Random& random, RecordsInput& input) {
  std::vector<std::string> messages;
  constexpr size_t kMaxMessageBytes = 1 << 24;
  for (NaiveRecord& record : ReadNaively(input.file, input.format, kMaxMessageBytes).records) {
    if (!record.damaged) messages.push_back(std::move(record.message));
  }
  const size_t at = Pick(random, messages.size() + 1);
  if (at == messages.size() || Chance(random, 0.4)) {
    messages.insert(messages.begin() + static_cast<ptrdiff_t>(at), RandomPayload(random));
  } else if (Chance(random, 0.5)) {
    messages.erase(messages.begin() + static_cast<ptrdiff_t>(at));
  } else {
    messages[at] = RandomPayload(random);
  }
  input.file = WriteRecords(messages, input.format);
}

}  // namespace

std::string MutateRecords(Random& random, std::string_view bytes, size_t max_size, const PlainMutation& plain) {
  RecordsInput input = ParseRecordsInput(bytes);
  if (Chance(random, 0.3)) MutateHeader(random, input);
  if (Chance(random, 0.6)) MutateValidRecords(random, input);
  if (Chance(random, 0.3)) input.file = Corrupt(random, input.file);
  if (Chance(random, 0.2)) {
    // Separate members or frames, one after the other, perhaps with zeros between them.
    const size_t cut = Pick(random, input.file.size() + 1);
    static constexpr std::string (*kCompressions[])(std::string_view) = {Gzip, ZstdFrame, Lz4Frame};
    const auto compress = kCompressions[Pick(random, 3)];
    input.file = compress(input.file.substr(0, cut)) + std::string(Chance(random, 0.2) ? Pick(random, 5) : 0, '\0') +
                 (Chance(random, 0.5) ? "" : compress(input.file.substr(cut)));
    if (Chance(random, 0.3)) input.file = Corrupt(random, input.file);
  }
  std::string mutated = SerializeRecordsInput(input);
  return mutated.size() > max_size || mutated == bytes ? plain(random, std::string(bytes), max_size) : mutated;
}

}  // namespace structtensor::testing
