#include "structtensor/io/json/message_json.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/wire/abi/varint.h"
#include "structtensor/io/json/internal/json_text.h"
#include "structtensor/io/json/internal/json_types.h"
#include "structtensor/io/json/internal/message_reader.h"
#include "structtensor/io/json/internal/message_writer.h"
#include "structtensor/io/json/internal/problem.h"

namespace structtensor {

using json_internal::Problem;

struct MessageJson::Impl {
  Impl(const plan::MessagePlan& message, MessageJsonOptions all)
      : options(std::move(all)), type(types.Of(message)), reader(types, options), writer(types, options) {}

  MessageJsonOptions options;
  json_internal::JsonTypes types;
  const json_internal::JsonType& type;
  json_internal::MessageReader reader;
  json_internal::MessageWriter writer;
  std::string padded;            // the message to write, with readable bytes after it
  json_internal::JsonText text;  // its JSON
};

MessageJson::MessageJson(const plan::MessagePlan& message, MessageJsonOptions options)
    : impl_(std::make_unique<Impl>(message, std::move(options))) {}
MessageJson::~MessageJson() = default;
MessageJson::MessageJson(MessageJson&&) noexcept = default;
MessageJson& MessageJson::operator=(MessageJson&&) noexcept = default;

namespace {

std::string TextOf(const Problem& problem) {
  return problem.path.empty() ? problem.text : absl::StrCat(problem.path, ": ", problem.text);
}

}  // namespace

absl::Status MessageJson::AppendMessage(std::string_view json, std::string& serialized) {
  size_t byte = 0;
  std::string problem;
  if (AppendMessage(json, serialized, &byte, &problem)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("byte ", byte, ": ", problem));
}

bool MessageJson::AppendMessage(std::string_view json, std::string& serialized, size_t* byte, std::string* problem) {
  const size_t before = serialized.size();
  Problem found;
  if (impl_->reader.Read(json, impl_->type, serialized, found, byte)) return true;
  serialized.resize(before);
  *problem = TextOf(found);
  return false;
}

absl::Status MessageJson::AppendJson(std::string_view serialized, std::string& json) {
  Problem found;
  if (AppendJson(serialized, json, &found.path, &found.text)) return absl::OkStatus();
  return absl::InvalidArgumentError(TextOf(found));
}

bool MessageJson::AppendJson(std::string_view serialized, std::string& json, std::string* field_path, std::string* problem) {
  // The readers look a little past the end.
  impl_->padded.assign(serialized);
  impl_->padded.resize(serialized.size() + wire_internal::kReadableSlackBytes);
  Problem found;
  const std::string_view message(impl_->padded.data(), serialized.size());
  impl_->text.Clear();
  if (impl_->writer.Write(message, impl_->type, 0, impl_->text, found)) {
    json += impl_->text.view();
    return true;
  }
  *field_path = std::move(found.path);
  *problem = std::move(found.text);
  return false;
}

}  // namespace structtensor
