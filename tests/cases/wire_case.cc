#include "wire_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::testing {
namespace {

constexpr size_t kMaxBytes = 1 << 20;

// A part of a message: some bytes, or the begin or end of a part that is preceded by its length.
struct Piece {
  enum Kind { kBytes, kOpen, kClose };
  Kind kind = kBytes;
  std::string bytes;
};

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
uint8_t HexValue(char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

std::string_view TakeWhile(std::string_view& text, bool (*belongs)(char)) {
  size_t size = 0;
  while (size < text.size() && belongs(text[size])) ++size;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

absl::StatusOr<Piece> TakeQuoted(std::string_view& text) {
  const size_t end = text.find('"', 1);
  if (end == std::string_view::npos) return absl::InvalidArgumentError("a quotation does not end");
  Piece piece{Piece::kBytes, std::string(text.substr(1, end - 1))};
  text.remove_prefix(end + 1);
  return piece;
}

absl::Status TakePieces(std::string_view& text, bool in_repetition, std::vector<Piece>& pieces);

// "3*( pieces )", whose "3" has been taken.
absl::Status TakeRepetition(std::string_view count_text, std::string_view& text, std::vector<Piece>& pieces) {
  size_t count = 0;
  for (const char c : count_text) {
    if (c > '9' || count > kMaxBytes) return absl::InvalidArgumentError(absl::StrCat("not a count: ", ToAbsl(count_text)));
    count = 10 * count + static_cast<size_t>(c - '0');
  }
  text.remove_prefix(2);
  std::vector<Piece> repeated;
  STRUCTTENSOR_RETURN_IF_ERROR(TakePieces(text, true, repeated));
  if (count * repeated.size() > kMaxBytes) return absl::InvalidArgumentError("more bytes than a case should have");
  for (; count > 0; --count) pieces.insert(pieces.end(), repeated.begin(), repeated.end());
  return absl::OkStatus();
}

// Pieces up to the end of the text, or to the parenthesis that ends a repetition.
absl::Status TakePieces(std::string_view& text, bool in_repetition, std::vector<Piece>& pieces) {
  while (!text.empty()) {
    const char c = text.front();
    if (c == '"') {
      STRUCTTENSOR_ASSIGN_OR_RETURN(pieces.emplace_back(), TakeQuoted(text));
    } else if (IsHexDigit(c)) {
      const std::string_view digits = TakeWhile(text, IsHexDigit);
      if (text.substr(0, 2) == "*(") {
        STRUCTTENSOR_RETURN_IF_ERROR(TakeRepetition(digits, text, pieces));
        continue;
      }
      if (digits.size() % 2 != 0) return absl::InvalidArgumentError(absl::StrCat("half a byte: ", ToAbsl(digits)));
      Piece& piece = pieces.emplace_back();
      for (size_t i = 0; i < digits.size(); i += 2) {
        piece.bytes += static_cast<char>(HexValue(digits[i]) << 4 | HexValue(digits[i + 1]));
      }
    } else {
      text.remove_prefix(1);
      if (c == '{') pieces.push_back({Piece::kOpen, {}});
      if (c == '}') pieces.push_back({Piece::kClose, {}});
      if (c == ')' && in_repetition) return absl::OkStatus();
      if (c != '{' && c != '}' && c != ' ') return absl::InvalidArgumentError(absl::StrCat("unexpected ", std::string(1, c)));
    }
  }
  return in_repetition ? absl::InvalidArgumentError("a repetition does not end") : absl::OkStatus();
}

std::string VarintBytes(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
  return bytes;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A line of bytes without its comment. A number sign in quotes begins none.
std::string_view WithoutComment(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) return line.substr(0, i);
  }
  return line;
}

// "Implicit accepted: an int32 is the low half of its varint"
std::optional<WireCase> CaseOfHeading(std::string_view line) {
  const size_t space = line.find(' ');
  const size_t colon = line.find(": ");
  if (space == std::string_view::npos || colon == std::string_view::npos || colon < space) return std::nullopt;
  const std::string_view verdict = line.substr(space + 1, colon - space - 1);
  if (verdict != "accepted" && verdict != "refused") return std::nullopt;
  WireCase made;
  made.type = line.substr(0, space);
  made.accepted = verdict == "accepted";
  made.name = line.substr(colon + 2);
  return made;
}

}  // namespace

absl::StatusOr<std::string> BytesOfNotation(std::string_view notation) {
  std::vector<Piece> pieces;
  STRUCTTENSOR_RETURN_IF_ERROR(TakePieces(notation, false, pieces));
  std::vector<std::string> open(1);  // what is between each open brace and here, outermost first
  for (const Piece& piece : pieces) {
    if (piece.kind == Piece::kBytes) {
      open.back() += piece.bytes;
    } else if (piece.kind == Piece::kOpen) {
      open.emplace_back();
    } else {
      if (open.size() == 1) return absl::InvalidArgumentError("a } without a {");
      const std::string inside = std::move(open.back());
      open.pop_back();
      open.back() += VarintBytes(inside.size()) + inside;
    }
  }
  if (open.size() != 1) return absl::InvalidArgumentError("a { without a }");
  return open[0];
}

absl::StatusOr<std::vector<WireCase>> ParseCases(std::string_view text, const std::string& file_name) {
  std::vector<WireCase> cases;
  std::vector<std::string> notations;  // of the cases' bytes
  int line_number = 0;
  const auto error = [&](std::string_view problem) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ":", line_number, ": ", ToAbsl(problem)));
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    const std::string_view content = Trimmed(line);
    if (content.empty() || content.front() == '#') continue;
    if (line.front() != ' ') {
      const std::optional<WireCase> made = CaseOfHeading(line);
      if (!made.has_value()) return error("a case begins with its type, accepted or refused, a colon and a sentence");
      cases.push_back(*made);
      cases.back().place = absl::StrCat(file_name, ":", line_number);
      notations.emplace_back();
    } else if (cases.empty()) {
      return error("bytes in front of the first case");
    } else if (content.front() == '=') {
      if (!cases.back().accepted) return error("a message that is refused has no value");
      cases.back().value += std::string(content.substr(1)) + "\n";
    } else {
      notations.back() += std::string(WithoutComment(content)) + " ";
    }
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    absl::StatusOr<std::string> bytes = BytesOfNotation(notations[i]);
    if (!bytes.ok()) return absl::InvalidArgumentError(absl::StrCat(cases[i].place, ": ", bytes.status().message()));
    cases[i].bytes = *std::move(bytes);
  }
  return cases;
}

std::vector<std::string> CaseFiles() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(STRUCTTENSOR_CASES_DIR)) {
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<WireCase>> ReadCases(const std::string& name) {
  std::ifstream in(absl::StrCat(STRUCTTENSOR_CASES_DIR, "/", name, ".txt"), std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", name, ".txt"));
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return ParseCases(text, name + ".txt");
}

}  // namespace structtensor::testing
