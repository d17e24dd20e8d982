#include "arrow_types.h"

#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace structtensor::command {
namespace {

struct NamesOfType {
  std::string_view format;  // of the Arrow C data interface
  const char* arrow;
  const char* spark;  // Spark has no unsigned numbers
  const char* sql;
};

constexpr NamesOfType kPlainTypes[] = {
    {"b", "bool", "BOOLEAN", "BOOLEAN"},
    {"c", "int8", "TINYINT", "TINYINT"},
    {"C", "uint8", "SMALLINT", "UTINYINT"},
    {"s", "int16", "SMALLINT", "SMALLINT"},
    {"S", "uint16", "INT", "USMALLINT"},
    {"i", "int32", "INT", "INTEGER"},
    {"I", "uint32", "BIGINT", "UINTEGER"},
    {"l", "int64", "BIGINT", "BIGINT"},
    {"L", "uint64", "DECIMAL(20,0)", "UBIGINT"},
    {"e", "halffloat", "FLOAT", "FLOAT"},
    {"f", "float", "FLOAT", "FLOAT"},
    {"g", "double", "DOUBLE", "DOUBLE"},
    {"u", "string", "STRING", "VARCHAR"},
    {"U", "large_string", "STRING", "VARCHAR"},
    {"z", "binary", "BINARY", "BLOB"},
    {"Z", "large_binary", "BINARY", "BLOB"},
    {"tss:UTC", "timestamp[s, tz=UTC]", "TIMESTAMP", "TIMESTAMPTZ"},
    {"tsm:UTC", "timestamp[ms, tz=UTC]", "TIMESTAMP", "TIMESTAMPTZ"},
    {"tsu:UTC", "timestamp[us, tz=UTC]", "TIMESTAMP", "TIMESTAMPTZ"},
    {"tsn:UTC", "timestamp[ns, tz=UTC]", "TIMESTAMP", "TIMESTAMPTZ"},
    {"tDs", "duration[s]", "INTERVAL DAY TO SECOND", "INTERVAL"},
    {"tDm", "duration[ms]", "INTERVAL DAY TO SECOND", "INTERVAL"},
    {"tDu", "duration[us]", "INTERVAL DAY TO SECOND", "INTERVAL"},
    {"tDn", "duration[ns]", "INTERVAL DAY TO SECOND", "INTERVAL"},
};

bool IsNullable(const ArrowSchema& column) { return (column.flags & ARROW_FLAG_NULLABLE) != 0; }

std::string Quoted(std::string_view name, TypeDialect dialect) {
  switch (dialect) {
    case TypeDialect::kArrow:
      break;
    case TypeDialect::kSpark:
      return absl::StrCat("`", absl::StrReplaceAll(std::string(name), {{"`", "``"}}), "`");
    case TypeDialect::kSql:
      return absl::StrCat("\"", absl::StrReplaceAll(std::string(name), {{"\"", "\"\""}}), "\"");
  }
  return std::string(name);
}

std::string NotNull(const ArrowSchema& column, TypeDialect dialect) {
  if (IsNullable(column)) return "";
  return dialect == TypeDialect::kArrow ? " not null" : " NOT NULL";
}

// The type of a list. `arrow_name`: Arrow's name for this kind of list. `size`: the number of items in each list, "" for any
// number.
std::string ListText(const ArrowSchema& column, const std::string& arrow_name, const std::string& size, TypeDialect dialect) {
  const ArrowSchema& item = *column.children[0];
  const std::string type = TypeText(item, dialect);
  switch (dialect) {
    case TypeDialect::kArrow:
      return absl::StrCat(arrow_name, "<", item.name, ": ", type, NotNull(item, dialect), ">",
                          size.empty() ? "" : absl::StrCat("[", size, "]"));
    case TypeDialect::kSpark:
      return absl::StrCat("ARRAY<", type, ">");
    case TypeDialect::kSql:
      break;
  }
  return absl::StrCat(type, "[", size, "]");
}

std::string StructText(const ArrowSchema& column, TypeDialect dialect) {
  std::string text;
  for (int64_t i = 0; i < column.n_children; ++i) {
    const ArrowSchema& field = *column.children[i];
    if (i > 0) text += ", ";
    absl::StrAppend(&text, Quoted(field.name, dialect), dialect == TypeDialect::kSql ? " " : ": ", TypeText(field, dialect));
    if (dialect != TypeDialect::kSql) text += NotNull(field, dialect);
  }
  switch (dialect) {
    case TypeDialect::kArrow:
      return absl::StrCat("struct<", text, ">");
    case TypeDialect::kSpark:
      return absl::StrCat("STRUCT<", text, ">");
    case TypeDialect::kSql:
      break;
  }
  // DuckDB has no struct without fields.
  return text.empty() ? "STRUCT(\"empty\" BOOLEAN)" : absl::StrCat("STRUCT(", text, ")");
}

}  // namespace

std::string TypeText(const ArrowSchema& column, TypeDialect dialect) {
  const std::string_view format = column.format;
  if (column.dictionary != nullptr) {  // SQL and Spark read the values of a dictionary
    const std::string values = TypeText(*column.dictionary, dialect);
    if (dialect != TypeDialect::kArrow) return values;
    ArrowSchema indices = column;
    indices.dictionary = nullptr;
    return absl::StrCat("dictionary<values=", values, ", indices=", TypeText(indices, dialect), ">");
  }
  for (const NamesOfType& type : kPlainTypes) {
    if (type.format != format) continue;
    return dialect == TypeDialect::kArrow ? type.arrow : dialect == TypeDialect::kSpark ? type.spark : type.sql;
  }
  if (format.starts_with("w:")) {
    return dialect == TypeDialect::kArrow   ? absl::StrCat("fixed_size_binary[", std::string(format.substr(2)), "]")
           : dialect == TypeDialect::kSpark ? "BINARY"
                                            : "BLOB";
  }
  if (format == "+s") return StructText(column, dialect);
  if (format == "+l") return ListText(column, "list", "", dialect);
  if (format == "+L") return ListText(column, "large_list", "", dialect);
  if (format.starts_with("+w:")) return ListText(column, "fixed_size_list", std::string(format.substr(3)), dialect);
  if (format == "+m") {
    const ArrowSchema& key = *column.children[0]->children[0];
    const ArrowSchema& value = *column.children[0]->children[1];
    const char* const open = dialect == TypeDialect::kSql ? "(" : "<";
    const char* const close = dialect == TypeDialect::kSql ? ")" : ">";
    return absl::StrCat(dialect == TypeDialect::kArrow ? "map" : "MAP", open, TypeText(key, dialect), ", ",
                        TypeText(value, dialect), close);
  }
  return absl::StrCat("unknown (", std::string(format), ")");
}

std::string ColumnsText(const ArrowSchema& schema, TypeDialect dialect, const std::string& table) {
  std::string text;
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& column = *schema.children[i];
    const bool last = i + 1 == schema.n_children;
    const char* const indent = dialect == TypeDialect::kSql ? "  " : "";
    absl::StrAppend(&text, indent, Quoted(column.name, dialect), dialect == TypeDialect::kArrow ? ": " : " ",
                    TypeText(column, dialect), NotNull(column, dialect), dialect == TypeDialect::kArrow || last ? "\n" : ",\n");
  }
  if (dialect == TypeDialect::kSql) return absl::StrCat("CREATE TABLE ", Quoted(table, dialect), " (\n", text, ");\n");
  return text;
}

Json ColumnsJson(const ArrowSchema& schema) {
  Json columns = Json::array();
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& column = *schema.children[i];
    Json document = {{"name", column.name}, {"type", TypeText(column, TypeDialect::kArrow)}, {"nullable", IsNullable(column)}};
    if (column.n_children > 0) document["fields"] = ColumnsJson(column);
    columns.push_back(std::move(document));
  }
  return columns;
}

}  // namespace structtensor::command
