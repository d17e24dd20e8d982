#include "structtensor/tensor/values/text.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "absl/strings/str_cat.h"
#include "structtensor/tensor/values/shared/json_scalar.h"

namespace structtensor {
namespace {

constexpr std::string_view kEllipsis = "…";
constexpr size_t kMaxCellWidth = 32;

bool IsContinuationByte(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

// The width in code points.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuationByte(c); }));
}

// Text of this many bytes has more than max_width code points, so that CutToWidth sees that something was left out.
constexpr size_t BytesFor(size_t max_width) { return 4 * (max_width + 1); }

// At most max_width code points; an ellipsis takes the place of the last one if any are cut. Requires: max_width >= 1.
std::string CutToWidth(std::string_view text, size_t max_width) {
  if (Width(text) <= max_width) return std::string(text);
  size_t end = 0;
  for (size_t width = 0; end < text.size(); ++end) {
    if (!IsContinuationByte(text[end]) && ++width == max_width) break;
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

// The text of a cell: JSON, or for a single string the string itself. Cut to max_width.
std::string Cell(const Value& value, int64_t row, size_t max_width) {
  const Tensor* tensor = value.tensor();
  std::string text;
  if (tensor != nullptr && tensor->dtype() == DType::kString && tensor->rank() == 1 && tensor->is_valid(row)) {
    AppendPrintable(tensor->string_at(row).substr(0, BytesFor(max_width)), text);
  } else {
    AppendJson(value, row, text, {.unwrap_optional = true, .max_bytes = BytesFor(max_width)});
  }
  return CutToWidth(text, max_width);
}

struct Column {
  std::vector<std::string> cells;  // the name comes first
  size_t width = 0;

  void Add(std::string cell) {
    width = std::max(width, Width(cell));
    cells.push_back(std::move(cell));
  }
};

Column MakeColumn(const StructuredTensor& value, size_t field, int64_t nrows, size_t max_width) {
  Column column;
  std::string name;
  AppendPrintable(value.field_names()[field], name);
  column.Add(CutToWidth(name, max_width));
  for (int64_t row = 0; row < nrows; ++row) {
    column.Add(value.validity().is_valid(row) ? Cell(value.flat_field(field), row, max_width) : "null");
  }
  return column;
}

// "… and 2 more fields: a, b", with as many names as the width has room for.
std::string OmittedFields(const std::vector<std::string>& names, size_t first, size_t max_width) {
  const size_t count = names.size() - first;
  std::string line = absl::StrCat(std::string(kEllipsis), " and ", count, count == 1 ? " more field: " : " more fields: ");
  for (size_t i = first; i < names.size() && Width(line) <= max_width; ++i) {
    if (i > first) line += ", ";
    AppendPrintable(names[i], line);
  }
  return CutToWidth(line, std::max(max_width, size_t{1}));
}

}  // namespace

std::string DebugString(const Value& value) {
  constexpr size_t kMaxWidth = 200;
  if (value.extension() != nullptr) {
    return absl::StrCat("ExtensionType(", CutToWidth(value.extension()->spec()->DebugString(), kMaxWidth),
                        ", shape=", value.shape().DebugString(), ")");
  }
  const std::string_view kind = value.tensor() != nullptr   ? "Tensor("
                                : value.ragged() != nullptr ? "RaggedTensor("
                                                            : "StructuredTensor(";
  std::string text(kind);
  text += CutToWidth(ToJson(value, {.max_bytes = BytesFor(kMaxWidth)}), kMaxWidth);
  absl::StrAppend(&text, ", shape=", value.shape().DebugString());
  if (const Tensor* tensor = value.tensor()) absl::StrAppend(&text, ", dtype=", std::string(DTypeName(tensor->dtype())));
  if (const RaggedTensor* ragged = value.ragged()) absl::StrAppend(&text, ", dtype=", std::string(DTypeName(ragged->dtype())));
  return text + ")";
}

std::string FormatTable(const StructuredTensor& value, int64_t max_rows, size_t max_width_columns) {
  assert(value.rank() == 1);
  const int64_t nrows = std::clamp<int64_t>(max_rows, 0, value.nrows());
  const size_t max_cell_width = std::clamp<size_t>(max_width_columns, 1, kMaxCellWidth);
  constexpr size_t kGap = 2;

  std::vector<Column> columns;
  size_t width = 0;
  while (columns.size() < value.num_fields()) {
    Column column = MakeColumn(value, columns.size(), nrows, max_cell_width);
    const size_t new_width = width + column.width + (columns.empty() ? 0 : kGap);
    if (!columns.empty() && new_width > max_width_columns) break;
    width = new_width;
    columns.push_back(std::move(column));
  }

  // The rest of the line is divided equally among the columns that may have been cut.
  std::vector<size_t> full;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].width == max_cell_width) full.push_back(i);
  }
  const size_t share = full.empty() || width >= max_width_columns ? 0 : (max_width_columns - width) / full.size();
  for (const size_t i : full) {
    if (share != 0) columns[i] = MakeColumn(value, i, nrows, max_cell_width + share);
  }

  std::string table;
  for (size_t line = 0; !columns.empty() && line <= static_cast<size_t>(nrows); ++line) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string& cell = columns[i].cells[line];
      table += cell;
      if (i + 1 < columns.size()) table.append(columns[i].width - Width(cell) + kGap, ' ');
    }
    table += '\n';
  }
  if (nrows < value.nrows()) {
    const int64_t count = value.nrows() - nrows;
    absl::StrAppend(&table, std::string(kEllipsis), " and ", count, count == 1 ? " more row\n" : " more rows\n");
  }
  if (columns.size() < value.num_fields()) {
    table += OmittedFields(value.field_names(), columns.size(), max_width_columns) + "\n";
  }
  return table;
}

}  // namespace structtensor
