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
#include "structtensor/core/base/shared/option_names.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/wire/abi/varint.h"

namespace structtensor::scan_internal {
namespace {

using wire_internal::SkipError;

constexpr size_t kMaxSteps = DecodeOptions::kGreatestMaxDepth;

static_assert(kBatchSlackBytes >= wire_internal::kReadableSlackBytes, "messages of batches are read by the functions of wire/");

// Bytes of an element in its record. 2^31 bytes are the most that a record has.
struct RowBytes {
  uint32_t offset;
  uint32_t size_bytes;
};

// Why the rows of a message cannot be found: the code and the text of a BrokenRecord.
struct Reason {
  std::string_view code;
  std::string_view text;
};

Reason ReasonOf(SkipError error) {
  switch (error) {
    case SkipError::kNone:
      break;
    case SkipError::kMalformedVarint:
      return {"malformed_varint", "malformed varint"};
    case SkipError::kTruncated:
      return {"truncated", "the message ends inside a field"};
    case SkipError::kMalformedTag:
      return {"malformed_tag", "malformed tag"};
    case SkipError::kEndGroup:
      return {"end_group", "an end of a group that has not begun"};
    case SkipError::kDepth:
      return {"max_depth", "groups are nested too deep"};
  }
  return {};
}

// Finds the elements in one record.
class RowFinder {
 public:
  RowFinder(const RowPath& path, size_t max_rows, int max_depth, std::vector<RowBytes>& rows)
      : path_(path), max_rows_(max_rows), max_depth_(max_depth), rows_(rows) {}

  // Replaces `rows` with the rows of `record`. False if the record is malformed. Requires: kReadableSlackBytes can be read
  // after the record.
  bool Find(std::string_view record) {
    rows_.clear();
    begin_ = reinterpret_cast<const uint8_t*>(record.data());
    return WalkFields(begin_, begin_ + record.size(), 0, 0, 0) != nullptr;
  }

  // What is wrong with the record: it has too many elements; or the error, and its place in the record.
  bool too_many() const { return too_many_; }
  SkipError error() const { return error_; }
  size_t error_offset() const { return static_cast<size_t>(error_place_ - begin_); }

 private:
  // Walks the fields of a message of steps[level].parent, or of one of the rows, in which it looks for nothing.
  //   first_row      the first row of this message; several parts of the message may have been walked before
  //   end_group_tag  the tag that ends the message if it is a group, else 0
  // Returns the position after the message, before the end of its group; null if the message is malformed.
  const uint8_t* WalkFields(const uint8_t* p, const uint8_t* end, size_t level, size_t first_row, uint32_t end_group_tag) {
    while (p != end) {
      const uint8_t* const start = p;
      uint32_t tag = 0;
      p = wire_internal::PeekTag(p, &tag);
      if (p == nullptr) return Fail(SkipError::kMalformedTag, start);
      p += wire_internal::TagSizeBytes(tag);
      if (p > end) return Fail(SkipError::kTruncated, start);
      if (end_group_tag != 0 && tag == end_group_tag) {
        after_group_ = p;
        return start;
      }
      if (level < path_.steps.size() && static_cast<int32_t>(tag >> 3) == path_.steps[level].field->number &&
          (tag & 7) == plan::WireTypeOf(path_.steps[level].field->kind)) {
        p = EnterField(p, end, level, first_row, tag);
        if (p == nullptr) return nullptr;
        continue;
      }
      if (level < path_.steps.size() && UnsetsOneof(path_.steps[level], tag, p)) rows_.resize(first_row);
      SkipError error = SkipError::kNone;
      p = wire_internal::SkipValue(p, end, tag, max_depth_ - static_cast<int>(level), &error);
      if (p == nullptr) return Fail(error, start);
    }
    return end_group_tag == 0 ? p : Fail(SkipError::kTruncated, p);
  }

  // `p`: after the tag of steps[level].field.
  const uint8_t* EnterField(const uint8_t* p, const uint8_t* end, size_t level, size_t first_row, uint32_t tag) {
    const bool is_row = level + 1 == path_.steps.size();
    if (static_cast<int>(level) >= max_depth_) return Fail(SkipError::kDepth, p);
    // A singular message that occurs again is still the same message.
    const size_t first_row_inside = path_.steps[level].field->is_repeated() ? rows_.size() : first_row;
    if ((tag & 7) == wire_internal::kSgroup) {
      const uint8_t* const inside = p;
      const uint8_t* const inside_end =
          WalkFields(p, end, level + 1, first_row_inside, tag - wire_internal::kSgroup + wire_internal::kEgroup);
      if (inside_end == nullptr) return nullptr;
      if (is_row && !AddRow(inside, inside_end)) return nullptr;
      return after_group_;
    }
    const wire_internal::Length length = wire_internal::ReadLength(p);
    if (length.next == nullptr) return Fail(SkipError::kMalformedVarint, p);
    if (static_cast<ptrdiff_t>(length.size_bytes) > end - length.next) return Fail(SkipError::kTruncated, p);
    const uint8_t* const inside_end = length.next + length.size_bytes;
    if (is_row) {
      if (!AddRow(length.next, inside_end)) return nullptr;
    } else if (WalkFields(length.next, inside_end, level + 1, first_row_inside, 0) == nullptr) {
      return nullptr;
    }
    return inside_end;
  }

  // Whether the value after `tag` sets another member of the oneof of the step's field.
  static bool UnsetsOneof(const RowPath::Step& step, uint32_t tag, const uint8_t* value) {
    if (step.field->oneof_case < 0) return false;
    const plan::FieldPlan* const other = step.parent->FindByNumber(static_cast<int32_t>(tag >> 3));
    if (other == nullptr || other->oneof_case != step.field->oneof_case) return false;
    if ((tag & 7) != plan::WireTypeOf(other->kind)) return false;
    if (!other->closed_enum) return true;
    const wire_internal::Varint number = wire_internal::ReadVarint(value);
    return number.next != nullptr && other->enumeration->Has(static_cast<int32_t>(number.value));
  }

  bool AddRow(const uint8_t* begin, const uint8_t* end) {
    too_many_ = rows_.size() == max_rows_;
    if (too_many_) return false;
    rows_.push_back({static_cast<uint32_t>(begin - begin_), static_cast<uint32_t>(end - begin)});
    return true;
  }

  const uint8_t* Fail(SkipError error, const uint8_t* place) {
    error_ = error;
    error_place_ = place;
    return nullptr;
  }

  const RowPath& path_;
  const size_t max_rows_;
  const int max_depth_;
  std::vector<RowBytes>& rows_;
  bool too_many_ = false;
  const uint8_t* begin_ = nullptr;
  const uint8_t* after_group_ = nullptr;  // of the group that was walked last
  SkipError error_ = SkipError::kNone;
  const uint8_t* error_place_ = nullptr;
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
    const Reason reason = ReasonOf(finder.error());
    const std::string_view code = finder.too_many() ? "max_rows" : reason.code;
    std::string problem;
    std::string advice;
    if (finder.too_many()) {
      problem =
          absl::StrCat("it has more than ", base_internal::OptionText("max_rows", max_rows_), " elements at ", path_.text);
      advice = "raise that limit, or pass `on_error=kSkip` to leave the message out";
    } else if (finder.error() == SkipError::kDepth) {
      problem = absl::StrCat("it is nested deeper than ", base_internal::OptionText("max_depth", max_depth_), " at byte ",
                             location.byte_offset + static_cast<int64_t>(finder.error_offset()));
      advice = "raise that limit, or pass `on_error=kSkip` to leave the message out";
    } else {
      problem = absl::StrCat("its ", path_.text, " cannot be found: ", ToAbsl(reason.text), " at byte ",
                             location.byte_offset + static_cast<int64_t>(finder.error_offset()));
      advice = "the message is damaged, or of another type: check `message`; or pass `on_error=kSkip` to leave it out";
    }
    rows_.clear();
    if (!skip_damaged_) {
      error_ = absl::DataLossError(absl::StrCat(Where(location, 0), ": ", problem, " (", advice, ")"));
      return;
    }
    const std::string& bytes = with_headers_.emplace_back(absl::StrCat(ToAbsl(header), ToAbsl(record)));
    const int64_t header_bytes = location.line == 0 ? static_cast<int64_t>(header.size()) : 0;
    skipped_.push_back({.location = location,
                        .code = code,
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
