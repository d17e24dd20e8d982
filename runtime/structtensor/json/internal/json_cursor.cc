#include "structtensor/json/internal/json_cursor.h"

#include <algorithm>

#include "structtensor/json/message_json.h"
#include "structtensor/wire/internal/utf8.h"

namespace structtensor::json_internal {

bool Fail(Problem& problem, simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return Fail(problem, "the text is not UTF-8");
    case simdjson::UNCLOSED_STRING:
      return Fail(problem, "a string has no end");
    case simdjson::UNESCAPED_CHARS:
      return Fail(problem, "a string has a control character that is not escaped");
    case simdjson::EMPTY:
      return Fail(problem, "the text ends where a value should be");
    case simdjson::DEPTH_ERROR:
      return Fail(problem, absl::StrCat("messages, lists and objects are deeper than ", kMaxMessageJsonDepth));
    case simdjson::STRING_ERROR:
      return Fail(problem, "a string has a wrong escape");
    case simdjson::NUMBER_ERROR:
      return Fail(problem, "a number is malformed");
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return Fail(problem, "a list or an object has no end");
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
      return Fail(problem, "there is no memory for the text");
    default:
      return Fail(problem, "this is not JSON");
  }
}

bool JsonCursor::Start(std::string_view text, Problem& problem) {
  text_ = {};  // the first stage does not say where it fails
  next_ = end_ = looked_at_ = nullptr;
  if (const auto error = Scan(text)) return Fail(problem, error);
  text_ = text;
  next_ = looked_at_ = stages_->structural_indexes.get();
  end_ = next_ + stages_->n_structural_indexes;
  return true;
}

simdjson::error_code JsonCursor::Scan(std::string_view text) {
  constexpr size_t kMinCapacity = 4096;
  constexpr size_t kMaxCapacity = simdjson::SIMDJSON_MAXSIZE_BYTES;
  if (stages_ == nullptr) {
    // The depth is for the second stage, which is not used.
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(kMinCapacity, 1, stages_);
    if (error != simdjson::SUCCESS) return error;
  }
  if (text.size() > stages_->capacity()) {
    if (text.size() > kMaxCapacity) return simdjson::CAPACITY;
    const auto error = stages_->set_capacity(std::clamp(2 * stages_->capacity(), text.size(), kMaxCapacity));
    if (error != simdjson::SUCCESS) return error;
  }
  return stages_->stage1(reinterpret_cast<const uint8_t*>(text.data()), text.size(), simdjson::stage1_mode::regular);
}

bool JsonCursor::UnescapeSlowly(std::string_view raw, std::string_view* content, Problem& problem) {
  // simdjson reads and writes behind the end.
  escaped_.assign(raw);
  escaped_ += '"';
  escaped_.append(simdjson::SIMDJSON_PADDING, '\0');
  if (unescaped_.size() < escaped_.size()) unescaped_.resize(2 * escaped_.size());
  auto* const begin = reinterpret_cast<uint8_t*>(unescaped_.data());
  const uint8_t* const end = stages_->parse_string(reinterpret_cast<const uint8_t*>(escaped_.data()), begin, false);
  if (end == nullptr) return Fail(problem, simdjson::STRING_ERROR);
  *content = {unescaped_.data(), static_cast<size_t>(end - begin)};
  // Halves of surrogate pairs that stand alone give bytes that are not UTF-8.
  return wire_internal::IsUtf8(begin, content->size()) || Fail(problem, simdjson::STRING_ERROR);
}

}  // namespace structtensor::json_internal
