// The functions of DuckDB's C API that are used here, found in a shared library when the program runs.
// Source: duckdb.h. DuckDB 1.4 to 2.0 have all of them.
#ifndef STRUCTTENSOR_IO_DUCKDB_INTERNAL_C_API_H_
#define STRUCTTENSOR_IO_DUCKDB_INTERNAL_C_API_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "structtensor/io/arrow/c_data.h"

namespace structtensor::duckdb_internal {

// Opaque handles: only DuckDB knows what they point to.
using Database = struct DatabaseHandle*;
using Connection = struct ConnectionHandle*;
using Prepared = struct PreparedHandle*;
using LogicalType = struct LogicalTypeHandle*;
using Chunk = struct ChunkHandle*;
using Vector = struct VectorHandle*;
using ArrowOptions = struct ArrowOptionsHandle*;
using ConvertedSchema = struct ConvertedSchemaHandle*;
using ErrorData = struct ErrorDataHandle*;
using TableFunction = struct TableFunctionHandle*;
using BindInfo = struct BindInfoHandle*;
using InitInfo = struct InitInfoHandle*;
using FunctionInfo = struct FunctionInfoHandle*;

enum class State : int { kSuccess = 0, kError = 1 };

// Passed by value, so its size matters. All members except the last are deprecated.
struct Result {
  uint64_t column_count;
  uint64_t row_count;
  uint64_t rows_changed;
  void* columns;
  char* error_message;
  void* internal_data;
};

using DeleteCallback = void (*)(void*);

// F(type of the result, name without `duckdb_`, parameters)
#define STRUCTTENSOR_DUCKDB_FUNCTIONS(F)                                                                        \
  F(const char*, library_version, ())                                                                           \
  F(State, open, (const char* path, Database*))                                                                 \
  F(void, close, (Database*))                                                                                   \
  F(State, connect, (Database, Connection*))                                                                    \
  F(void, disconnect, (Connection*))                                                                            \
  F(State, query, (Connection, const char* sql, Result*))                                                       \
  F(State, prepare, (Connection, const char* sql, Prepared*))                                                   \
  F(const char*, prepare_error, (Prepared))                                                                     \
  F(void, destroy_prepare, (Prepared*))                                                                         \
  F(State, execute_prepared_streaming, (Prepared, Result*))                                                     \
  F(const char*, result_error, (Result*))                                                                       \
  F(Chunk, fetch_chunk, (Result))                                                                               \
  F(void, destroy_result, (Result*))                                                                            \
  F(uint64_t, column_count, (Result*))                                                                          \
  F(const char*, column_name, (Result*, uint64_t column))                                                       \
  F(LogicalType, column_logical_type, (Result*, uint64_t column))                                               \
  F(void, destroy_logical_type, (LogicalType*))                                                                 \
  F(Chunk, create_data_chunk, (LogicalType*, uint64_t count))                                                   \
  F(uint64_t, data_chunk_get_size, (Chunk))                                                                     \
  F(void, data_chunk_set_size, (Chunk, uint64_t size))                                                          \
  F(Vector, data_chunk_get_vector, (Chunk, uint64_t column))                                                    \
  F(void, destroy_data_chunk, (Chunk*))                                                                         \
  F(uint64_t, vector_size, ())                                                                                  \
  F(LogicalType, vector_get_column_type, (Vector))                                                              \
  F(void, vector_reference_vector, (Vector to, Vector from))                                                    \
  F(void, connection_get_arrow_options, (Connection, ArrowOptions*))                                            \
  F(void, destroy_arrow_options, (ArrowOptions*))                                                               \
  F(ErrorData, to_arrow_schema, (ArrowOptions, LogicalType*, const char** names, uint64_t count, ArrowSchema*)) \
  F(ErrorData, data_chunk_to_arrow, (ArrowOptions, Chunk, ArrowArray*))                                         \
  F(ErrorData, schema_from_arrow, (Connection, ArrowSchema*, ConvertedSchema*))                                 \
  F(ErrorData, data_chunk_from_arrow, (Connection, ArrowArray*, ConvertedSchema, Chunk*))                       \
  F(void, destroy_arrow_converted_schema, (ConvertedSchema*))                                                   \
  F(const char*, error_data_message, (ErrorData))                                                               \
  F(void, destroy_error_data, (ErrorData*))                                                                     \
  F(TableFunction, create_table_function, ())                                                                   \
  F(void, destroy_table_function, (TableFunction*))                                                             \
  F(void, table_function_set_name, (TableFunction, const char* name))                                           \
  F(void, table_function_set_extra_info, (TableFunction, void* info, DeleteCallback))                           \
  F(void, table_function_set_bind, (TableFunction, void (*)(BindInfo)))                                         \
  F(void, table_function_set_init, (TableFunction, void (*)(InitInfo)))                                         \
  F(void, table_function_set_function, (TableFunction, void (*)(FunctionInfo, Chunk)))                          \
  F(void, table_function_supports_projection_pushdown, (TableFunction, bool))                                   \
  F(State, register_table_function, (Connection, TableFunction))                                                \
  F(void*, bind_get_extra_info, (BindInfo))                                                                     \
  F(void, bind_add_result_column, (BindInfo, const char* name, LogicalType))                                    \
  F(void*, init_get_extra_info, (InitInfo))                                                                     \
  F(uint64_t, init_get_column_count, (InitInfo))                                                                \
  F(uint64_t, init_get_column_index, (InitInfo, uint64_t position))                                             \
  F(void, init_set_init_data, (InitInfo, void* data, DeleteCallback))                                           \
  F(void, init_set_error, (InitInfo, const char* error))                                                        \
  F(void*, function_get_init_data, (FunctionInfo))                                                              \
  F(void, function_set_error, (FunctionInfo, const char* error))

struct CApi {
#define STRUCTTENSOR_DUCKDB_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  STRUCTTENSOR_DUCKDB_FUNCTIONS(STRUCTTENSOR_DUCKDB_MEMBER)
#undef STRUCTTENSOR_DUCKDB_MEMBER
};

// Loads the library for the rest of the process, because its threads may live that long. A process can use one library:
// DuckDB's callbacks do not say which library calls.
// Errors: NotFound if the system cannot load the library; FailedPrecondition if it lacks one of the functions, or if another
//   one is loaded. Messages name the library.
absl::Status LoadApi(const std::string& library);

// Requires: LoadApi has succeeded.
const CApi& Api();

}  // namespace structtensor::duckdb_internal

#endif  // STRUCTTENSOR_IO_DUCKDB_INTERNAL_C_API_H_
