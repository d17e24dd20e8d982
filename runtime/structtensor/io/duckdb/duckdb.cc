#include "structtensor/io/duckdb/duckdb.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/arrow/export.h"
#include "structtensor/io/arrow/import.h"
#include "structtensor/io/arrow/shared/empty_structs.h"
#include "structtensor/io/duckdb/internal/c_api.h"
#include "structtensor/io/duckdb/readable_query.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor {
namespace {

using duckdb_internal::Api;
using duckdb_internal::ArrowOptions;
using duckdb_internal::BindInfo;
using duckdb_internal::Chunk;
using duckdb_internal::Connection;
using duckdb_internal::ConvertedSchema;
using duckdb_internal::Database;
using duckdb_internal::ErrorData;
using duckdb_internal::FunctionInfo;
using duckdb_internal::InitInfo;
using duckdb_internal::LogicalType;
using duckdb_internal::Prepared;
using duckdb_internal::Result;
using duckdb_internal::State;
using duckdb_internal::TableFunction;

// DuckDB's destroy functions take the address of the handle.
template <typename Handle>
struct Destroyer {
  void (*destroy)(Handle*) = nullptr;
  void operator()(Handle handle) const { destroy(&handle); }
};
template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Handle>>;

template <typename Handle>
Owned<Handle> Own(Handle handle, void (*destroy)(Handle*)) {
  return Owned<Handle>(handle, Destroyer<Handle>{destroy});
}

absl::Status ErrorOf(const char* text) {
  return absl::InvalidArgumentError(text == nullptr || *text == '\0' ? "DuckDB failed and does not say why"
                                                                     : DuckDbErrorLine(text));
}

// DuckDB names the kind of an error at the beginning of its text.
bool IsOutOfMemory(const absl::Status& status) { return absl::StartsWith(status.message(), "Out of Memory"); }

absl::Status StatusOf(ErrorData error) {
  if (error == nullptr) return absl::OkStatus();
  const Owned<ErrorData> owned = Own(error, Api().destroy_error_data);
  return ErrorOf(Api().error_data_message(error));
}

// The first error of a table in a query. DuckDB passes on its message but not its code, and puts other words in front.
class TableErrors {
 public:
  void Add(const absl::Status& error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (first_.ok()) first_ = error;
  }
  void Clear() {
    const std::lock_guard<std::mutex> lock(mutex_);
    first_ = absl::OkStatus();
  }
  // Why the query failed.
  absl::Status Or(const char* error_of_duckdb) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return first_.ok() ? ErrorOf(error_of_duckdb) : first_;
  }

 private:
  mutable std::mutex mutex_;
  absl::Status first_;
};

// Makes DuckDB's chunks from structured tensors of one spec.
class ChunkMaker {
 public:
  // Requires: `empty` has a field.
  static absl::StatusOr<ChunkMaker> Create(Connection connection, const StructuredTensor& empty) {
    const bool empty_structs = arrow_internal::HasEmptyStructs(empty.spec());
    TypeSpec spec =
        TypeSpec(empty_structs ? arrow_internal::EmptyStructsToBools(empty.spec()) : empty.spec()).WithUnknownSizes();
    ArrowSchema schema;
    STRUCTTENSOR_RETURN_IF_ERROR(ExportSchema(*spec.structured(), &schema));
    ConvertedSchema converted = nullptr;
    const absl::Status status = StatusOf(Api().schema_from_arrow(connection, &schema, &converted));
    if (schema.release != nullptr) schema.release(&schema);
    STRUCTTENSOR_RETURN_IF_ERROR(status);
    return ChunkMaker(connection, empty_structs, std::move(spec), Own(converted, Api().destroy_arrow_converted_schema));
  }

  // The chunk shares the memory of `rows`, and keeps it alive.
  absl::StatusOr<Owned<Chunk>> Make(const StructuredTensor& rows) const {
    ArrowArray array;
    STRUCTTENSOR_RETURN_IF_ERROR(
        ExportBatch(empty_structs_ ? arrow_internal::EmptyStructsToBools(rows) : rows, *spec_.structured(), &array));
    Chunk chunk = nullptr;
    const absl::Status status = StatusOf(Api().data_chunk_from_arrow(connection_, &array, schema_.get(), &chunk));
    if (array.release != nullptr) array.release(&array);
    STRUCTTENSOR_RETURN_IF_ERROR(status);
    return Own(chunk, Api().destroy_data_chunk);
  }

 private:
  ChunkMaker(Connection connection, bool empty_structs, TypeSpec spec, Owned<ConvertedSchema> schema)
      : connection_(connection), empty_structs_(empty_structs), spec_(std::move(spec)), schema_(std::move(schema)) {}

  Connection connection_;
  bool empty_structs_;
  TypeSpec spec_;
  Owned<ConvertedSchema> schema_;
};

struct RegisteredTable {
  Connection connection;
  TableErrors& errors;
  std::shared_ptr<DuckDbTable> table;
  std::vector<Owned<LogicalType>> types;  // of the fields of table->empty()
};

// One place in a query where a table is read.
class TablePass {
 public:
  static absl::StatusOr<std::unique_ptr<TablePass>> Begin(RegisteredTable& table, InitInfo info) {
    const std::vector<std::string>& names = table.table->empty().field_names();
    // If DuckDB only counts rows, it asks for a column that does not exist.
    std::vector<std::optional<std::string>> outputs(Api().init_get_column_count(info));
    std::vector<std::string> needed;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const uint64_t index = Api().init_get_column_index(info, i);
      if (index >= names.size()) continue;
      outputs[i] = names[index];
      needed.push_back(names[index]);
    }
    auto pass = std::make_unique<TablePass>(table.errors);
    STRUCTTENSOR_ASSIGN_OR_RETURN(pass->source_, table.table->Begin(needed));
    if (needed.empty()) return pass;
    const std::vector<std::string>& fields = pass->source_->empty().field_names();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].has_value()) continue;
      const auto field = std::find(fields.begin(), fields.end(), *outputs[i]);
      if (field == fields.end()) return absl::InternalError(absl::StrCat("the rows have no field ", *outputs[i]));
      pass->columns_.push_back({.output = i, .field = static_cast<uint64_t>(field - fields.begin())});
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(ChunkMaker chunks, ChunkMaker::Create(table.connection, pass->source_->empty()));
    pass->chunks_.emplace(std::move(chunks));
    return pass;
  }

  explicit TablePass(TableErrors& errors) : errors_(errors) {}

  TableErrors& errors() const { return errors_; }

  // Fills in the next rows, as many as a chunk holds. There are none at the end.
  absl::Status Fill(Chunk output) {
    while (!rows_.has_value() || begin_ == rows_->nrows()) {
      STRUCTTENSOR_ASSIGN_OR_RETURN(rows_, source_->Next());
      begin_ = 0;
      if (rows_.has_value()) continue;
      Api().data_chunk_set_size(output, 0);
      return absl::OkStatus();
    }
    const int64_t begin = begin_;
    begin_ += std::min(static_cast<int64_t>(Api().vector_size()), rows_->nrows() - begin);
    if (chunks_.has_value()) {
      // DuckDB no longer uses the last chunk when it asks for the next one.
      STRUCTTENSOR_ASSIGN_OR_RETURN(chunk_, chunks_->Make(rows_->SliceRows(begin, begin_)));
      for (const Column& column : columns_) {
        Api().vector_reference_vector(Api().data_chunk_get_vector(output, column.output),
                                      Api().data_chunk_get_vector(chunk_.get(), column.field));
      }
    }
    Api().data_chunk_set_size(output, static_cast<uint64_t>(begin_ - begin));
    return absl::OkStatus();
  }

 private:
  struct Column {
    uint64_t output;  // column of DuckDB's chunk
    uint64_t field;   // of the source's rows
  };

  TableErrors& errors_;
  std::unique_ptr<DuckDbRows> source_;
  std::optional<ChunkMaker> chunks_;  // nothing if no column is needed
  std::vector<Column> columns_;
  std::optional<StructuredTensor> rows_;
  int64_t begin_ = 0;  // of the rows in rows_ that are not handed over yet
  Owned<Chunk> chunk_;
};

// --- What DuckDB calls

void BindTable(BindInfo info) {
  const RegisteredTable& table = *static_cast<RegisteredTable*>(Api().bind_get_extra_info(info));
  const std::vector<std::string>& names = table.table->empty().field_names();
  for (size_t i = 0; i < names.size(); ++i) Api().bind_add_result_column(info, names[i].c_str(), table.types[i].get());
}

// Returns the result of `call`. DuckDB's threads know nothing of our exceptions.
template <typename Call>
auto WithoutException(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("not enough memory to read the table; select fewer columns, or lower `batch_size`");
  }
}

void BeginPass(InitInfo info) {
  RegisteredTable& table = *static_cast<RegisteredTable*>(Api().init_get_extra_info(info));
  absl::StatusOr<std::unique_ptr<TablePass>> pass = WithoutException([&] { return TablePass::Begin(table, info); });
  if (pass.ok()) {
    Api().init_set_init_data(info, pass->release(), [](void* data) { delete static_cast<TablePass*>(data); });
    return;
  }
  table.errors.Add(pass.status());
  Api().init_set_error(info, std::string(pass.status().message()).c_str());
}

void FillChunk(FunctionInfo info, Chunk output) {
  TablePass& pass = *static_cast<TablePass*>(Api().function_get_init_data(info));
  const absl::Status status = WithoutException([&] { return pass.Fill(output); });
  if (status.ok()) return;
  pass.errors().Add(status);
  Api().function_set_error(info, std::string(status.message()).c_str());
}

// --- Results

class ResultRows : public DuckDbRows {
 public:
  static absl::StatusOr<std::unique_ptr<ResultRows>> Run(Connection connection, const std::string& sql, TableErrors& errors) {
    errors.Clear();
    auto rows = std::make_unique<ResultRows>(errors);
    Prepared prepared = nullptr;
    const State state = Api().prepare(connection, sql.c_str(), &prepared);
    rows->prepared_ = Own(prepared, Api().destroy_prepare);
    if (state != State::kSuccess) return errors.Or(prepared == nullptr ? nullptr : Api().prepare_error(prepared));
    if (Api().execute_prepared_streaming(prepared, &rows->result_) != State::kSuccess) {
      return errors.Or(Api().result_error(&rows->result_));
    }
    STRUCTTENSOR_RETURN_IF_ERROR(rows->ReadSchema(connection));
    return rows;
  }

  explicit ResultRows(TableErrors& errors) : errors_(errors) {}
  ~ResultRows() override {
    Api().destroy_result(&result_);
    if (schema_.release != nullptr) schema_.release(&schema_);
  }
  ResultRows(const ResultRows&) = delete;
  ResultRows& operator=(const ResultRows&) = delete;

  const StructuredTensor& empty() const override { return *empty_; }

  absl::StatusOr<std::optional<StructuredTensor>> Next() override {
    const Owned<Chunk> chunk = Own(Api().fetch_chunk(result_), Api().destroy_data_chunk);
    if (chunk == nullptr || Api().data_chunk_get_size(chunk.get()) == 0) {
      const char* const error = Api().result_error(&result_);
      if (error != nullptr && *error != '\0') return errors_.Or(error);
      return std::nullopt;
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(StructuredTensor rows, Import(chunk.get()));
    return rows;
  }

 private:
  absl::Status ReadSchema(Connection connection) {
    std::vector<LogicalType> types;
    std::vector<const char*> names;
    std::vector<Owned<LogicalType>> owned_types;
    for (uint64_t i = 0; i < Api().column_count(&result_); ++i) {
      names.push_back(Api().column_name(&result_, i));
      types.push_back(Api().column_logical_type(&result_, i));
      owned_types.push_back(Own(types.back(), Api().destroy_logical_type));
    }
    ArrowOptions options = nullptr;
    Api().connection_get_arrow_options(connection, &options);
    options_ = Own(options, Api().destroy_arrow_options);
    STRUCTTENSOR_RETURN_IF_ERROR(StatusOf(Api().to_arrow_schema(options, types.data(), names.data(), types.size(), &schema_)));
    const Owned<Chunk> chunk = Own(Api().create_data_chunk(types.data(), types.size()), Api().destroy_data_chunk);
    STRUCTTENSOR_ASSIGN_OR_RETURN(empty_, Import(chunk.get()));
    return absl::OkStatus();
  }

  absl::StatusOr<StructuredTensor> Import(Chunk chunk) const {
    ArrowArray array = {};
    STRUCTTENSOR_RETURN_IF_ERROR(StatusOf(Api().data_chunk_to_arrow(options_.get(), chunk, &array)));
    return ImportBatch(schema_, &array);
  }

  TableErrors& errors_;
  Owned<Prepared> prepared_;
  Result result_ = {};
  Owned<ArrowOptions> options_;
  ArrowSchema schema_ = {};
  std::optional<StructuredTensor> empty_;
};

absl::StatusOr<std::vector<DuckDbColumn>> ColumnsOf(ResultRows& description) {
  std::vector<DuckDbColumn> columns;
  while (true) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> rows, description.Next());
    if (!rows.has_value()) return columns;
    const Tensor& names = *rows->flat_field(0).tensor();
    const Tensor& types = *rows->flat_field(1).tensor();
    for (int64_t i = 0; i < rows->nrows(); ++i) {
      columns.push_back({std::string(names.string_at(i)), std::string(types.string_at(i))});
    }
  }
}

class LoadedDuckDb : public DuckDb {
 public:
  absl::Status OpenDatabase(const std::string& temporary_folder, const std::string& memory_limit) {
    if (Api().open(nullptr, &database_) != State::kSuccess || Api().connect(database_, &connection_) != State::kSuccess) {
      return absl::InternalError("DuckDB cannot open a database in memory");
    }
    if (!temporary_folder.empty()) STRUCTTENSOR_RETURN_IF_ERROR(Execute(SetTemporaryFolder(temporary_folder)));
    if (memory_limit.empty()) return absl::OkStatus();
    const absl::Status limited = Execute(SetMemoryLimit(memory_limit));
    if (limited.ok()) return limited;
    return absl::InvalidArgumentError(absl::StrCat("the memory limit ", memory_limit, ": ", limited.message()));
  }

  ~LoadedDuckDb() override {
    if (connection_ != nullptr) Api().disconnect(&connection_);
    if (database_ != nullptr) Api().close(&database_);
  }

  absl::Status AddTable(const std::string& name, std::shared_ptr<DuckDbTable> table, Access access) override {
    const StructuredTensor& empty = table->empty();
    if (empty.num_fields() == 0) {
      return absl::InvalidArgumentError(absl::StrCat("the table ", name, " has no columns; SQL needs one at least"));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const ChunkMaker chunks, ChunkMaker::Create(connection_, empty));
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Owned<Chunk> chunk, chunks.Make(empty));
    std::vector<Owned<LogicalType>> types;
    for (size_t i = 0; i < empty.num_fields(); ++i) {
      types.push_back(
          Own(Api().vector_get_column_type(Api().data_chunk_get_vector(chunk.get(), i)), Api().destroy_logical_type));
    }
    tables_.push_back(
        std::unique_ptr<RegisteredTable>(new RegisteredTable{connection_, errors_, std::move(table), std::move(types)}));

    const std::string function_name = absl::StrCat("structtensor_", name);
    const Owned<TableFunction> function = Own(Api().create_table_function(), Api().destroy_table_function);
    Api().table_function_set_name(function.get(), function_name.c_str());
    Api().table_function_set_extra_info(function.get(), tables_.back().get(), nullptr);
    Api().table_function_set_bind(function.get(), BindTable);
    Api().table_function_set_init(function.get(), BeginPass);
    Api().table_function_set_function(function.get(), FillChunk);
    Api().table_function_supports_projection_pushdown(function.get(), true);
    if (Api().register_table_function(connection_, function.get()) != State::kSuccess) {
      return absl::InternalError(absl::StrCat("DuckDB does not take the function ", function_name));
    }
    return Execute(absl::StrCat("CREATE TEMP ", access == Access::kOnce ? "TABLE " : "VIEW ", QuotedName(name),
                                " AS SELECT * FROM ", QuotedName(function_name), "()"));
  }

  absl::StatusOr<std::unique_ptr<DuckDbRows>> Query(const std::string& sql) override {
    // Prepares the query by itself, so that errors speak of what the caller wrote.
    Prepared prepared = nullptr;
    const State state = Api().prepare(connection_, sql.c_str(), &prepared);
    const Owned<Prepared> owned = Own(prepared, Api().destroy_prepare);
    if (state != State::kSuccess) return ErrorOf(prepared == nullptr ? nullptr : Api().prepare_error(prepared));

    absl::StatusOr<std::unique_ptr<ResultRows>> description = ResultRows::Run(connection_, DescribeQuery(sql), errors_);
    if (!description.ok()) {
      if (IsOutOfMemory(description.status())) return description.status();
      return absl::InvalidArgumentError(absl::StrCat("expected a query such as a SELECT; DuckDB cannot describe its result: ",
                                                     description.status().message()));
    }
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::vector<DuckDbColumn> columns, ColumnsOf(**description));
    description->reset();
    return ResultRows::Run(connection_, ReadableQuery(sql, columns), errors_);
  }

 private:
  absl::Status Execute(const std::string& sql) {
    errors_.Clear();
    Result result = {};
    const State state = Api().query(connection_, sql.c_str(), &result);
    const absl::Status status = state == State::kSuccess ? absl::OkStatus() : errors_.Or(Api().result_error(&result));
    Api().destroy_result(&result);
    return status;
  }

  Database database_ = nullptr;
  Connection connection_ = nullptr;
  TableErrors errors_;
  std::vector<std::unique_ptr<RegisteredTable>> tables_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DuckDb>> DuckDb::Open(const std::string& library, const std::string& temporary_folder,
                                                     const std::string& memory_limit) {
  STRUCTTENSOR_RETURN_IF_ERROR(duckdb_internal::LoadApi(library));
  auto db = std::make_unique<LoadedDuckDb>();
  STRUCTTENSOR_RETURN_IF_ERROR(db->OpenDatabase(temporary_folder, memory_limit));
  return db;
}

std::string SetTemporaryFolder(const std::string& folder) {
  return absl::StrCat("SET temp_directory = '", absl::StrReplaceAll(folder, {{"'", "''"}}), "'");
}

std::string SetMemoryLimit(const std::string& limit) {
  return absl::StrCat("SET memory_limit = '", absl::StrReplaceAll(limit, {{"'", "''"}}), "'");
}

std::string DuckDbErrorLine(std::string text) {
  const size_t begin = text.find_first_not_of(" \n\r\t");
  if (begin == std::string::npos) return "";
  text.erase(0, begin);
  text.resize(std::min({text.size(), text.find("\n\n"), text.find("\nLINE ")}));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  // Sums of integers are HUGEINT, which is INT128 in some errors, and ReadableQuery casts them to BIGINT.
  const bool huge = absl::StrContains(text, "Type INT128 with value") || absl::StrContains(text, "Type HUGEINT with value");
  if (huge && absl::StrContains(text, "out of range")) {
    text += "\nhint: sums of integers have 128 bits, and results 64; cast them as in sum(n)::DOUBLE or sum(n)::VARCHAR";
  }
  return text;
}

}  // namespace structtensor
