#include <algorithm>
#include <cstdint>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "command.h"
#include "structtensor/app/convert/shared/field_stats.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/progress.h"
#include "structtensor/app/scan/scan.h"

namespace structtensor::command {
namespace {

using convert_internal::CountText;
using convert_internal::FieldStats;
using convert_internal::FieldStatsCollector;
using convert_internal::SizeText;

// Bytes that are not UTF-8 are replaced, control characters escaped.
std::string Shown(const std::string& text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string ValueText(const FieldStats& stats, const std::string& value) {
  const bool text = stats.field->kind == plan::Kind::kString || stats.field->kind == plan::Kind::kBytes;
  return text ? Shown(value) : value;
}

class StatsVerb : public Verb {
 public:
  explicit StatsVerb(CLI::App& app) {
    CLI::App* const verb = AddVerb(app, "stats", "structtensor stats -p recipe.proto recipes.pb",
                                   "Print statistics for each field: presence, value count, bytes and range");
    input_.Declare(*verb, &options_);
    convert_internal::DeclareOption(*verb, "rows", &options_);
    convert_internal::DeclareOption(*verb, "limit", &options_);
    verb->add_flag("--json", json_, "Print a JSON document");
    schema_.Declare(*verb);
  }

  std::string Resolve() override { return input_.Resolve(&options_); }

  absl::StatusOr<int> Run() override {
    options_.on_damaged_file = OnDamagedFile::kRest;  // as ScanEachRecord does
    const absl::StatusOr<MessageType> type = schema_.LoadMessage(json_, options_);
    if (!type.ok()) return type.status();

    const absl::StatusOr<MessageType> plain = Unannotated(*type, options_.inputs);
    if (!plain.ok()) return plain.status();
    const absl::StatusOr<MessageType> row_type = TypeOfRows(*plain, options_.rows);
    if (!row_type.ok()) return row_type.status();
    FieldStatsCollector collector(*row_type->plan);
    const absl::StatusOr<DamageFound> found = ScanEachRecord(*plain, options_, [&collector](const ScanBatch& batch) {
      for (size_t i = 0; i < batch.messages.size(); ++i) {
        if (batch.broken[i] == 0) collector.Add(batch.messages[i]);
      }
      return absl::OkStatus();
    });
    if (!found.ok()) return found.status();
    const std::vector<FieldStats> fields = collector.Fields();
    if (json_) {
      PrintJson("stats", {{"message", row_type->name},
                          {"messages", collector.messages()},
                          {"broken_records", found->broken_records},
                          {"damaged_files", DamagedFilesJson(found->damaged_files)},
                          {"unknown_bytes", collector.unknown_bytes()},
                          {"fields", FieldsJson(fields)}});
    } else {
      std::cout << CountText(collector.messages()) << (collector.messages() == 1 ? " message of " : " messages of ")
                << row_type->name << "\n"
                << TableText(fields);
      if (collector.unknown_bytes() > 0) {
        std::cout << SizeText(collector.unknown_bytes()) << " of fields that the schema does not know\n";
      }
    }
    return found->broken_records == 0 && found->damaged_files.empty() ? convert_internal::kExitOk
                                                                      : convert_internal::kExitFailure;
  }

 private:
  static Json FieldsJson(const std::vector<FieldStats>& fields) {
    Json documents = Json::array();
    for (const FieldStats& stats : fields) {
      Json document = {{"path", stats.path},
                       {"type", std::string(plan::KindName(stats.field->kind))},
                       {"messages", stats.messages},
                       {"present_in", stats.present_in},
                       {"values", stats.values},
                       {"longest", stats.longest},
                       {"wire_bytes", stats.wire_bytes}};
      if (stats.least.has_value()) document["least"] = *stats.least;
      if (stats.most.has_value()) document["greatest"] = *stats.most;
      if (!stats.field->is_message()) document["distinct"] = stats.distinct;
      documents.push_back(std::move(document));
    }
    return documents;
  }

  // Numbers are aligned to the right, strings to the left. The values are last, because they may be long.
  static std::string TableText(const std::vector<FieldStats>& fields) {
    std::vector<std::vector<std::string>> rows = {
        {"path", "type", "present", "values", "longest", "on the wire", "distinct", "values from … to"}};
    for (const FieldStats& stats : fields) {
      const double present =
          100.0 * static_cast<double>(stats.present_in) / static_cast<double>(std::max<int64_t>(stats.messages, 1));
      rows.push_back(
          {stats.path, std::string(plan::KindName(stats.field->kind)), absl::StrFormat("%.1f %%", present),
           CountText(stats.values), stats.field->is_repeated() ? CountText(stats.longest) : "", SizeText(stats.wire_bytes),
           stats.field->is_message() ? "" : "~" + CountText(stats.distinct),
           stats.least.has_value() ? absl::StrCat(ValueText(stats, *stats.least), " … ", ValueText(stats, *stats.most)) : ""});
    }
    std::vector<size_t> widths(rows[0].size() - 1);
    for (const auto& row : rows) {
      for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows) {
      for (size_t i = 0; i < widths.size(); ++i) {
        const std::string padding(widths[i] - row[i].size(), ' ');
        absl::StrAppend(&text, i < 2 ? row[i] + padding : padding + row[i], "  ");
      }
      text += row.back();
      while (text.ends_with(' ')) text.pop_back();
      text += '\n';
    }
    return text;
  }

  ScanOptions options_;
  bool json_ = false;
  convert_internal::InputFlags input_;
  SchemaFlags schema_;
};

}  // namespace

std::unique_ptr<Verb> AddStats(CLI::App& app) { return std::make_unique<StatsVerb>(app); }

}  // namespace structtensor::command
