// protobuf's text format of messages of one type, by libprotobuf's own parser and printer.
#ifndef STRUCTTENSOR_SCHEMA_TEXT_FORMAT_H_
#define STRUCTTENSOR_SCHEMA_TEXT_FORMAT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace structtensor {

// How many messages may lie inside each other: protobuf's limit.
inline constexpr int kMaxTextFormatDepth = 100;

struct TextFormatOptions {
  // Reading: passes over names that the message type does not have.
  bool ignore_unknown_names = false;
  // Writing: shows fields that the type does not know, by their numbers. People can read that, parsers cannot.
  bool unknown_fields = false;
};

// Schema::TextFormatOf() makes it. Keeps the schema. Several threads may use it.
class TextFormat {
 public:
  // Appends the serialized message that `text` stands for; required fields may be missing. False, with the byte where reading
  // stopped and what is wrong there, if it stands for none, or is deeper than kMaxTextFormatDepth; nothing has been appended
  // then.
  bool AppendMessage(std::string_view text, std::string& serialized, size_t* byte, std::string* problem) const;

  // Appends the text of a serialized message, a line for each field. An Any whose type the schema has is shown as what it
  // contains.
  // Errors: InvalidArgument if the bytes are no such message.
  absl::Status AppendText(std::string_view serialized, std::string& text) const;

 private:
  friend class Schema;
  struct Impl;
  explicit TextFormat(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<const Impl> impl_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_SCHEMA_TEXT_FORMAT_H_
