#include <iostream>
#include <utility>

#include "arrow_types.h"
#include "command.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/options.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/column_files/column_file.h"

namespace structtensor::command {
namespace {

class SchemaVerb : public Verb {
 public:
  explicit SchemaVerb(CLI::App& app) {
    CLI::App* const verb =
        AddVerb(app, "schema", "structtensor schema -p recipe.proto --to sql", "Print the columns of a message type");
    verb->add_option("INPUT", inputs_, "Parquet or Arrow files that contain the schema, instead of --proto");
    schema_.Declare(*verb);
    convert_internal::DeclareOption(*verb, "rows", &options_);
    verb->add_option("--to", to_, "Output format: spec, arrow, parquet, spark, sql or json")
        ->check(CLI::IsMember({"spec", "arrow", "parquet", "spark", "sql", "json"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    verb->add_flag("--list", list_, "List the message types instead of the columns");
    verb->add_flag("--json", json_, "The same as --to json");
    columns_.Declare(*verb, &options_);
  }

  std::string Resolve() override {
    if (!inputs_.empty() && schema_.given()) {
      return "INPUT is for files that have their schema in them: leave it out, or --proto, -I and --descriptor_set_in";
    }
    return columns_.Resolve(&options_);
  }

  absl::StatusOr<int> Run() override {
    if (list_) return List();
    const bool json = json_ || to_ == "json";
    ScanOptions of_inputs = options_;
    of_inputs.inputs = inputs_;
    const absl::StatusOr<MessageType> type = schema_.LoadMessage(json, of_inputs);
    if (!type.ok()) return type.status();
    absl::StatusOr<std::unique_ptr<Scan>> scan = Scan::Create(*type->plan, options_);
    if (!scan.ok()) return scan.status();
    const std::string name((*scan)->message().full_name);
    const TypeSpec spec = TypeSpec((*scan)->empty().spec()).WithUnknownSizes();
    if (!json && to_ == "spec") {
      std::string text = spec.TreeString();
      if (!text.ends_with('\n')) text += '\n';
      std::cout << text;
      return convert_internal::kExitOk;
    }
    const std::vector<ArrowLayout> layouts =
        ArrowLayoutsOf((*scan)->message(), *spec.structured(), {}, options_.row_options.tensor.enums);
    if (!json && to_ == "parquet") {
      absl::StatusOr<std::string> text =
          ParquetSchemaText(*spec.structured(), ColumnIdsOf((*scan)->message(), *spec.structured()), layouts);
      if (!text.ok()) return text.status();
      std::cout << *text;
      return convert_internal::kExitOk;
    }
    ArrowSchema columns;
    if (absl::Status exported = ExportSchema(*spec.structured(), &columns, layouts); !exported.ok()) return exported;
    if (json) {
      PrintJson("schema", {{"message", name}, {"columns", ColumnsJson(columns)}});
    } else {
      const TypeDialect dialect = to_ == "arrow"   ? TypeDialect::kArrow
                                  : to_ == "spark" ? TypeDialect::kSpark
                                                   : TypeDialect::kSql;
      std::cout << ColumnsText(columns, dialect, name.substr(name.rfind('.') + 1));
    }
    columns.release(&columns);
    return convert_internal::kExitOk;
  }

 private:
  absl::StatusOr<int> List() const {
    const absl::StatusOr<Schema> schema = inputs_.empty() ? schema_.Load() : schema_.LoadOf(inputs_);
    if (!schema.ok()) return schema.status();
    const std::vector<std::string> names = schema->MessageNames();
    if (json_) {
      PrintJson("schema", {{"messages", names}});
    } else {
      for (const std::string& name : names) std::cout << name << "\n";
    }
    return convert_internal::kExitOk;
  }

  std::vector<std::string> inputs_;
  ScanOptions options_ = scan_internal::DefaultsIn(scan_internal::Face::kCommand);
  std::string to_ = "spec";
  bool list_ = false;
  bool json_ = false;
  convert_internal::ColumnFlags columns_;
  SchemaFlags schema_;
};

}  // namespace

std::unique_ptr<Verb> AddSchema(CLI::App& app) { return std::make_unique<SchemaVerb>(app); }

}  // namespace structtensor::command
