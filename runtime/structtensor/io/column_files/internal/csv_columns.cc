#include "structtensor/io/column_files/internal/csv_columns.h"

#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/memory_pool.h>
#include <arrow/util/base64.h>

#include <string>
#include <utility>

#include "structtensor/core/field_path/field_path.h"
#include "structtensor/tensor/values/shared/json_scalar.h"

namespace structtensor::column_files_internal {
namespace {

// Names with a dot are quoted as in field paths, so that a column "a.b" is not taken for field b of a message a. Other names
// stay as they are, because people look for them in this form.
std::string PathOf(const std::string& name) {
  if (name.starts_with('[') || name.find_first_of(".\"") == std::string::npos) return name;
  std::string path;
  AppendField(name, path);
  return path;
}

arrow::Status AddFields(const arrow::FieldVector& fields, const std::string& above, arrow::FieldVector& columns) {
  for (const std::shared_ptr<arrow::Field>& field : fields) {
    const std::string path = above.empty() ? PathOf(field->name()) : above + "." + PathOf(field->name());
    const arrow::Type::type type = field->type()->id();
    if (type == arrow::Type::STRUCT) {
      ARROW_RETURN_NOT_OK(AddFields(field->type()->fields(), path, columns));
    } else if (type == arrow::Type::BINARY || type == arrow::Type::LARGE_BINARY || type == arrow::Type::DURATION) {
      columns.push_back(arrow::field(path, arrow::utf8()));
    } else if (field->type()->num_fields() > 0) {
      return arrow::Status::TypeError("CSV cannot hold the repeated field ", path,
                                      ": leave it out with `select` or `drop`, or write Parquet, Arrow or JSON lines");
    } else {
      columns.push_back(field->WithName(path));
    }
  }
  return arrow::Status::OK();
}

template <typename Binary>
arrow::Result<std::shared_ptr<arrow::Array>> ToBase64(const Binary& values) {
  arrow::StringBuilder strings;
  for (int64_t i = 0; i < values.length(); ++i) {
    ARROW_RETURN_NOT_OK(values.IsNull(i) ? strings.AppendNull()
                                         : strings.Append(arrow::util::base64_encode(values.GetView(i))));
  }
  return strings.Finish();
}

TimeUnit UnitOf(const arrow::Array& values) {
  switch (static_cast<const arrow::DurationType&>(*values.type()).unit()) {
    case arrow::TimeUnit::SECOND:
      return TimeUnit::kSeconds;
    case arrow::TimeUnit::MILLI:
      return TimeUnit::kMilliseconds;
    case arrow::TimeUnit::MICRO:
      return TimeUnit::kMicroseconds;
    case arrow::TimeUnit::NANO:
      break;
  }
  return TimeUnit::kNanoseconds;
}

// "1.5s": a number would not say its unit.
arrow::Result<std::shared_ptr<arrow::Array>> DurationStrings(const arrow::DurationArray& values) {
  arrow::StringBuilder strings;
  std::string quoted;
  for (int64_t i = 0; i < values.length(); ++i) {
    quoted.clear();
    if (!values.IsNull(i)) values_internal::AppendJsonDuration(values.Value(i), UnitOf(values), quoted);
    ARROW_RETURN_NOT_OK(values.IsNull(i) ? strings.AppendNull() : strings.Append(quoted.substr(1, quoted.size() - 2)));
  }
  return strings.Finish();
}

arrow::Status AddColumns(const std::shared_ptr<arrow::Array>& array, arrow::ArrayVector& columns) {
  const arrow::Type::type type = array->type_id();
  if (type == arrow::Type::STRUCT) {
    ARROW_ASSIGN_OR_RAISE(const arrow::ArrayVector fields,
                          static_cast<const arrow::StructArray&>(*array).Flatten(arrow::default_memory_pool()));
    for (const std::shared_ptr<arrow::Array>& field : fields) ARROW_RETURN_NOT_OK(AddColumns(field, columns));
  } else if (type == arrow::Type::BINARY) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), ToBase64(static_cast<const arrow::BinaryArray&>(*array)));
  } else if (type == arrow::Type::LARGE_BINARY) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), ToBase64(static_cast<const arrow::LargeBinaryArray&>(*array)));
  } else if (type == arrow::Type::DURATION) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), DurationStrings(static_cast<const arrow::DurationArray&>(*array)));
  } else {
    columns.push_back(array);
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::Schema>> CsvSchemaOf(const arrow::Schema& schema) {
  arrow::FieldVector columns;
  ARROW_RETURN_NOT_OK(AddFields(schema.fields(), "", columns));
  return arrow::schema(std::move(columns));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> CsvRowsOf(const arrow::RecordBatch& batch,
                                                             std::shared_ptr<arrow::Schema> schema) {
  arrow::ArrayVector columns;
  for (const std::shared_ptr<arrow::Array>& column : batch.columns()) ARROW_RETURN_NOT_OK(AddColumns(column, columns));
  return arrow::RecordBatch::Make(std::move(schema), batch.num_rows(), std::move(columns));
}

}  // namespace structtensor::column_files_internal
