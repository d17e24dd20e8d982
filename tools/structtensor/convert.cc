#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "command.h"
#include "dry_run.h"
#include "structtensor/app/convert/shared/conversion.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/table_conversion.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::command {
namespace {

using convert_internal::ConversionSummary;
using convert_internal::ConverterOptions;
using convert_internal::TableKind;

class ConvertVerb : public Verb {
 public:
  explicit ConvertVerb(CLI::App& app) {
    CLI::App* const verb = verb_ = AddVerb(app, "convert", "structtensor convert -p recipe.proto recipes.pb -o recipes.parquet",
                                           "Convert messages to columns and back, or to another message format");
    input_.Declare(*verb, &options_.scan);
    convert_internal::DeclareOption(*verb, "rows", &options_.scan);
    schema_.Declare(*verb);
    output_.Declare(*verb, &options_);
    columns_.Declare(*verb, &options_.scan);
    records_.Declare(*verb, &options_.scan);
    verb->add_flag("--infer-timestamps", options_.infer_timestamps,
                   "In JSON without a schema, read RFC 3339 strings as timestamps");
    verb->add_flag("--dry-run", dry_run_, "Print what would be read and written, and stop");
    verb->add_flag("--json", json_, "Print the summary as a JSON document");
  }

  std::string Resolve() override {
    for (std::string problem : {input_.Resolve(&options_.scan), output_.Resolve(&options_), records_.Resolve(options_.scan),
                                columns_.Resolve(&options_.scan, options_.records)}) {
      if (!problem.empty()) return problem;
    }
    if (dry_run_ && (options_.show_spec || options_.head > 0))
      return "--dry-run shows the columns, and no rows: pass it without --show-spec and --head";
    if (!json_) return "";
    if (!dry_run_ && options_.writes_standard_output())
      return "--json prints to standard output, and so does the conversion; pass --output FILE";
    if (options_.show_spec || options_.head > 0) return "--json is for the conversion alone, without --show-spec and --head";
    options_.quiet = true;
    return "";
  }

  absl::StatusOr<int> Run() override {
    if (!schema_.given() && !schema_.needed() && (input_.from_nothing() || input_.from_json_rows() || input_.from_columns())) {
      const absl::StatusOr<std::vector<std::string>> files = ExpandInputs(options_.scan.inputs, OutputsOf(options_.scan));
      if (!files.ok()) return files.status();
      const absl::StatusOr<std::optional<TableKind>> kind =
          convert_internal::TableKindOf(*files, input_.from_json_rows(), options_.scan.on_damaged_file);
      if (!kind.ok()) return kind.status();
      if (kind->has_value()) return RunWithoutSchema(**kind);
    }
    if (options_.infer_timestamps) {
      return absl::InvalidArgumentError(
          "--infer-timestamps applies only to JSON without a schema; a schema declares which fields are times");
    }
    const absl::StatusOr<MessageType> type = schema_.LoadMessage(options_.quiet, options_.scan);
    if (!type.ok()) return type.status();
    ReadFilesOf(*type, &options_.scan);
    const absl::StatusOr<MessageType> row_type = TypeOfRows(*type, options_.scan.rows);
    if (!row_type.ok()) return row_type.status();
    absl::StatusOr<std::vector<std::pair<std::string, std::string>>> metadata = MetadataOf(*row_type, options_.scan);
    if (!metadata.ok()) return metadata.status();
    options_.sink.metadata = *std::move(metadata);
    const absl::StatusOr<TextFormat> textproto = row_type->schema.TextFormatOf(
        row_type->name,
        {.unknown_fields = options_.scan.row_options.decode.unknown_fields == DecodeOptions::UnknownFields::kKeep});
    if (!textproto.ok()) return textproto.status();
    options_.textproto_of_message = [format = *textproto](std::string_view message, std::string& text) {
      return format.AppendText(message, text);
    };
    if (dry_run_) {
      absl::StatusOr<DryRun> run = DryRunOf(options_, *type);
      if (!run.ok()) return run.status();
      if (json_) {
        PrintJson("convert", std::move(run->document));
      } else {
        std::cout << run->text;
      }
      return convert_internal::kExitOk;
    }
    const absl::StatusOr<ConversionSummary> summary = convert_internal::Convert(options_, *type->plan);
    if (!summary.ok()) return summary.status();
    if (json_) {
      Json document = {{"message", row_type->name},
                       {"inputs", summary->inputs},
                       {"input_bytes", summary->input_bytes},
                       {"rows", summary->rows},
                       {"broken_records", summary->broken_records},
                       {"damaged_files", DamagedFilesJson(summary->damaged_files)},
                       {"output", DisplayPath(options_.output)}};
      if (summary->output_bytes.has_value()) document["output_bytes"] = *summary->output_bytes;
      if (summary->output_files.has_value()) document["output_files"] = *summary->output_files;
      document["seconds"] = summary->seconds;
      document["changed_fields"] = Json::array();
      for (const ChangedField& field : summary->changed_fields) {
        document["changed_fields"].push_back({{"field", field.field_path},
                                              {"declared", plan::KindName(field.declared)},
                                              {"found", plan::WireTypeName(field.found)},
                                              {"values", field.count},
                                              {"first", field.first}});
      }
      document["dropped_values"] = DroppedValuesJson(summary->dropped_values);
      document["inexact_times"] = InexactTimesJson(summary->inexact_times);
      PrintJson("convert", std::move(document));
    }
    return convert_internal::kExitOk;
  }

 private:
  // Converts column files that structtensor has not written, and JSON of plain values, whose columns are inferred.
  absl::StatusOr<int> RunWithoutSchema(TableKind kind) {
    if (dry_run_) {
      return absl::InvalidArgumentError("no schema, which --dry-run needs: --show-spec shows the columns of these files");
    }
    if (const std::string option = OptionOfMessages(kind); !option.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("no schema, which ", option,
                                                     " needs: name a .proto file with --proto, or a "
                                                     "descriptor set with --descriptor_set_in"));
    }
    const absl::StatusOr<ConversionSummary> summary = convert_internal::ConvertTables(options_, kind);
    if (!summary.ok()) return summary.status();
    if (json_) {
      Json document = {{"inputs", summary->inputs},
                       {"input_bytes", summary->input_bytes},
                       {"rows", summary->rows},
                       {"broken_records", summary->broken_records},
                       {"damaged_files", DamagedFilesJson(summary->damaged_files)},
                       {"output", DisplayPath(options_.output)}};
      if (summary->output_bytes.has_value()) document["output_bytes"] = *summary->output_bytes;
      document["seconds"] = summary->seconds;
      PrintJson("convert", std::move(document));
    }
    return convert_internal::kExitOk;
  }

  // The first given option that is about messages, which do not exist without a schema. "" if there is no such option.
  std::string OptionOfMessages(TableKind kind) const {
    std::vector<std::string_view> others = {"--from",      "--to",        "--output",  "--compression", "--compression-level",
                                            "--overwrite", "--show-spec", "--quiet",   "--json",        "--jobs",
                                            "--skip",      "--limit",     "--on-error"};
    if (kind == TableKind::kPlainJson) {
      others.insert(others.end(), {"--max-message-bytes", "--infer-timestamps", "--on-damaged-file"});
    }
    if (kind == TableKind::kColumnFiles) others.insert(others.end(), {"--batch-size", "--max-memory-bytes"});
    for (const CLI::Option* option : verb_->get_options()) {
      if (option->count() == 0 || option->get_positional()) continue;
      const std::string name = absl::StrCat("--", option->get_lnames().empty() ? "" : option->get_lnames()[0]);
      if (std::find(others.begin(), others.end(), name) == others.end()) return name;
    }
    return "";
  }

  CLI::App* verb_ = nullptr;
  ConverterOptions options_;
  convert_internal::InputFlags input_;
  convert_internal::RecordFlags records_;
  convert_internal::ColumnFlags columns_;
  convert_internal::OutputFlags output_;
  SchemaFlags schema_;
  bool dry_run_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> AddConvert(CLI::App& app) { return std::make_unique<ConvertVerb>(app); }

}  // namespace structtensor::command
