#include "records_check.h"

#include <memory>
#include <string_view>
#include <vector>

#include "memory_file.h"
#include "naive_records.h"

namespace structtensor::testing {
namespace {

// A record as the reader is expected to deliver it.
struct Expected {
  RecordLocation location;
  bool skipped = false;
  std::string message;
};

struct ExpectedReading {
  std::vector<Expected> records;
  bool fails = false;  // after the records
};

ExpectedReading Expect(const NaiveFile& file, const RecordsInput& input, uint32_t files) {
  ExpectedReading expected;
  const bool whole_files = input.on_damaged_file() == OnDamagedFile::kSkip;
  for (uint32_t i = 0; i < files; ++i) {
    int64_t number = 0;
    const bool skipped = whole_files && file.damaged;
    for (const NaiveRecord& record : file.records) {
      const bool is_file = file.damaged && &record == &file.records.back();
      const bool may_be_left_out = is_file ? input.on_damaged_file() != OnDamagedFile::kFail
                                           : skipped || (input.options & RecordsInput::kSkipDamaged) != 0;
      if ((record.damaged && !may_be_left_out) || (whole_files && file.unreadable)) {
        expected.fails = true;
        return expected;
      }
      if (skipped && !is_file) {
        ++number;
        continue;
      }
      expected.records.push_back({{i, number++, static_cast<int64_t>(record.offset)}, record.damaged, record.message});
    }
    if (file.unreadable) {
      expected.fails = true;
      return expected;
    }
  }
  return expected;
}

bool SameLocation(const RecordLocation& a, const RecordLocation& b) {
  return a.input == b.input && a.record_number == b.record_number && a.byte_offset == b.byte_offset;
}

std::string Describe(const RecordLocation& location) {
  return "input " + std::to_string(location.input) + " record " + std::to_string(location.record_number) + " at byte " +
         std::to_string(location.byte_offset);
}

// Compares batch after batch with what is expected.
class Comparer {
 public:
  Comparer(const RecordsInput& input, const ExpectedReading& expected) : input_(input), expected_(expected) {}

  std::string Compare(RecordReader& reader) {
    RecordBatch batch;
    while (true) {
      const absl::StatusOr<bool> more = reader.NextBatch(input_.max_batch_messages(), input_.max_batch_bytes(), &batch);
      if (!more.ok()) return CompareFailure(reader, more.status(), batch);
      if (!*more) break;
      if (batch.messages().empty() && batch.skipped().empty()) return "a batch of nothing";
      if (std::string difference = CompareBatch(batch); !difference.empty()) return difference;
    }
    if (expected_.fails) return "the input ends well, expected an error";
    return next_ == expected_.records.size() ? "" : "the input ends in front of " + Describe(expected_.records[next_].location);
  }

 private:
  std::string CompareFailure(RecordReader& reader, const absl::Status& status, RecordBatch& batch) const {
    if (!expected_.fails) return "an error where none is expected: " + status.ToString();
    if (next_ != expected_.records.size()) return "an error in front of " + Describe(expected_.records[next_].location);
    // What asks for a dictionary or for too much memory is not damaged.
    const bool refused = status.message().find("cannot be decompressed here") != absl::string_view::npos;
    if (!absl::IsDataLoss(status) && !refused) return "not DataLoss: " + status.ToString();
    const absl::StatusOr<bool> again = reader.NextBatch(input_.max_batch_messages(), input_.max_batch_bytes(), &batch);
    return again.status() == status ? "" : "the error is another one the second time: " + again.status().ToString();
  }

  // Messages and skipped records, merged by their places.
  std::string CompareBatch(const RecordBatch& batch) {
    if (batch.messages().size() != batch.locations().size()) return "not as many locations as messages";
    if (batch.messages().size() > input_.max_batch_messages()) return "more messages in a batch than were asked for";
    if (batch.messages().size() > 1 && batch.payload_bytes() > input_.max_batch_bytes()) return "a batch of too many bytes";
    size_t message = 0;
    size_t skipped = 0;
    size_t payload_bytes = 0;
    while (message < batch.messages().size() || skipped < batch.skipped().size()) {
      if (next_ == expected_.records.size()) return "more records than expected";
      const Expected& expected = expected_.records[next_++];
      const std::string place = Describe(expected.location);
      if (expected.skipped) {
        if (skipped == batch.skipped().size()) return place + " is not skipped";
        const BrokenRecord& error = batch.skipped()[skipped++];
        if (!SameLocation(error.location, expected.location))
          return Describe(error.location) + " is skipped, expected " + place;
        if (error.problem.empty()) return place + " is skipped without a reason";
        continue;
      }
      if (message == batch.messages().size()) return place + " is skipped";
      if (!SameLocation(batch.locations()[message], expected.location)) {
        return Describe(batch.locations()[message]) + ", expected " + place;
      }
      const std::string_view bytes = batch.messages()[message++];
      if (bytes != expected.message) return place + " has other bytes";
      for (size_t i = 0; i < kBatchSlackBytes; ++i) slack_ = slack_ + bytes.data()[bytes.size() + i];
      payload_bytes += bytes.size();
    }
    return payload_bytes == batch.payload_bytes() ? "" : "payload_bytes() is not what the messages have";
  }

  const RecordsInput& input_;
  const ExpectedReading& expected_;
  size_t next_ = 0;          // index into the expected records
  volatile char slack_ = 0;  // of the bytes after the messages, which must be readable
};

}  // namespace

std::string CheckRecords(const RecordsInput& input) {
  // Compressed zeros are millions of empty records, which take long to compare and show nothing that thousands do not.
  constexpr size_t kMaxRecords = 5000;
  const NaiveFile naive = ReadNaively(input.file, input.format, input.max_message_bytes());
  if (naive.records.size() > kMaxRecords) return "";

  const MemoryFile file(input.file);
  const std::vector<std::string> inputs((input.options & RecordsInput::kTwice) != 0 ? 2 : 1, file.path());
  RecordReaderOptions options;
  options.format = input.format;
  options.max_message_bytes = input.max_message_bytes();
  options.skip_damaged = (input.options & RecordsInput::kSkipDamaged) != 0;
  options.on_damaged_file = input.on_damaged_file();
  const ExpectedReading expected = Expect(naive, input, static_cast<uint32_t>(inputs.size()));
  return Comparer(input, expected).Compare(**RecordReader::Create(inputs, options));
}

}  // namespace structtensor::testing
