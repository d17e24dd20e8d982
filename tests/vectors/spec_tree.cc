#include "spec_tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::vectors {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Json> ParseAll() {
    STRUCTTENSOR_ASSIGN_OR_RETURN(Json tree, ParseNode());
    if (at_ != text_.size()) return Error("the end of the text");
    return tree;
  }

 private:
  absl::StatusOr<Json> ParseNode() {
    if (Take("[")) return ParseList();
    if (Take("{")) return ParseMembers(": ", "}", Json::object());
    std::string word(TakeWhileNot(",()[]{}"));
    if (word.empty()) return Error("a value");
    if (Take("(")) return ParseMembers("=", ")", Json{{"$type", word}});
    if (word == "None") return Json(nullptr);
    if (int64_t number; absl::SimpleAtoi(word, &number)) return Json(number);
    return Json(std::move(word));
  }

  absl::StatusOr<Json> ParseList() {
    Json list = Json::array();
    if (Take("]")) return list;
    do {
      STRUCTTENSOR_ASSIGN_OR_RETURN(Json item, ParseNode());
      list.push_back(std::move(item));
    } while (Take(", "));
    if (!Take("]")) return Error("']'");
    return list;
  }

  // name<separator>value, ..., with `members` filled so far.
  absl::StatusOr<Json> ParseMembers(std::string_view separator, std::string_view close, Json members) {
    if (Take(close)) return members;
    do {
      const size_t name_end = text_.find(separator, at_);
      if (name_end == std::string_view::npos) return Error("a name");
      const std::string name(text_.substr(at_, name_end - at_));
      at_ = name_end + separator.size();
      STRUCTTENSOR_ASSIGN_OR_RETURN(members[name], ParseNode());
    } while (Take(", "));
    if (!Take(close)) return Error(close);
    return members;
  }

  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::string_view TakeWhileNot(std::string_view stop) {
    const size_t end = std::min(text_.find_first_of(stop, at_), text_.size());
    const std::string_view taken = text_.substr(at_, end - at_);
    at_ = end;
    return taken;
  }
  absl::Status Error(std::string_view expected) const {
    return absl::InvalidArgumentError(
        absl::StrCat("spec text, offset ", at_, ": expected ", ToAbsl(expected), " in ", ToAbsl(text_)));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<Json> ParseSpecText(std::string_view text) { return Parser(text).ParseAll(); }

}  // namespace structtensor::vectors
