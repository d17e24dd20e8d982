#include "structtensor/io/records/internal/text_records.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/base64.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/io/records/internal/framing.h"

namespace structtensor::records_internal {
namespace {

bool IsBase64(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '-' ||
         c == '_';
}

std::optional<TextProblem> MessageOfBase64(std::string_view text, std::string& message) {
  size_t size = text.size();
  while (size > 0 && text[size - 1] == '=') --size;
  const auto end = text.begin() + static_cast<ptrdiff_t>(size);
  const auto wrong = std::find_if_not(text.begin(), end, IsBase64);
  if (wrong != end) {
    return TextProblem{static_cast<size_t>(wrong - text.begin()),
                       absl::StrCat("'", absl::CHexEscape(absl::string_view(&*wrong, 1)), "' is not a character of base64")};
  }
  const size_t padding = text.size() - size;
  if (padding > 2 || size % 4 == 1 || (padding > 0 && text.size() % 4 != 0)) {
    return TextProblem{size, "base64 of a length that it cannot have; the line looks cut off"};
  }
  const size_t before = message.size();
  message.resize(before + base_internal::DecodedBase64Bytes(text));
  base_internal::DecodeBase64(text, message.data() + before);
  return std::nullopt;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "0a03". It may begin with "0x" (most programs) or "\x" (PostgreSQL).
std::optional<TextProblem> MessageOfHex(std::string_view text, std::string& message) {
  const size_t begin = text.starts_with("0x") || text.starts_with("\\x") ? 2 : 0;
  for (size_t i = begin; i < text.size(); ++i) {
    if (HexDigit(text[i]) < 0) {
      return TextProblem{i,
                         absl::StrCat("'", absl::CHexEscape(absl::string_view(&text[i], 1)), "' is not a hexadecimal digit")};
    }
  }
  if (text.size() % 2 != 0) return TextProblem{text.size(), "an odd number of hexadecimal digits; the line looks cut off"};
  for (size_t i = begin; i < text.size(); i += 2) {
    message += static_cast<char>(HexDigit(text[i]) << 4 | HexDigit(text[i + 1]));
  }
  return std::nullopt;
}

class TextRecordReader : public RecordReader {
 public:
  TextRecordReader(std::unique_ptr<RecordReader> records, const RecordReaderOptions& options)
      : records_(std::move(records)), options_(options) {}

  absl::StatusOr<bool> NextBatch(size_t max_messages, size_t max_bytes, RecordBatch* batch) override {
    if (!error_.ok()) {
      batch->Assign({}, {});
      return error_;
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, records_->NextBatch(max_messages, max_bytes, batch));
    const std::span<const RecordLocation> locations = batch->locations();
    if (std::none_of(locations.begin(), locations.end(), [](const RecordLocation& each) { return each.line > 0; })) return more;
    Read(*batch);
    if (batch->messages().empty() && batch->skipped().empty() && !error_.ok()) return error_;
    return true;
  }

  std::string Where(const RecordLocation& location, size_t byte_in_message) const override {
    return records_->Where(location, byte_in_message);
  }
  std::string InputName(uint32_t input) const override { return records_->InputName(input); }
  int64_t bytes_read() const override { return records_->bytes_read(); }
  std::string_view Header(uint32_t input) const override { return records_->Header(input); }

 private:
  // Replaces the text in the batch by messages.
  void Read(RecordBatch& batch) {
    std::string& bytes = bytes_;
    bytes.clear();
    std::vector<size_t> ends;
    std::vector<RecordLocation> locations;
    std::vector<std::string> headers;
    std::vector<BrokenRecord> skipped(batch.skipped().begin(), batch.skipped().end());
    for (size_t i = 0; i < batch.messages().size(); ++i) {
      const std::string_view text = batch.messages()[i];
      const RecordLocation& location = batch.locations()[i];
      std::string header(batch.confluent_header(i));
      const std::optional<TextProblem> problem = AppendMessage(text, location, bytes, header);
      bytes.resize(problem.has_value() ? (ends.empty() ? 0 : ends.back()) : bytes.size());
      if (!problem.has_value()) {
        ends.push_back(bytes.size());
        locations.push_back(location);
        if (options_.confluent_headers) headers.push_back(std::move(header));
        continue;
      }
      if (problem->in_header) {
        error_ = absl::InvalidArgumentError(absl::StrCat(InputName(location.input), " line 1: ", problem->problem));
        break;
      }
      BrokenRecord error = ErrorOf(text, location, *problem);
      if (!options_.skip_damaged) {
        error_ = absl::DataLossError(absl::StrCat(Where(error.location, 0), ": ", error.problem, " (", error.advice, ")"));
        break;
      }
      skipped.push_back(std::move(error));
    }
    std::sort(skipped.begin(), skipped.end(),
              [](const BrokenRecord& a, const BrokenRecord& b) { return a.location < b.location; });
    std::vector<std::string_view> messages;
    size_t begin = 0;
    for (const size_t end : ends) {
      messages.push_back(std::string_view(bytes).substr(begin, end - begin));
      begin = end;
    }
    // The bytes of skipped records are views into the current batch, so the batch is kept in spare_.
    spare_.Assign(messages, locations, skipped, headers);
    std::swap(batch, spare_);
  }

  // Sets `confluent_header` if the text has one.
  std::optional<TextProblem> AppendMessage(std::string_view text, const RecordLocation& location, std::string& bytes,
                                           std::string& confluent_header) const {
    if (location.line == 0) {
      bytes += text;
      return std::nullopt;
    }
    const RecordFormat format = options_.format.value_or(FormatOfName(location.input));
    if (format == RecordFormat::kJson) return options_.message_of_json(text, bytes);
    if (format == RecordFormat::kTextproto) return options_.message_of_textproto(text, bytes);
    if (format == RecordFormat::kCsv) return options_.message_of_csv(records_->Header(location.input), text, bytes);
    const size_t before = bytes.size();
    const std::optional<TextProblem> problem =
        format == RecordFormat::kHex ? MessageOfHex(text, bytes) : MessageOfBase64(text, bytes);
    if (problem.has_value() || !options_.confluent_headers) return problem;
    ConfluentHeader header;
    std::string wrong = ReadConfluentHeader(std::string_view(bytes).substr(before), &header);
    if (wrong.empty() && options_.check_confluent_header != nullptr) wrong = options_.check_confluent_header(header);
    if (!wrong.empty()) return TextProblem{0, std::move(wrong)};
    confluent_header = bytes.substr(before, header.size_bytes);
    bytes.erase(before, header.size_bytes);
    return std::nullopt;
  }

  // The format of an input that is a text.
  RecordFormat FormatOfName(uint32_t input) const {
    const std::optional<RecordFormat> named = RecordFormatOfName(InputName(input));
    return named == RecordFormat::kTextproto || named == RecordFormat::kCsv ? *named : RecordFormat::kJson;
  }

  // The error with its place in the text.
  static BrokenRecord ErrorOf(std::string_view text, RecordLocation location, const TextProblem& problem) {
    const std::string_view before = text.substr(0, problem.byte);
    const size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none
    location.line += std::count(before.begin(), before.end(), '\n');
    location.column = static_cast<int64_t>(before.size() - line_begin) + 1 + (line_begin == 0 ? location.byte_in_line : 0);
    return {.location = location,
            .code = "text",
            .problem = problem.problem,
            .advice = "fix the text, or pass `on_error=kSkip` to skip it",
            .bytes = text,
            .bytes_offset = location.byte_offset};
  }

  const std::unique_ptr<RecordReader> records_;
  const RecordReaderOptions options_;
  std::string bytes_;  // messages of a batch, one after the other
  RecordBatch spare_;  // its memory is used again
  absl::Status error_;
};

}  // namespace

std::unique_ptr<RecordReader> ReadTextRecords(std::unique_ptr<RecordReader> records, const RecordReaderOptions& options) {
  return std::make_unique<TextRecordReader>(std::move(records), options);
}

}  // namespace structtensor::records_internal
