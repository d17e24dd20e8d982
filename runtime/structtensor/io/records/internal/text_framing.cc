#include "structtensor/io/records/internal/text_framing.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/json_lines.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::records_internal {
namespace {

using Layout = TextPosition::Layout;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr std::string_view kSeparator = "---";  // between messages in text format

// Whether a line, without its end, separates messages.
bool IsSeparator(std::string_view line) {
  if (!line.starts_with(kSeparator)) return false;
  line.remove_prefix(kSeparator.size());
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool IsJsonSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

Frame TooLongText(const char* what, size_t max_bytes) {
  return {.outcome = Frame::kUnreadable,
          .code = "max_message_bytes",
          .problem = absl::StrCat(what, " of more than ", max_bytes, " bytes, the limit of a text"),
          .advice = "check `format`, or set `max_message_bytes` to a larger number below 2 GiB"};
}

void BeginFrame(const Window& window, TextPosition& position) {
  position.line_of_frame = position.line;
  position.byte_of_frame = window.source_offset() - position.offset_of_line;
}

// The rest of the text, from the position on, cannot be used.
Frame DamagedText(const Window& window, TextPosition& position, std::string problem) {
  BeginFrame(window, position);
  return {.outcome = Frame::kDamagedTail,
          .payload_position = window.position(),
          .payload_size_bytes = window.available_bytes(),
          .code = "text",
          .problem = std::move(problem)};
}

// Makes more than `size_bytes` bytes available. False at the end of the input.
absl::StatusOr<bool> HasMore(Window& window, size_t size_bytes) {
  if (window.available_bytes() > size_bytes) return true;
  constexpr size_t kLeast = 64 << 10, kMost = 4 << 20;
  const absl::Status filled = window.Fill(size_bytes + std::clamp(size_bytes, kLeast, kMost));
  if (window.available_bytes() > size_bytes && absl::IsDataLoss(filled)) return true;  // valid bytes before the damage
  STRUCTTENSOR_RETURN_IF_ERROR(filled);
  return window.available_bytes() > size_bytes;
}

void Skip(Window& window, size_t size_bytes, TextPosition& position) {
  const std::string_view skipped = window.available().substr(0, size_bytes);
  const auto lines = std::count(skipped.begin(), skipped.end(), '\n');
  position.line += lines;
  if (lines > 0) position.offset_of_line = window.source_offset() + static_cast<int64_t>(skipped.rfind('\n')) + 1;
  window.Advance(size_bytes);
}

absl::Status SkipMark(Window& window) {
  STRUCTTENSOR_RETURN_IF_ERROR(HasMore(window, kByteOrderMark.size() - 1).status());
  if (window.available().starts_with(kByteOrderMark)) window.Advance(kByteOrderMark.size());
  return absl::OkStatus();
}

// Moves to the next character that is not white space. False at the end of the input.
absl::StatusOr<bool> SkipSpace(Window& window, TextPosition& position) {
  while (true) {
    const std::string_view available = window.available();
    const size_t space =
        static_cast<size_t>(std::find_if_not(available.begin(), available.end(), IsJsonSpace) - available.begin());
    const bool found = space < available.size();
    Skip(window, space, position);
    if (found) return true;
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, HasMore(window, 0));
    if (!more) return false;
  }
}

Frame TakeRecord(Window& window, size_t size_bytes, TextPosition& position) {
  BeginFrame(window, position);
  Frame frame{.outcome = Frame::kRecord, .payload_position = window.position(), .payload_size_bytes = size_bytes};
  Skip(window, size_bytes, position);
  return frame;
}

// The size of the CSV row that begins at the position, and of the end of its line.
struct RowExtent {
  size_t size_bytes = 0;
  size_t end_bytes = 0;
  bool closed = true;
};
absl::StatusOr<RowExtent> ExtentOfRow(Window& window, size_t max_bytes) {
  enum { kCellBegin, kPlain, kQuoted, kAfterQuote } state = kCellBegin;
  size_t at = 0;
  while (true) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, HasMore(window, at));
    const std::string_view text = window.available();
    if (!more) return RowExtent{at, 0, state != kQuoted};
    for (; at < text.size(); ++at) {
      if (at > max_bytes) return RowExtent{at, 0, true};
      const char c = text[at];
      if (state == kQuoted) {
        if (c == '"') state = kAfterQuote;
        continue;
      }
      if (c == '\n') {
        const size_t carriage_return = at > 0 && text[at - 1] == '\r' ? 1 : 0;
        return RowExtent{at - carriage_return, 1 + carriage_return, true};
      }
      if (c == '"' && state != kPlain) {
        state = kQuoted;
      } else {
        state = c == ',' ? kCellBegin : kPlain;
      }
    }
  }
}

// The size of the JSON value that begins at the position. An object or list ends with the bracket that closes it; other values
// end before the first character that cannot be in them.
struct ValueExtent {
  size_t size_bytes = 0;
  bool closed = true;
};
absl::StatusOr<ValueExtent> ExtentOfValue(Window& window, size_t max_bytes) {
  size_t at = 0;
  int64_t open = 0;
  bool in_string = false;
  while (true) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, HasMore(window, at));
    if (!more) return ValueExtent{at, open == 0 && !in_string};
    const std::string_view text = window.available();
    for (; at < text.size(); ++at) {
      if (at > max_bytes) return ValueExtent{at, true};
      const char c = text[at];
      if (in_string) {
        if (c == '\\') {
          // An escaped character does not end the string. If the character is not available yet, the loop comes back to the
          // backslash.
          if (at + 1 == text.size()) break;
          ++at;
        } else if (c == '"') {
          in_string = false;
          if (open == 0) return ValueExtent{at + 1, true};
        }
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        ++open;
      } else if (c == '}' || c == ']') {
        if (open == 0) return ValueExtent{at, true};
        if (--open == 0) return ValueExtent{at + 1, true};
      } else if (open == 0 && (c == ',' || IsJsonSpace(c))) {
        return ValueExtent{at, true};
      }
    }
    if (at + 1 == text.size()) {  // at a backslash
      STRUCTTENSOR_ASSIGN_OR_RETURN(const bool has_next, HasMore(window, at + 1));
      if (!has_next) return ValueExtent{at + 1, false};
    }
  }
}

// Decided by the first lines: a bracket that a damaged line leaves open may never be closed.
absl::StatusOr<Layout> LayoutAt(Window& window, size_t max_bytes) {
  if (base_internal::HasObjectsOnLines(window.available())) return Layout::kLines;
  const char first = window.available().front();
  if (first == '[') return Layout::kList;
  if (first != '{') return Layout::kLines;
  char last = first;
  bool in_first_line = true;
  for (size_t at = 1; at <= max_bytes; ++at) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, HasMore(window, at));
    if (!more) return Layout::kLines;
    const char c = window.available()[at];
    if (in_first_line && c == '\n') {
      if (last == '}') return Layout::kLines;
      if (last != '"' && (last < '0' || last > '9') && (last < 'a' || last > 'z')) return Layout::kDocuments;
      in_first_line = false;
    }
    if (IsJsonSpace(c)) continue;
    // An object that continues in the next line cannot continue with another object, without a comma.
    if (!in_first_line) return c == '{' ? Layout::kLines : Layout::kDocuments;
    last = c;
  }
  return Layout::kLines;
}

absl::StatusOr<Frame> ReadValue(Window& window, size_t max_bytes, TextPosition& position) {
  BeginFrame(window, position);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const ValueExtent extent, ExtentOfValue(window, max_bytes));
  if (extent.size_bytes > max_bytes) return TooLongText("a value", max_bytes);
  if (!extent.closed) {
    return DamagedText(window, position, "the text ends inside of a value; the file looks truncated");
  }
  if (extent.size_bytes == 0) {
    return DamagedText(window, position,
                       absl::StrCat("found '", absl::string_view(window.available().data(), 1), "' where a value is expected"));
  }
  return TakeRecord(window, extent.size_bytes, position);
}

absl::StatusOr<Frame> ReadElement(Window& window, size_t max_bytes, TextPosition& position) {
  const auto truncated = [&] { return DamagedText(window, position, "the list is not closed; the file looks truncated"); };
  STRUCTTENSOR_ASSIGN_OR_RETURN(bool more, SkipSpace(window, position));
  if (!more) return truncated();
  const char c = window.available().front();
  if (c == ']') {
    window.Advance(1);
    position.layout = Layout::kAfterList;
    return ReadJsonFrame(window, max_bytes, position);
  }
  if (!std::exchange(position.is_first, false)) {
    if (c != ',') return DamagedText(window, position, "expected ',' or ']' between the elements of the list");
    window.Advance(1);
    STRUCTTENSOR_ASSIGN_OR_RETURN(more, SkipSpace(window, position));
    if (!more) return truncated();
  }
  return ReadValue(window, max_bytes, position);
}

}  // namespace

absl::StatusOr<Frame> ReadLineFrame(Window& window, size_t max_bytes, TextPosition& position) {
  if (position.layout == Layout::kUnknown) STRUCTTENSOR_RETURN_IF_ERROR(SkipMark(window));
  position.layout = Layout::kLines;
  BeginFrame(window, position);
  size_t searched = 0;
  while (true) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, HasMore(window, searched));
    const std::string_view text = window.available();
    const size_t end = more ? text.find('\n', searched) : std::string_view::npos;
    if (end == std::string_view::npos && more) {
      searched = text.size();
      if (searched <= max_bytes + 1) continue;  // "\r" does not count
      return TooLongText("a line", max_bytes);
    }
    if (!more && text.empty()) return Frame{.outcome = Frame::kEnd};
    size_t size_bytes = more ? end : text.size();
    const size_t newline = more ? 1 : 0;
    const size_t line_end = size_bytes > 0 && text[size_bytes - 1] == '\r' ? 1 : 0;
    size_bytes -= line_end;
    if (size_bytes > max_bytes) return TooLongText("a line", max_bytes);
    const Frame frame = TakeRecord(window, size_bytes, position);
    Skip(window, line_end + newline, position);
    return frame;
  }
}

absl::StatusOr<Frame> ReadCsvFrame(Window& window, size_t max_bytes, TextPosition& position) {
  if (position.layout == Layout::kUnknown) STRUCTTENSOR_RETURN_IF_ERROR(SkipMark(window));
  position.layout = Layout::kLines;
  while (true) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const RowExtent row, ExtentOfRow(window, max_bytes));
    if (row.size_bytes > max_bytes) return TooLongText("a row", max_bytes);
    if (!row.closed) return DamagedText(window, position, "a text in quotes has no end");
    if (row.size_bytes + row.end_bytes == 0) return Frame{.outcome = Frame::kEnd};
    if (position.header == nullptr) {
      position.header = std::make_shared<const std::string>(window.available().substr(0, row.size_bytes));
    } else if (row.size_bytes > 0 || position.header->find(',') == std::string::npos) {
      const Frame frame = TakeRecord(window, row.size_bytes, position);
      Skip(window, row.end_bytes, position);
      return frame;
    }
    Skip(window, row.size_bytes + row.end_bytes, position);
  }
}

absl::StatusOr<Frame> ReadTextprotoFrame(Window& window, size_t max_bytes, TextPosition& position) {
  if (position.layout == Layout::kUnknown) STRUCTTENSOR_RETURN_IF_ERROR(SkipMark(window));
  position.layout = Layout::kDocuments;
  size_t line_begin = 0;
  size_t searched = 0;
  while (true) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, HasMore(window, searched));
    const std::string_view text = window.available();
    if (!more && text.empty()) return Frame{.outcome = Frame::kEnd};
    const size_t end = more ? text.find('\n', searched) : std::string_view::npos;
    if (end == std::string_view::npos && more) {
      searched = text.size();
      if (line_begin > max_bytes || searched > max_bytes + kSeparator.size()) return TooLongText("a text", max_bytes);
      continue;
    }
    const size_t line_end = more ? end : text.size();
    if (IsSeparator(text.substr(line_begin, line_end - line_begin))) {
      const Frame frame = TakeRecord(window, line_begin, position);
      Skip(window, line_end + (more ? 1 : 0) - line_begin, position);
      return frame;
    }
    if (!more) {
      if (text.size() > max_bytes) return TooLongText("a text", max_bytes);
      return TakeRecord(window, text.size(), position);
    }
    line_begin = searched = end + 1;
    if (line_begin > max_bytes + 1) return TooLongText("a text", max_bytes);
  }
}

absl::StatusOr<Frame> ReadJsonFrame(Window& window, size_t max_bytes, TextPosition& position) {
  if (position.layout == Layout::kUnknown) STRUCTTENSOR_RETURN_IF_ERROR(SkipMark(window));
  if (position.layout == Layout::kList) return ReadElement(window, max_bytes, position);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const bool more, SkipSpace(window, position));
  if (!more) return Frame{.outcome = Frame::kEnd};
  if (position.layout == Layout::kAfterList) return DamagedText(window, position, "expected nothing after the list");
  if (position.layout == Layout::kUnknown) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(position.layout, LayoutAt(window, max_bytes));
    if (position.layout == Layout::kList) {
      window.Advance(1);
      return ReadElement(window, max_bytes, position);
    }
  }
  if (position.layout == Layout::kDocuments) return ReadValue(window, max_bytes, position);
  return ReadLineFrame(window, max_bytes, position);
}

}  // namespace structtensor::records_internal
