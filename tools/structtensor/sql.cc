#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "arrow_types.h"
#include "command.h"
#include "structtensor/app/convert/shared/broken_record_list.h"
#include "structtensor/app/convert/shared/changed_fields.h"
#include "structtensor/app/convert/shared/duckdb_command.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/convert/shared/head_rows.h"
#include "structtensor/app/convert/shared/inexact_times.h"
#include "structtensor/app/convert/shared/options.h"
#include "structtensor/app/convert/shared/scan_table.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/temporaries.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/duckdb/duckdb.h"
#include "structtensor/io/remote_files/remote_files.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor::command {
namespace {

using convert_internal::IsCommand;
using convert_internal::QueryByCommand;
using convert_internal::ScanTable;

constexpr const char* kTable = "t";
constexpr const char* kLibrary = "libduckdb.so";
constexpr const char* kCommand = "duckdb";
constexpr const char* kVariable = "STRUCTTENSOR_DUCKDB";

// A DuckDB that is installed: its library, or else its command.
struct InstalledDuckDb {
  std::unique_ptr<DuckDb> library;
  std::string command;
};

// How DuckDB is to run.
struct DuckDbSettings {
  std::string temporary_folder;
  std::string memory_limit;  // "" for its default
};

absl::StatusOr<InstalledDuckDb> OpenLibrary(const std::string& library, const DuckDbSettings& settings) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<DuckDb> db,
                                DuckDb::Open(library, settings.temporary_folder, settings.memory_limit));
  return InstalledDuckDb{std::move(db), ""};
}

// The DuckDB called `named`. If `named` is empty: the DuckDB that the environment names, or else one that the system finds.
absl::StatusOr<InstalledDuckDb> FindDuckDb(std::string named, const DuckDbSettings& settings) {
  if (const char* const variable = std::getenv(kVariable); named.empty() && variable != nullptr) named = variable;
  if (!named.empty()) {
    if (std::filesystem::path(named).filename().string().find(".so") != std::string::npos) return OpenLibrary(named, settings);
    if (IsCommand(named)) return InstalledDuckDb{nullptr, named};
    return absl::NotFoundError(
        absl::StrCat("there is no command ", named, "; name the duckdb command, or the library (a file with .so in its name)"));
  }
  absl::StatusOr<InstalledDuckDb> library = OpenLibrary(kLibrary, settings);
  if (!absl::IsNotFound(library.status())) return library;
  if (IsCommand(kCommand)) return InstalledDuckDb{nullptr, kCommand};
  return absl::NotFoundError(
      absl::StrCat("DuckDB is not installed: found neither its library ", kLibrary, " nor its command ", kCommand,
                   "; name one with --duckdb or ", kVariable,
                   " (npm's @duckdb/node-bindings-linux-x64 has the library, PyPI's duckdb-cli the command)"));
}

class SqlVerb : public Verb {
 public:
  explicit SqlVerb(CLI::App& app) {
    CLI::App* const verb =
        AddVerb(app, "sql", "structtensor sql \"SELECT title, count(*) FROM t GROUP BY 1\" -p recipe.proto recipes.pb",
                "Run a SQL query with DuckDB; the input is the table t");
    verb->add_option("QUERY", query_, "SQL query in DuckDB's dialect, with the input as the table t")->required();
    input_.Declare(*verb, &options_.scan);
    convert_internal::DeclareOption(*verb, "rows", &options_.scan);
    sink_.Declare(*verb, &options_);
    verb->add_option("-n,--number", max_rows_, "Maximum number of rows to print")
        ->type_name("N")
        ->transform(convert_internal::WholeNumber(0, convert_internal::kMaxRowsAtATime))
        ->capture_default_str();
    verb->add_flag("--json", json_, "Print the columns and all rows as a JSON document");
    verb->add_option("--duckdb", duckdb_, "DuckDB's library (a name with .so) or command")
        ->default_str(absl::StrCat("$", kVariable, ", else found by name"))
        ->type_name("PATH");
    verb->add_option("--memory-limit", settings_.memory_limit, "Memory for DuckDB, such as 4GB or 512MiB")
        ->default_str("80% of the machine's")
        ->type_name("SIZE")
        ->check([](const std::string& size) {
          const bool starts_with_number = !size.empty() && size.front() >= '0' && size.front() <= '9';
          return starts_with_number ? "" : "expected a number and a unit, such as 4GB or 512MiB";
        });
    schema_.Declare(*verb);
    columns_.Declare(*verb, &options_.scan);
    records_.Declare(*verb, &options_.scan);
  }

  std::string Resolve() override {
    std::error_code error;
    if (std::filesystem::exists(query_, error)) {
      return absl::StrCat("the query '", DisplayPath(query_), "' is a file; the query is the first argument, and files follow");
    }
    for (std::string problem : {input_.Resolve(&options_.scan), sink_.Resolve(&options_), records_.Resolve(options_.scan),
                                columns_.Resolve(&options_.scan)}) {
      if (!problem.empty()) return problem;
    }
    if (query_.find_first_not_of(" \t\n;") == std::string::npos) return "the query is empty";
    if (json_ && options_.has_output()) return "--json and --output are two places for the rows; pass one";
    return "";
  }

  absl::StatusOr<int> Run() override {
    // With UTC, the dates of times do not depend on where the command runs. DuckDB reads TZ when it starts.
    setenv("TZ", "UTC", 1);
    // DuckDB would otherwise make .tmp in the current folder, and leave it there when a signal ends the command.
    if (temporaries_.MakeScratchFolder(&settings_.temporary_folder) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot make a folder for DuckDB's temporary files, ",
                                                     settings_.temporary_folder, " (TMPDIR names the folder around it)"));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(InstalledDuckDb duckdb, FindDuckDb(duckdb_, settings_));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const MessageType type, schema_.LoadMessage(json_, options_.scan));
    ReadFilesOf(type, &options_.scan);
    convert_internal::BrokenRecordList broken(options_.scan.row_options.decode.on_error);
    options_.scan.on_broken_record = [&broken](const BrokenRecord& record) { broken.Add(record); };
    options_.scan.damaged_file_found = [&broken](const DamagedFile& file) { broken.Add(file); };
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::shared_ptr<ScanTable> table, ScanTable::Create(type.plan, options_.scan));
    if (table->empty().num_fields() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the message type ", type.name, " has no fields, and a SQL table needs at least one column"));
    }
    // Opened only now: in a folder that has inputs and the output, the unfinished output is not an input.
    if (options_.has_output()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(output_, OutputFile::Open(options_.output, options_.scan.overwrite));
    }
    const absl::Status answered = Answer(std::move(duckdb), table);
    broken.Finish(answered.ok() ? table->reason() : "");
    convert_internal::ReportDroppedValues(table->dropped_values());
    convert_internal::ReportInexactTimes(table->inexact_times());
    STRUCTTENSOR_RETURN_IF_ERROR(answered);
    STRUCTTENSOR_RETURN_IF_ERROR(table->closed());
    if (output_ != nullptr) STRUCTTENSOR_RETURN_IF_ERROR(output_->Commit().status());
    if (json_) {
      absl::StrAppend(&text_, ",\n  \"dropped_values\": ", DroppedValuesJson(table->dropped_values()).dump(),
                      ",\n  \"inexact_times\": ", InexactTimesJson(table->inexact_times()).dump(),
                      ",\n  \"damaged_files\": ", DamagedFilesJson(table->damaged_files()).dump(), "\n}\n");
    }
    std::cout << text_;
    return convert_internal::kExitOk;
  }

 private:
  // Takes ownership of DuckDB, so that all passes over the table have ended when it returns.
  absl::Status Answer(InstalledDuckDb duckdb, const std::shared_ptr<ScanTable>& table) {
    std::unique_ptr<DuckDbRows> rows;
    if (duckdb.library != nullptr) {
      STRUCTTENSOR_RETURN_IF_ERROR(duckdb.library->AddTable(kTable, table, table->access()));
      STRUCTTENSOR_ASSIGN_OR_RETURN(rows, duckdb.library->Query(query_));
    } else {
      STRUCTTENSOR_ASSIGN_OR_RETURN(
          rows, QueryByCommand(duckdb.command, settings_.temporary_folder, settings_.memory_limit, kTable, *table, query_));
    }
    if (output_ != nullptr) return WriteFile(*rows);
    return json_ ? PutDocument(*rows) : PutTable(*rows);
  }

  absl::Status WriteFile(DuckDbRows& rows) {
    const TypeSpec schema = TypeSpec(rows.empty().spec()).WithUnknownSizes();
    SinkOptions sink_options = options_.sink;
    sink_options.scratch_folder = output_->folder();
    const absl::StatusOr<std::unique_ptr<Sink>> sink = Sink::Create(sink_options, output_->fd(), *schema.structured());
    if (!sink.ok()) return InOutput(sink.status());
    while (true) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> batch, rows.Next());
      if (!batch.has_value()) return InOutput((*sink)->Finish());
      STRUCTTENSOR_RETURN_IF_ERROR(InOutput((*sink)->Write(*batch)));
    }
  }

  absl::Status InOutput(const absl::Status& status) const {
    if (status.ok()) return status;
    return absl::Status(status.code(), absl::StrCat(output_->display_name(), ": ", status.message()));
  }

  absl::Status PutDocument(DuckDbRows& rows) {
    ArrowSchema columns;
    const TypeSpec schema = TypeSpec(rows.empty().spec()).WithUnknownSizes();
    STRUCTTENSOR_RETURN_IF_ERROR(ExportSchema(*schema.structured(), &columns));
    const Json described = ColumnsJson(columns);
    columns.release(&columns);
    // Like PrintJson, but without keeping the rows. Nothing is printed before the first rows have arrived.
    std::string text = absl::StrCat("{\n  \"version\": ", kJsonVersion, ",\n  \"verb\": \"sql\",\n  \"columns\": ",
                                    described.dump(-1, ' ', false, Json::error_handler_t::replace), ",\n  \"rows\": [");
    bool first = true;
    while (true) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> batch, rows.Next());
      if (!batch.has_value()) break;
      for (int64_t row = 0; row < batch->nrows(); ++row) {
        text += std::exchange(first, false) ? "\n    " : ",\n    ";
        AppendJson(*batch, row, text, {.unwrap_optional = true});
      }
      std::cout << text;
      text.clear();
    }
    text_ = text + (first ? "]" : "\n  ]");
    return absl::OkStatus();
  }

  absl::Status PutTable(DuckDbRows& rows) {
    convert_internal::HeadRows head(max_rows_);
    int64_t nrows = 0;
    while (nrows <= max_rows_) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> batch, rows.Next());
      if (!batch.has_value()) break;
      head.Add(*batch);
      nrows += batch->nrows();
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(text_, head.Table(rows.empty(), convert_internal::TerminalWidth(stdout)));
    if (nrows > max_rows_) std::cerr << "… and more rows (-n shows more of them, -o writes all)\n";
    return absl::OkStatus();
  }

  convert_internal::ConverterOptions options_;
  std::string query_;
  std::string duckdb_;
  int64_t max_rows_ = 40;
  bool json_ = false;
  convert_internal::InputFlags input_;
  convert_internal::SinkFlags sink_;
  convert_internal::RecordFlags records_;
  convert_internal::ColumnFlags columns_;
  SchemaFlags schema_;
  std::unique_ptr<OutputFile> output_;
  std::string text_;  // the table, or the rest of the document; printed when all has succeeded
  base_internal::Temporaries temporaries_;
  DuckDbSettings settings_;
};

}  // namespace

std::unique_ptr<Verb> AddSql(CLI::App& app) { return std::make_unique<SqlVerb>(app); }

}  // namespace structtensor::command
