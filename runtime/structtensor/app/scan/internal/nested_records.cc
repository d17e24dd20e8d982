#include "structtensor/app/scan/internal/nested_records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/decode/shared/error_text.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/wire/shared/field_reader.h"

namespace structtensor::scan_internal {
namespace {

using decode_internal::DecodeError;

constexpr size_t kMaxSteps = DecodeOptions::kGreatestMaxDepth;

static_assert(kBatchSlackBytes >= wire_internal::kReadableSlackBytes, "messages of batches are read by the functions of wire/");

// Bytes of an element in its record. 2^31 bytes are the most that a record has.
struct RowBytes {
  uint32_t offset;
  uint32_t size_bytes;
};

// Finds the elements in one record.
class RowFinder {
 public:
  RowFinder(const RowPath& path, size_t max_rows, int max_depth, std::vector<RowBytes>& rows)
      : path_(path), max_rows_(max_rows), max_depth_(max_depth), rows_(rows) {}

  // Replaces `rows` with the rows of `record`. False if the record is malformed, or has more than max_rows. Requires:
  // kReadableSlackBytes can be read after the record.
  bool Find(std::string_view record) {
    rows_.clear();
    begin_ = record.data();
    return WalkFields(record, 0, 0);
  }

  // The reason for which Find() failed, and its byte offset in the record. kRowLimit: the record has more than max_rows.
  DecodeError error() const { return error_; }
  size_t error_offset() const { return static_cast<size_t>(error_place_ - begin_); }

 private:
  // Walks the fields of a message of steps[level].parent. False if the message is malformed.
  //   first_row  the first row of this message; several parts of the message may have been walked before
  bool WalkFields(std::string_view message, size_t level, size_t first_row) {
    const RowPath::Step& step = path_.steps[level];
    wire_internal::Field field;
    for (wire_internal::FieldReader fields(message, max_depth_ - static_cast<int>(level)); !fields.AtEnd();) {
      const char* const place = message.data() + fields.offset();
      if (!fields.Next(&field)) return Fail(fields.error(), message.data() + fields.error_offset());
      if (static_cast<int32_t>(field.number) == step.field->number && field.type == plan::WireTypeOf(step.field->kind)) {
        if (static_cast<int>(level) >= max_depth_) return Fail(DecodeError::kDepth, place);
        if (level + 1 == path_.steps.size()) {
          if (rows_.size() == max_rows_) return Fail(DecodeError::kRowLimit, place);
          rows_.push_back({static_cast<uint32_t>(field.bytes.data() - begin_), static_cast<uint32_t>(field.bytes.size())});
        } else {
          // A singular message that occurs again is still the same message.
          const size_t first_row_inside = step.field->is_repeated() ? rows_.size() : first_row;
          if (!WalkFields(field.bytes, level + 1, first_row_inside)) return false;
        }
      } else if (UnsetsOneof(step, field)) {
        rows_.resize(first_row);
      }
    }
    return true;
  }

  // Whether the field sets another member of the oneof of the step's field.
  static bool UnsetsOneof(const RowPath::Step& step, const wire_internal::Field& field) {
    if (step.field->oneof_case < 0) return false;
    const plan::FieldPlan* const other = step.parent->FindByNumber(static_cast<int32_t>(field.number));
    if (other == nullptr || other->oneof_case != step.field->oneof_case) return false;
    if (field.type != plan::WireTypeOf(other->kind)) return false;
    return !other->closed_enum || other->enumeration->Has(static_cast<int32_t>(field.bits));
  }

  bool Fail(DecodeError error, const char* place) {
    error_ = error;
    error_place_ = place;
    return false;
  }

  const RowPath& path_;
  const size_t max_rows_;
  const int max_depth_;
  std::vector<RowBytes>& rows_;
  const char* begin_ = nullptr;
  DecodeError error_ = DecodeError::kNone;
  const char* error_place_ = nullptr;
};

class NestedRecordReader : public RecordReader {
 public:
  NestedRecordReader(std::unique_ptr<RecordReader> records, RowPath path, bool skip_damaged, size_t max_rows, int max_depth)
      : reader_(std::move(records)),
        path_(std::move(path)),
        skip_damaged_(skip_damaged),
        max_rows_(max_rows),
        max_depth_(max_depth) {}

  absl::StatusOr<bool> NextBatch(size_t max_messages, size_t max_bytes, RecordBatch* batch) override {
    if (max_messages == 0) return absl::InvalidArgumentError("NextBatch: max_messages = 0; expected 1 or more");
    messages_.clear();
    locations_.clear();
    skipped_.clear();
    with_headers_.clear();
    size_t size_bytes = 0;
    while (messages_.size() + skipped_.size() < max_messages) {
      if (next_row_ == rows_.size()) {
        // The rows that were found are views into the current records.
        const bool any = !messages_.empty() || !skipped_.empty();
        if (any && (!error_.ok() || !HasRecord())) break;
        if (!error_.ok()) return error_;
        if (!HasRecord()) {
          STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, ReadRecords(max_messages, max_bytes));
          if (!more) return false;
          continue;
        }
        OpenRecord();
        continue;
      }
      const RowBytes row = rows_[next_row_];
      if (!messages_.empty() && row.size_bytes > max_bytes - std::min(max_bytes, size_bytes)) break;
      size_bytes += row.size_bytes;
      messages_.push_back(records_.messages()[record_ - 1].substr(row.offset, row.size_bytes));
      locations_.push_back(records_.locations()[record_ - 1]);
      locations_.back().byte_offset += row.offset;
      ++next_row_;
    }
    batch->Assign(messages_, locations_, skipped_);
    return true;
  }

  std::string Where(const RecordLocation& location, size_t byte_in_message) const override {
    return reader_->Where(location, byte_in_message);
  }
  std::string InputName(uint32_t input) const override { return reader_->InputName(input); }
  int64_t bytes_read() const override { return reader_->bytes_read(); }

 private:
  // Whether there is a record, or a skipped record, that was not looked at yet.
  bool HasRecord() const { return record_ < records_.messages().size() || damaged_ < records_.skipped().size(); }

  absl::StatusOr<bool> ReadRecords(size_t max_records, size_t max_bytes) {
    rows_.clear();
    next_row_ = record_ = damaged_ = 0;
    return reader_->NextBatch(max_records, max_bytes, &records_);
  }

  // Returns the problem with a record, and the advice.
  std::pair<std::string, std::string> ProblemOf(DecodeError error, int64_t byte) const {
    DecodeOptions limits;
    limits.max_rows = max_rows_;
    limits.max_depth = max_depth_;
    const std::pair<std::string, std::string> clauses =
        absl::StrSplit(decode_internal::ErrorText(error, limits, {}), absl::MaxSplits("; ", 1));
    const auto& [what, meaning] = clauses;
    if (error == DecodeError::kRowLimit) {
      return {absl::StrCat("it has more than ", base_internal::OptionText("max_rows", max_rows_), " elements at ", path_.text),
              absl::StrCat(meaning, ", or pass `on_error=kSkip` to leave the message out")};
    }
    if (error == DecodeError::kDepth) {
      return {absl::StrCat("it is ", what, ", at byte ", byte),
              absl::StrCat(meaning, ", or pass `on_error=kSkip` to leave the message out")};
    }
    return {absl::StrCat("its ", path_.text, " cannot be found: ", what, ", at byte ", byte),
            absl::StrCat(meaning, "; check `message`, or pass `on_error=kSkip` to leave the message out")};
  }

  // Finds the rows of the next record, or reports that the record was skipped.
  void OpenRecord() {
    rows_.clear();
    next_row_ = 0;
    const std::span<const BrokenRecord> damaged = records_.skipped();
    if (record_ == records_.messages().size() ||
        (damaged_ < damaged.size() && damaged[damaged_].location < records_.locations()[record_])) {
      skipped_.push_back(damaged[damaged_++]);
      return;
    }
    const std::string_view record = records_.messages()[record_];
    const std::string_view header = records_.confluent_header(record_);
    const RecordLocation& location = records_.locations()[record_++];
    RowFinder finder(path_, max_rows_, max_depth_, rows_);
    if (finder.Find(record)) return;
    auto [problem, advice] = ProblemOf(finder.error(), location.byte_offset + static_cast<int64_t>(finder.error_offset()));
    rows_.clear();
    if (!skip_damaged_) {
      error_ = absl::DataLossError(absl::StrCat(Where(location, 0), ": ", problem, " (", advice, ")"));
      return;
    }
    const std::string& bytes = with_headers_.emplace_back(absl::StrCat(ToAbsl(header), ToAbsl(record)));
    const int64_t header_bytes = location.line == 0 ? static_cast<int64_t>(header.size()) : 0;
    skipped_.push_back({.location = location,
                        .code = decode_internal::CodeOf(finder.error()),
                        .problem = std::move(problem),
                        .advice = std::move(advice),
                        .bytes = bytes,
                        .bytes_offset = location.byte_offset - header_bytes});
  }

  const std::unique_ptr<RecordReader> reader_;
  const RowPath path_;
  const bool skip_damaged_;
  const size_t max_rows_;
  const int max_depth_;
  RecordBatch records_;
  size_t record_ = 0;           // the next one in records_
  size_t damaged_ = 0;          // the next one in records_.skipped()
  std::vector<RowBytes> rows_;  // of the record before record_
  size_t next_row_ = 0;
  absl::Status error_;
  // The batch that is being made.
  std::vector<std::string_view> messages_;
  std::vector<RecordLocation> locations_;
  std::vector<BrokenRecord> skipped_;
  std::deque<std::string> with_headers_;  // records of skipped_
};

// For errors: the names of the message fields of `message` that rows may be in.
std::string MessageFieldsOf(const plan::MessagePlan& message) {
  std::string names;
  for (const plan::FieldPlan& field : message.fields) {
    if (field.is_message() && field.cardinality != plan::Cardinality::kMap)
      absl::StrAppend(&names, names.empty() ? "" : ", ", ToAbsl(field.name));
  }
  return names.empty() ? "it has none" : absl::StrCat("those of ", ToAbsl(message.full_name), " are ", names);
}

}  // namespace

absl::StatusOr<RowPath> ResolveRowPath(const plan::MessagePlan& message, std::string_view text) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const Path path, Path::Parse(text));
  RowPath rows;
  rows.text = std::string(text);
  const plan::MessagePlan* parent = &message;
  for (const Path::Step& step : path.steps()) {
    const auto fail = [&](std::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat("`rows`: '", ToAbsl(text), "': ", step.ToString(), " ", ToAbsl(what), "; ", MessageFieldsOf(*parent)));
    };
    if (step.kind() != Path::Step::Kind::kField) return fail("is not a field; expected names of message fields");
    const plan::FieldPlan* const field = parent->FindByName(step.text());
    if (field == nullptr) return fail("is not a field; expected a message field");
    if (!field->is_message()) return fail("is not a message; expected a message field");
    if (parent->message_set)
      return fail("is in a MessageSet, where no rows are looked for; expected a message field elsewhere");
    if (field->cardinality == plan::Cardinality::kMap) return fail("is a map; expected a message field");
    if (rows.steps.size() == kMaxSteps) return fail(absl::StrCat("is one too many; ", kMaxSteps, " fields are the most"));
    rows.steps.push_back({parent, field});
    parent = field->message;
  }
  if (rows.steps.empty()) {
    return absl::InvalidArgumentError("`rows`: '' names no field; expected the path of a repeated message");
  }
  if (!rows.steps.back().field->is_repeated()) {
    return absl::InvalidArgumentError(
        absl::StrCat("`rows`: '", ToAbsl(text), "' is not repeated; expected the path of a repeated message"));
  }
  return rows;
}

std::unique_ptr<RecordReader> MakeNestedRecordReader(std::unique_ptr<RecordReader> records, RowPath path, bool skip_damaged,
                                                     size_t max_rows, int max_depth) {
  return std::make_unique<NestedRecordReader>(std::move(records), std::move(path), skip_damaged, max_rows, max_depth);
}

}  // namespace structtensor::scan_internal
