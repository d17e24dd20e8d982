// protobuf's text format for messages of one type, with libprotobuf's own parser and printer.
#ifndef STRUCTTENSOR_APP_SCHEMA_TEXT_FORMAT_H_
#define STRUCTTENSOR_APP_SCHEMA_TEXT_FORMAT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace structtensor {

// The maximum nesting depth of messages: protobuf's limit.
inline constexpr int kMaxTextFormatDepth = 100;

struct TextFormatOptions {
  // Reading: skips names that the message type does not have.
  bool ignore_extra_fields = false;
  // Writing: shows fields that the type does not know, by their numbers. Parsers cannot read them back.
  bool unknown_fields = false;
};

// Made by Schema::TextFormatOf(). Keeps the schema. Several threads may use it.
class TextFormat {
 public:
  // Parses `text` and appends the serialized message; required fields may be missing. Returns false if the text is not valid or
  // is deeper than kMaxTextFormatDepth. Then nothing is appended, `byte` is where reading stopped, and `problem` says what is
  // wrong there.
  bool AppendMessage(std::string_view text, std::string& serialized, size_t* byte, std::string* problem) const;

  // Appends the text of a serialized message, a line for each field. An Any whose type is in the schema is shown as its
  // content.
  // Errors: InvalidArgument if the bytes are not such a message.
  absl::Status AppendText(std::string_view serialized, std::string& text) const;

 private:
  friend class Schema;
  struct Impl;
  explicit TextFormat(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<const Impl> impl_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SCHEMA_TEXT_FORMAT_H_
