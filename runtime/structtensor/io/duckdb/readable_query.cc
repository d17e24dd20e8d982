#include "structtensor/io/duckdb/readable_query.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor {
namespace {

constexpr const char* kText = "VARCHAR";

// The types that are read as they are, besides all timestamps.
constexpr std::string_view kReadable[] = {"BIGINT",  "BLOB",    "BOOLEAN",  "DOUBLE",    "FLOAT",    "INTEGER", "SMALLINT",
                                          "TINYINT", "UBIGINT", "UINTEGER", "USMALLINT", "UTINYINT", "VARCHAR"};

constexpr std::pair<std::string_view, std::string_view> kReplacements[] = {
    {"DECIMAL", "DOUBLE"}, {"HUGEINT", "BIGINT"}, {"UHUGEINT", "UBIGINT"}, {"NULL", "INTEGER"}};

// Reads the text of a type from its beginning to its end. A type that it does not understand becomes text, as a whole.
class TypeReader {
 public:
  explicit TypeReader(std::string_view text) : text_(text) {}

  std::string ReadAll() {
    std::string type = Read();
    return failed_ || at_ != text_.size() ? kText : type;
  }

 private:
  // How deep types may be nested in types: hostile text could nest any number.
  static constexpr int kMaxDepth = 200;

  std::string Read() {
    if (++depth_ > kMaxDepth) failed_ = true;
    if (failed_) return kText;
    std::string type = ReadPlain();
    while (!failed_ && Take('[')) {
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      Expect(']');
      type += "[]";
    }
    --depth_;
    return type;
  }

  std::string ReadPlain() {
    const std::string_view name = ReadWords();
    if (!Take('(')) return Plain(name);
    if (name == "STRUCT") return ReadStruct();
    if (name == "MAP") {
      const std::string key = Read();
      Expect(',');
      Take(' ');
      const std::string value = Read();
      Expect(')');
      return absl::StrCat("MAP(", key, ", ", value, ")");
    }
    SkipParentheses();
    return Plain(name);
  }

  static std::string Plain(std::string_view name) {
    const bool readable =
        name.starts_with("TIMESTAMP") || std::find(std::begin(kReadable), std::end(kReadable), name) != std::end(kReadable);
    if (readable) return std::string(name);
    for (const auto& [from, to] : kReplacements) {
      if (name == from) return std::string(to);
    }
    return kText;
  }

  // Reads on after "STRUCT(". A struct whose members have no names becomes text, because fields of structs need names here.
  std::string ReadStruct() {
    std::string members;
    bool named = true;
    do {
      Take(' ');
      const size_t begin = at_;
      if (text_.substr(at_, 1) == "\"") {
        SkipQuoted('"');
      } else {
        while (at_ < text_.size() && IsNameCharacter(text_[at_])) ++at_;
      }
      const std::string_view name = text_.substr(begin, at_ - begin);
      if (name.empty() || !Take(' ')) {
        named = false;
        at_ = begin;
        Read();
      } else {
        absl::StrAppend(&members, members.empty() ? "" : ", ", ToAbsl(name), " ", Read());
      }
    } while (!failed_ && Take(','));
    Expect(')');
    return named ? absl::StrCat("STRUCT(", members, ")") : kText;
  }

  // Names that are not in quotes may have letters of any language.
  static bool IsNameCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
  }

  // Reads "TIMESTAMP WITH TIME ZONE" or other words, or a name in quotes without the quotes.
  std::string_view ReadWords() {
    const size_t begin = at_;
    if (text_.substr(at_, 1) == "\"") {
      SkipQuoted('"');
      return failed_ ? "" : text_.substr(begin + 1, at_ - begin - 2);
    }
    while (at_ < text_.size() && (IsNameCharacter(text_[at_]) || text_[at_] == ' ')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // Skips from just after "(" to just after the matching closing parenthesis.
  void SkipParentheses() {
    for (int open = 1; open > 0 && !failed_;) {
      if (at_ == text_.size()) {
        failed_ = true;
      } else if (text_[at_] == '\'' || text_[at_] == '"') {
        SkipQuoted(text_[at_]);
      } else {
        open += text_[at_] == '(' ? 1 : text_[at_] == ')' ? -1 : 0;
        ++at_;
      }
    }
  }

  // Skips from a quote to just after the quote that ends the text. A doubled quote is part of the text.
  void SkipQuoted(char quote) {
    ++at_;
    while (true) {
      const size_t end = text_.find(quote, at_);
      if (end == std::string_view::npos) {
        failed_ = true;
        return;
      }
      at_ = end + 1;
      if (text_.substr(at_, 1) != std::string_view(&quote, 1)) return;
      ++at_;
    }
  }

  bool Take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) failed_ = true;
  }

  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::string ReadableType(std::string_view type) { return TypeReader(type).ReadAll(); }

std::string QuotedName(std::string_view name) {
  return absl::StrCat("\"", absl::StrReplaceAll(ToAbsl(name), {{"\"", "\"\""}}), "\"");
}

std::string_view WithoutSemicolon(std::string_view sql) {
  while (!sql.empty() && (std::isspace(static_cast<unsigned char>(sql.back())) != 0 || sql.back() == ';')) sql.remove_suffix(1);
  return sql;
}

// The closing parenthesis is on a line of its own, so that a comment at the end of the query cannot swallow it.
std::string SubqueryOf(std::string_view sql) { return absl::StrCat("(", ToAbsl(WithoutSemicolon(sql)), "\n)"); }

std::string DescribeQuery(std::string_view sql) {
  return absl::StrCat("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ", SubqueryOf(sql), ")");
}

std::string ReadableQuery(std::string_view sql, const std::vector<DuckDbColumn>& columns) {
  std::string select;
  for (const DuckDbColumn& column : columns) {
    const std::string name = QuotedName(column.name);
    const std::string type = ReadableType(column.type);
    absl::StrAppend(&select, select.empty() ? "" : ", ");
    if (type == column.type) {
      select += name;
    } else {
      absl::StrAppend(&select, "CAST(", name, " AS ", type, ") AS ", name);
    }
  }
  return absl::StrCat("SELECT ", select, " FROM ", SubqueryOf(sql));
}

}  // namespace structtensor
