#include "structtensor/app/schema/text_format.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "structtensor/app/schema/internal/text_format_impl.h"
#include "structtensor/compiler/schema/proto_files.h"

namespace structtensor {
namespace {

namespace pb = ::google::protobuf;

// The first mistake of a text. libprotobuf counts lines and columns from 0.
class FirstMistake : public pb::io::ErrorCollector {
 public:
#if GOOGLE_PROTOBUF_VERSION >= 4022000
  void RecordError(int line, pb::io::ColumnNumber column, absl::string_view message) override {
    Add(line, column, std::string(message));
  }
#else
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override { Add(line, column, message); }
#endif

  const std::string& text() const { return text_; }

  // The byte offset of the mistake in `text`; 0 if the mistake has no place.
  size_t ByteIn(std::string_view text) const {
    size_t at = 0;
    for (int line = 0; line < line_; ++line) {
      const size_t end = text.find('\n', at);
      if (end == std::string_view::npos) return text.size();
      at = end + 1;
    }
    // At a tab, libprotobuf's columns go to the next multiple of eight.
    constexpr int kTabWidth = 8;
    for (int column = 0; column < column_ && at < text.size() && text[at] != '\n'; ++at) {
      column = text[at] == '\t' ? (column / kTabWidth + 1) * kTabWidth : column + 1;
    }
    return at;
  }

 private:
  void Add(int line, int column, std::string message) {
    if (!text_.empty()) return;
    line_ = std::max(line, 0);
    column_ = std::max(column, 0);
    text_ = std::move(message);
  }

  int line_ = 0;
  int column_ = 0;
  std::string text_;
};

constexpr size_t kMaxTextBytes = std::numeric_limits<int32_t>::max();

}  // namespace

bool TextFormat::AppendMessage(std::string_view text, std::string& serialized, size_t* byte, std::string* problem) const {
  *byte = 0;
  if (text.size() > kMaxTextBytes) {
    *problem = "the text is longer than 2 GiB";
    return false;
  }
  const schema::QuietLibprotobuf quiet;
  const std::unique_ptr<pb::Message> message(impl_->prototype->New());
  FirstMistake mistake;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&mistake);
  parser.AllowPartialMessage(true);
  parser.AllowUnknownField(impl_->options.ignore_extra_fields);
  parser.AllowUnknownExtension(impl_->options.ignore_extra_fields);
  parser.SetRecursionLimit(kMaxTextFormatDepth);
  pb::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  const size_t before = serialized.size();
  if (!parser.Parse(&input, message.get())) {
    *byte = mistake.ByteIn(text);
    *problem = mistake.text().empty() ? "it is not text format" : mistake.text();
    return false;
  }
  if (!message->AppendPartialToString(&serialized)) {
    serialized.resize(before);
    *problem = "the message is longer than 2 GiB";
    return false;
  }
  return true;
}

absl::Status TextFormat::AppendText(std::string_view serialized, std::string& text) const {
  const schema::QuietLibprotobuf quiet;
  const std::unique_ptr<pb::Message> message(impl_->prototype->New());
  if (serialized.size() > kMaxTextBytes ||
      !message->ParsePartialFromArray(serialized.data(), static_cast<int>(serialized.size()))) {
    return absl::InvalidArgumentError("the bytes are not a valid message of this type");
  }
  pb::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  printer.SetHideUnknownFields(!impl_->options.unknown_fields);
  printer.SetExpandAny(true);
  std::string printed;
  if (!printer.PrintToString(*message, &printed)) return absl::InvalidArgumentError("the message has no text format");
  text += printed;
  return absl::OkStatus();
}

}  // namespace structtensor
