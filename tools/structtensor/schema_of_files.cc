#include "schema_of_files.h"

#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/app/convert/shared/column_records.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::command {
namespace {

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(DisplayPath(path), ": ", status.message()));
}

// Opens a column file. Null for other files.
absl::StatusOr<std::unique_ptr<ColumnFileReader>> OpenIfColumnFile(const std::string& path) {
  const absl::StatusOr<bool> is_column_file = OpensAsColumnFile(path);
  if (!is_column_file.ok()) return InFile(path, is_column_file.status());
  if (!*is_column_file) return nullptr;
  absl::StatusOr<std::unique_ptr<ColumnFileReader>> file = ColumnFileReader::Open(path);
  if (!file.ok()) return InFile(path, file.status());
  return file;
}

// The schema that MetadataOf has put into the column file at `path`; nothing for other files.
absl::StatusOr<std::optional<SchemaOfFiles>> SchemaInFile(const ColumnFileReader& file, const std::string& path) {
  const std::optional<std::string> encoded = file.Metadata(kDescriptorSetMetadataKey);
  std::optional<std::string> message = file.Metadata(kMessageMetadataKey);
  if (!encoded.has_value() || !message.has_value()) return std::nullopt;
  std::string bytes;
  if (!absl::Base64Unescape(*encoded, &bytes)) {
    return InFile(path,
                  absl::DataLossError(absl::StrCat("its schema (the metadata ", kDescriptorSetMetadataKey, ") is not base64")));
  }
  absl::StatusOr<Schema> schema = Schema::FromDescriptorSet(bytes);
  if (!schema.ok()) return InFile(path, schema.status());
  return SchemaOfFiles{*std::move(schema), *std::move(message)};
}

// Whether a message type has all fields of another one: the same types under the same numbers, whatever their names. Types
// whose comparison has begun count as equal, because a type may contain itself.
class Coverage {
 public:
  // "" if `whole` has all fields of `part`, else what is different: "ingredients.amount is int32 and string".
  // `flattened`: the columns are among the columns of the message around it.
  std::string Difference(const plan::MessagePlan& part, const plan::MessagePlan& whole, const std::string& path = "",
                         bool flattened = false) {
    if (!compared_.emplace(&part, &whole, flattened).second) return "";
    for (const plan::FieldPlan& field : part.fields) {
      std::string field_path = path;
      AppendField(field.name, field_path);
      const plan::FieldPlan* const other = field.number > 0 ? whole.FindByNumber(field.number) : whole.FindByName(field.name);
      // A oneof's case is not read back, so it may be missing.
      if (other == nullptr && field.number == 0) continue;
      if (other == nullptr) return absl::StrCat(field_path, " is in one of them only");
      if (field.number != other->number)
        return absl::StrCat(field_path, " has the numbers ", field.number, " and ", other->number);
      if (field.kind != other->kind || field.is_repeated() != other->is_repeated()) {
        return absl::StrCat(field_path, " is ", TypeText(field), " and ", TypeText(*other));
      }
      if (other->skipped && !field.skipped) return absl::StrCat(field_path, " is skipped in one of them");
      // Columns of flattened messages have no field numbers, so they can be found by their names only.
      if (flattened && field.column_name() != other->column_name()) {
        return absl::StrCat(field_path, " is called ", std::string(field.column_name()), " and ",
                            std::string(other->column_name()));
      }
      if (IsText(field) != IsText(*other)) return absl::StrCat(field_path, " is text in one of them and bytes in the other");
      if (plan::FixedSizeBytesOf(field) != plan::FixedSizeBytesOf(*other)) {
        return absl::StrCat(field_path, " has a fixed size in one of them that it has not in the other");
      }
      if (!field.is_message()) continue;
      if (FormText(field) != FormText(*other)) {
        return absl::StrCat(field_path, " is ", FormText(field), " and ", FormText(*other));
      }
      std::string inside = Difference(*field.message, *other->message, field_path, field.is_flattened());
      if (!inside.empty()) return inside;
    }
    return "";
  }

 private:
  static std::string TypeText(const plan::FieldPlan& field) {
    return absl::StrCat(field.is_repeated() ? "repeated " : "", std::string(plan::KindName(field.kind)));
  }
  static bool IsText(const plan::FieldPlan& field) { return field.annotations != nullptr && field.annotations->text; }
  static std::string FormText(const plan::FieldPlan& field) {
    if (!field.is_flattened()) return "a column";
    return absl::StrCat("flattened with the prefix '", std::string(field.annotations->prefix), "'");
  }

  std::set<std::tuple<const plan::MessagePlan*, const plan::MessagePlan*, bool>> compared_;
};

}  // namespace

absl::Status NoSchemaIn(const std::vector<std::string>& inputs) {
  std::vector<std::string> names;
  for (const std::string& input : inputs) names.push_back(DisplayPath(input));
  return absl::InvalidArgumentError(
      absl::StrCat(absl::StrJoin(names, ", "),
                   ": no schema found (Parquet and Arrow files that structtensor wrote have one); name a .proto file with "
                   "--proto, or a descriptor set with --descriptor_set_in"));
}

absl::StatusOr<std::optional<SchemaOfFiles>> FindSchemaOfFiles(const std::vector<std::string>& paths,
                                                               OnDamagedFile on_damaged_file) {
  std::optional<SchemaOfFiles> widest;
  std::string widest_path;
  std::set<std::string> seen;
  absl::Status damage;  // of the first damaged file
  for (const std::string& path : paths) {
    const absl::StatusOr<std::unique_ptr<ColumnFileReader>> file = OpenIfColumnFile(path);
    if (absl::IsDataLoss(file.status()) && on_damaged_file != OnDamagedFile::kFail) {
      damage.Update(file.status());
      continue;
    }
    if (!file.ok()) return file.status();
    if (*file == nullptr) continue;
    absl::StatusOr<std::optional<SchemaOfFiles>> found = SchemaInFile(**file, path);
    if (!found.ok()) return found.status();
    if (!found->has_value()) continue;
    SchemaOfFiles next = **std::move(found);
    if (widest.has_value() && next.message != widest->message) {
      return absl::InvalidArgumentError(absl::StrCat(widest_path, " has rows of ", widest->message, ", and ", DisplayPath(path),
                                                     " of ", next.message, "; convert them one at a time"));
    }
    if (!seen.insert(next.schema.SerializeDescriptorSet()).second) continue;
    if (widest.has_value()) {
      const absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> a = widest->schema.PlanOf(widest->message);
      if (!a.ok()) return a.status();
      const absl::StatusOr<std::shared_ptr<const plan::MessagePlan>> b = next.schema.PlanOf(next.message);
      if (!b.ok()) return b.status();
      if (Coverage().Difference(**b, **a).empty()) continue;
      const std::string difference = Coverage().Difference(**a, **b);
      if (!difference.empty()) {
        return absl::InvalidArgumentError(absl::StrCat(widest_path, " and ", DisplayPath(path),
                                                       " have schemas, and neither has all fields of the other: ", difference,
                                                       "; name a schema with --proto, or convert them one at a time"));
      }
    }
    widest = std::move(next);
    widest_path = DisplayPath(path);
  }
  if (widest.has_value() || damage.ok()) return widest;
  return absl::DataLossError(absl::StrCat(damage.message(),
                                          " (and no other file has a schema: name a .proto file with --proto, "
                                          "or a descriptor set by --descriptor_set_in)"));
}

}  // namespace structtensor::command
