#include "structtensor/app/convert/internal/plain_json.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/strip.h"
#include "structtensor/app/convert/shared/options.h"
#include "structtensor/app/scan/message_decoder.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/json/read_json.h"
#include "structtensor/tensor/messages/tensor_encoder.h"
#include "structtensor/tensor/type_spec/type_spec.h"

namespace structtensor::convert_internal {
namespace {

// Returns the spec with every element and struct nullable.
TypeSpec Nullable(const TypeSpec& spec);

StructuredTensorSpec Nullable(const StructuredTensorSpec& spec, bool nullable) {
  std::vector<FieldSpec> fields;
  for (const FieldSpec& field : spec.flat_fields()) {
    // Keys of maps are never absent.
    const bool key = spec.kind() == StructKind::kMapEntry && field.name == "key";
    fields.push_back({field.name, key ? field.spec : Nullable(field.spec)});
  }
  return StructuredTensorSpec(spec.shape(), std::move(fields), spec.kind(), nullable, spec.row_partitions(),
                              spec.shape_dtype());
}

TypeSpec Nullable(const TypeSpec& spec) {
  if (const TensorSpec* tensor = spec.tensor()) return TensorSpec(tensor->shape(), tensor->dtype(), true);
  // A repeated field is empty instead of absent.
  if (spec.ragged() != nullptr) return spec;
  const StructuredTensorSpec* const structured = spec.structured();
  return Nullable(*structured, structured->kind() == StructKind::kStruct && structured->rank() == 1);
}

class PlainJsonReader {
 public:
  PlainJsonReader(StructuredTensorSpec spec, TensorEncoder encoder, bool ignore_extra_fields)
      : options_{.spec = std::move(spec),
                 .layout = JsonReadOptions::Layout::kDocument,
                 .on_error = JsonReadOptions::OnError::kSkip,  // gives the place of an error apart from its text
                 .ignore_extra_fields = ignore_extra_fields},
        encoder_(std::move(encoder)) {}

  std::optional<TextProblem> Append(std::string_view text, std::string& message) {
    const absl::StatusOr<JsonRows> read = ReadJson(text, options_);
    if (!read.ok()) return TextProblem{0, std::string(read.status().message())};
    if (!read->errors.empty()) {
      const JsonRowError& error = read->errors.front();
      return TextProblem{ByteAt(text, error.line, error.column), error.message};
    }
    if (read->rows.nrows() != 1) return TextProblem{0, "expected an object"};
    const absl::StatusOr<EncodedBatch> encoded = encoder_.Encode(read->rows);
    if (!encoded.ok()) {
      return TextProblem{0, std::string(absl::StripPrefix(encoded.status().message(), "row 0: "))};
    }
    message += (*encoded)[0];
    return std::nullopt;
  }

 private:
  // Returns the byte offset of a place whose line and column count from 1.
  static size_t ByteAt(std::string_view text, int64_t line, int64_t column) {
    size_t at = 0;
    for (; line > 1; --line) {
      const size_t end = text.find('\n', at);
      if (end == std::string_view::npos) break;
      at = end + 1;
    }
    return std::min(text.size(), at + static_cast<size_t>(std::max<int64_t>(column, 1)) - 1);
  }

  const JsonReadOptions options_;
  TensorEncoder encoder_;
};

}  // namespace

absl::StatusOr<MessageOfText> MessageOfPlainJson(const plan::MessagePlan& message, bool ignore_extra_fields) {
  const RowOptions files = scan_internal::DefaultsIn(scan_internal::Face::kCommand).row_options;
  const std::shared_ptr<const plan::MessagePlan> plan(std::shared_ptr<const void>(), &message);
  STRUCTTENSOR_ASSIGN_OR_RETURN(const MessageDecoder decoder, MessageDecoder::Create(plan, files));
  const TypeSpec spec = TypeSpec(decoder.empty().spec()).WithUnknownSizes();
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      TensorEncoder encoder,
      TensorEncoder::Create(message, {.ignore_extra_fields = ignore_extra_fields, .allow_missing_required = true}));
  const auto reader =
      std::make_shared<PlainJsonReader>(Nullable(*spec.structured(), false), std::move(encoder), ignore_extra_fields);
  return MessageOfText([reader](std::string_view text, std::string& out) { return reader->Append(text, out); });
}

}  // namespace structtensor::convert_internal
