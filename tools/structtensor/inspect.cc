#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "command.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/app/convert/shared/wire_summary.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::command {
namespace {

using convert_internal::CountText;
using convert_internal::SizeText;
using convert_internal::SummarizeFields;
using convert_internal::WireField;
using convert_internal::WireKindText;

// One line for each field. The lines of its submessages' fields follow: "1: message, in 40 of them, 120 values, 8.1 kB".
std::string WireFieldsText(const std::vector<WireField>& fields, size_t indent) {
  std::string text;
  for (const WireField& field : fields) {
    absl::StrAppend(&text, std::string(indent, ' '), field.number, ": ", WireKindText(field), ", in ",
                    CountText(field.messages),
                    field.count == field.messages ? "" : absl::StrCat(", ", CountText(field.count), " values"), ", ",
                    SizeText(field.bytes), "\n", WireFieldsText(field.fields, indent + 2));
  }
  return text;
}

Json WireFieldsJson(const std::vector<WireField>& fields) {
  Json documents = Json::array();
  for (const WireField& field : fields) {
    Json document = {{"number", field.number},
                     {"kind", WireKindText(field)},
                     {"messages", field.messages},
                     {"count", field.count},
                     {"bytes", field.bytes}};
    if (!field.fields.empty()) document["fields"] = WireFieldsJson(field.fields);
    documents.push_back(std::move(document));
  }
  return documents;
}

constexpr size_t kMaxMessages = 1000;
constexpr size_t kMaxBytes = size_t{16} << 20;

// How the messages of a sample decode as one type.
struct Fit {
  std::string message;
  int64_t decoded = 0;
  int64_t with_unknown_fields = 0;  // of their own; those of submessages do not count
};

absl::StatusOr<Fit> FitOf(const Schema& schema, const std::string& name, std::span<const std::string_view> messages) {
  const absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> plan = schema.PlanOf(name, Schema::Annotations::kIgnore);
  if (!plan.ok()) return plan.status();
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
  absl::StatusOr<BatchDecoder> decoder = BatchDecoder::Create(**plan, options);
  if (!decoder.ok()) return decoder.status();
  const absl::StatusOr<DecodedBatch> batch = decoder->Decode(messages);
  if (!batch.ok()) return batch.status();
  Fit fit = {.message = name, .decoded = batch->nrows()};
  const ColumnView unknown = batch->root().unknown_fields();
  for (uint32_t row = 0; row < unknown.nrows; ++row) fit.with_unknown_fields += unknown.text(row).empty() ? 0 : 1;
  return fit;
}

class InspectVerb : public Verb {
 public:
  explicit InspectVerb(CLI::App& app) {
    CLI::App* const verb = AddVerb(app, "inspect", "structtensor inspect recipes.pb",
                                   "Detect the format and the fields of a file, and with a schema its message type");
    input_.Declare(*verb, &options_);
    verb->add_flag("--json", json_, "Print a JSON document");
    schema_.Declare(*verb);
  }

  std::string Resolve() override { return input_.Resolve(&options_); }

  absl::StatusOr<int> Run() override {
    const absl::StatusOr<std::vector<std::string>> inputs = ExpandInputs(options_.inputs);
    if (!inputs.ok()) return inputs.status();
    std::optional<Schema> schema;
    if (schema_.given()) {
      absl::StatusOr<Schema> loaded = schema_.Load();
      if (!loaded.ok()) return loaded.status();
      schema = *std::move(loaded);
    }
    Json files = Json::array();
    for (const std::string& input : *inputs) {
      absl::StatusOr<Json> file = Inspect(input, schema.has_value() ? &*schema : nullptr);
      if (!file.ok()) return file.status();
      files.push_back(*std::move(file));
    }
    if (json_) PrintJson("inspect", {{"files", std::move(files)}});
    return convert_internal::kExitOk;
  }

 private:
  absl::StatusOr<Json> Inspect(const std::string& input, const Schema* schema) {
    std::string reason = "as --from says";
    std::optional<RecordFormat> format = options_.format;
    std::error_code error;
    const bool pipe =
        input == "-" || (std::filesystem::exists(input, error) && !std::filesystem::is_regular_file(input, error));
    if (!format.has_value() && pipe) {
      return absl::InvalidArgumentError(absl::StrCat(
          input == "-" ? "standard input" : input, " can be read only once; save it to a file or set the format with --from"));
    }
    if (!format.has_value() && IsColumnFile(input)) {
      return absl::InvalidArgumentError(absl::StrCat(
          DisplayPath(input),
          " is a Parquet or Arrow file, whose columns need no guessing; structtensor head shows its rows as messages"));
    }
    if (!format.has_value() && options_.confluent_headers) {
      format = RecordFormatOfName(input).value_or(RecordFormat::kDelimited);
      reason = "with --confluent, unless --from or the name says otherwise";
    }
    if (!format.has_value() &&
        (RecordFormatOfName(input) == RecordFormat::kTextproto || RecordFormatOfName(input) == RecordFormat::kCsv)) {
      format = RecordFormatOfName(input);
      reason = "its name says so";
    }
    if (!format.has_value()) {
      const absl::StatusOr<SniffedFormat> sniffed = SniffFile(input);
      if (!sniffed.ok())
        return absl::Status(sniffed.status().code(), absl::StrCat(DisplayPath(input), ": ", sniffed.status().message()));
      format = sniffed->format;
      reason = sniffed->reason;
    }
    // The fields of text formats already have names.
    const bool named_fields =
        format == RecordFormat::kJson || format == RecordFormat::kTextproto || format == RecordFormat::kCsv;
    // Confluent headers are read here, because their numbers are shown. With named fields, the reader refuses them.
    absl::StatusOr<std::unique_ptr<RecordReader>> reader =
        RecordReader::Create({input}, {.format = format,
                                       .confluent_headers = options_.confluent_headers && named_fields,
                                       .message_of_json = TextAsMessage,
                                       .message_of_textproto = TextAsMessage,
                                       .message_of_csv = [](std::string_view, std::string_view row,
                                                            std::string& message) { return TextAsMessage(row, message); },
                                       .skip_damaged = true,
                                       .on_damaged_file = OnDamagedFile::kRest});
    if (!reader.ok()) return reader.status();
    RecordBatch batch;
    const absl::StatusOr<bool> more = (*reader)->NextBatch(kMaxMessages, kMaxBytes, &batch);
    if (!more.ok()) return more.status();

    const Headers headers = HeadersOf(batch.messages(), options_.confluent_headers);
    const std::vector<std::string_view>& messages = headers.messages;
    size_t damaged = headers.missing;
    std::vector<DamagedFile> damaged_files;
    for (const BrokenRecord& error : batch.skipped()) {
      if (error.lost == BrokenRecord::Lost::kRecord) {
        ++damaged;
      } else {
        damaged_files.push_back(DamagedFileOf(error, **reader));
      }
    }
    size_t message_bytes = 0;
    for (const std::string_view message : messages) message_bytes += message.size();
    const std::vector<WireField> fields = named_fields ? std::vector<WireField>() : SummarizeFields(messages);
    Json document = {{"file", DisplayPath(input)},
                     {"format", RecordFormatName(*format)},
                     {"reason", reason},
                     {"messages_seen", messages.size()},
                     {"damaged_seen", damaged},
                     {"damaged_files", DamagedFilesJson(damaged_files)},
                     {"bytes_seen", message_bytes},
                     {"fields", WireFieldsJson(fields)}};
    if (!headers.counts.empty()) document["confluent_headers"] = HeadersJson(headers, schema);
    if (!json_) {
      std::cout << (input == "-" ? "<stdin>" : DisplayPath(input)) << "\n  format: " << RecordFormatName(*format) << " ("
                << reason << ")\n  " << CountText(static_cast<int64_t>(messages.size()))
                << (messages.size() == 1 ? " message seen, " : " messages seen, ")
                << SizeText(static_cast<int64_t>(message_bytes)) << "\n";
      std::cout << HeadersText(headers, schema, options_.confluent_headers);
      std::cout << (named_fields
                        ? "  the text says itself what its fields are; structtensor head shows it as messages of a type\n"
                        : WireFieldsText(fields, 2));
    }
    if (schema != nullptr && !named_fields) {
      document["message_types"] = Json::array();
      for (const Fit& fit : Fits(*schema, messages)) {
        document["message_types"].push_back(
            {{"message", fit.message}, {"decoded", fit.decoded}, {"with_unknown_fields", fit.with_unknown_fields}});
        if (json_) continue;
        std::cout << "  as " << fit.message << ": " << CountText(fit.decoded) << " decode, and "
                  << CountText(fit.with_unknown_fields) << " of them have unknown fields of their own\n";
      }
    }
    return document;
  }

  // Messages without their Confluent headers, and how often each header is there.
  struct Headers {
    std::vector<std::string_view> messages;
    std::map<std::pair<uint32_t, std::vector<int32_t>>, int64_t> counts;  // by schema ids and message indexes
    size_t missing = 0;                                                   // messages left out: they have no header
  };

  // If the headers are not known to be there, they are only if all messages have one.
  static Headers HeadersOf(std::span<const std::string_view> messages, bool known) {
    Headers headers;
    ConfluentHeader header;
    for (const std::string_view message : messages) {
      // Schema ids begin with 1; a message of zeros is damaged.
      if (!ReadConfluentHeader(message, &header).empty() || (!known && header.schema_id == 0)) {
        ++headers.missing;
        if (!known) break;
        continue;
      }
      headers.messages.push_back(message.substr(header.size_bytes));
      ++headers.counts[{header.schema_id, header.message_indexes}];
    }
    if (headers.missing == 0 || known) return headers;
    Headers none;
    none.messages.assign(messages.begin(), messages.end());
    return none;
  }

  // "B", or "" if unknown.
  static std::string TypeNamed(const std::vector<int32_t>& indexes, const Schema* schema) {
    if (schema == nullptr) return "";
    const absl::StatusOr<TypesOfIndexes> types = schema->TypesOfIndexes();
    return types.ok() ? absl::StrJoin((*types)(indexes), " or ") : "";
  }

  static Json HeadersJson(const Headers& headers, const Schema* schema) {
    Json list = Json::array();
    for (const auto& [header, count] : headers.counts) {
      const std::string type = TypeNamed(header.second, schema);
      list.push_back({{"schema_id", header.first},
                      {"message_indexes", header.second},
                      {"message", type.empty() ? Json() : Json(type)},
                      {"messages", count}});
    }
    return list;
  }

  static std::string HeadersText(const Headers& headers, const Schema* schema, bool known) {
    constexpr size_t kMaxListed = 10;
    std::string text;
    if (headers.missing > 0) {
      absl::StrAppend(&text, "  ", CountText(static_cast<int64_t>(headers.missing)), " more without a Confluent header\n");
    }
    size_t listed = 0;
    for (const auto& [header, count] : headers.counts) {
      if (listed++ == kMaxListed) {
        absl::StrAppend(&text, "  … and ", headers.counts.size() - kMaxListed, " other Confluent headers\n");
        break;
      }
      const std::string type = TypeNamed(header.second, schema);
      absl::StrAppend(&text, "  Confluent header: schema ", header.first, ", message indexes ",
                      MessageIndexesText(header.second), type.empty() ? "" : absl::StrCat(" (", type, ")"), ", in ",
                      CountText(count), count == 1 ? " message" : " messages", known ? "" : "; read it with --confluent", "\n");
    }
    return text;
  }

  // The types that fit best, best first.
  static std::vector<Fit> Fits(const Schema& schema, std::span<const std::string_view> messages) {
    constexpr size_t kMaxFits = 5;
    std::vector<Fit> fits;
    for (const std::string& name : schema.MessageNames()) {
      absl::StatusOr<Fit> fit = FitOf(schema, name, messages);
      if (fit.ok() && fit->decoded > 0) fits.push_back(*std::move(fit));
    }
    std::stable_sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) {
      return a.decoded - a.with_unknown_fields > b.decoded - b.with_unknown_fields;
    });
    if (fits.size() > kMaxFits) fits.resize(kMaxFits);
    return fits;
  }

  ScanOptions options_;
  bool json_ = false;
  convert_internal::InputFlags input_;
  SchemaFlags schema_;
};

}  // namespace

std::unique_ptr<Verb> AddInspect(CLI::App& app) { return std::make_unique<InspectVerb>(app); }

}  // namespace structtensor::command
