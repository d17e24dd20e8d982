// Values as JSON. The writer passes row ranges down, and makes no values on the way.
#include <string>

#include "structtensor/tensor/values/shared/json_scalar.h"
#include "structtensor/tensor/values/text.h"

namespace structtensor {
namespace {

class JsonWriter {
 public:
  JsonWriter(std::string& out, const JsonOptions& options)
      : out_(out),
        options_(options),
        end_bytes_(options.max_bytes < SIZE_MAX - out.size() ? out.size() + options.max_bytes : SIZE_MAX) {}

  // Row `row` of axis 0.
  void Row(const Value& value, int64_t row) {
    if (value.tensor() != nullptr) return Row(*value.tensor(), row);
    if (value.ragged() != nullptr) return Row(*value.ragged(), row);
    if (value.structured() != nullptr) return Row(*value.structured(), row);
    Row(*value.extension(), row);
  }

  // A whole value: a list of its rows, or for a scalar the value itself.
  void Whole(const Value& value) {
    if (value.rank() == 0) return Row(value, 0);
    List({0, value.nrows()}, [&](int64_t row) { Row(value, row); });
  }

  // Only the owner of an extension type knows what its values mean, so their components are written.
  void Row(const ExtensionType& value, int64_t row) {
    const std::shared_ptr<const ExtensionValueSpec> spec = value.spec();
    if (value.rank() == 0) return Components(spec->ToComponents(value), [this](const Value& component) { Whole(component); });
    // Goes down to single elements, so that lists are the axes, and their items are what Row() gives.
    if (value.rank() > 1 || spec->row_rule() == RowRule::kOwnRows) return Whole(value.Row(row));
    Components(spec->ToComponents(value), [this, row](const Value& component) { Row(component, row); });
  }

  void Row(const Tensor& tensor, int64_t row) {
    if (tensor.rank() <= 1) {
      Element(tensor, row);
    } else {
      Block(tensor, 1, row);
    }
  }

  void Row(const RaggedTensor& ragged, int64_t row) { PartitionRow(ragged, 0, row); }

  void Row(const StructuredTensor& structs, int64_t row) {
    if (structs.row_partitions().empty()) {
      Struct(structs, row);
    } else {
      PartitionRow(structs, 0, row);
    }
  }

 private:
  bool full() const { return out_.size() >= end_bytes_; }
  // The beginning of a string, as far as there is room: a preview of a huge string must not read all of it.
  std::string_view WithinLimit(std::string_view text) const { return full() ? "" : text.substr(0, end_bytes_ - out_.size()); }

  // [item(begin), ..., item(end - 1)]
  template <typename Item>
  void List(RowRange range, Item item) {
    out_ += '[';
    for (int64_t i = range.begin; i < range.end && !full(); ++i) {
      if (i > range.begin) out_ += ',';
      item(i);
    }
    out_ += ']';
  }

  // A single component is written instead of the value. A dict becomes an object, tuples and lists become lists.
  template <typename Leaf>
  void Components(const Nest<Value>& components, const Leaf& leaf) {
    if (components.kind() == NestKind::kNone) {
      out_ += "null";
      return;
    }
    if (components.is_leaf()) return leaf(components.leaf());
    const bool named = components.kind() == NestKind::kDict;
    out_ += named ? '{' : '[';
    for (size_t i = 0; i < components.items().size() && !full(); ++i) {
      if (i > 0) out_ += ',';
      if (named) {
        AppendJsonString(components.names()[i], out_);
        out_ += ':';
      }
      Components(components.items()[i], leaf);
    }
    out_ += named ? '}' : ']';
  }

  // Writes the elements with index `block` on the axes before `axis`. These axes count as one axis, in row-major order.
  void Block(const Tensor& tensor, int axis, int64_t block) {
    if (axis == tensor.rank()) {
      Element(tensor, block);
      return;
    }
    const int64_t length = tensor.shape()[axis];
    List({block * length, (block + 1) * length}, [&](int64_t i) { Block(tensor, axis + 1, i); });
  }

  // Returns the element alone: a preview of a view must not make the whole view contiguous.
  static Tensor ElementOfView(const Tensor& view, int64_t i) {
    Tensor element = view;
    int64_t block_size = view.size_elements();
    while (element.rank() > 0) {
      block_size /= element.shape()[0];
      const int64_t position = i / block_size;
      i %= block_size;
      element = element.SelectAxis(0, position);
    }
    return element;
  }

  void Element(const Tensor& tensor, int64_t i) {
    if (!tensor.is_contiguous() && options_.max_bytes != SIZE_MAX) return Element(ElementOfView(tensor, i), 0);
    if (!tensor.is_valid(i)) {
      out_ += "null";
      return;
    }
    const size_t index = static_cast<size_t>(i);
    switch (tensor.dtype()) {
      case DType::kBool:
        out_ += tensor.values<uint8_t>()[index] != 0 ? "true" : "false";
        return;
      case DType::kString:
        AppendJsonString(WithinLimit(tensor.string_at(i)), out_);
        return;
      case DType::kBytes:
        values_internal::AppendJsonBase64(WithinLimit(tensor.string_at(i)), out_);
        return;
      case DType::kTimestampNs:
      case DType::kTimestampUs:
      case DType::kTimestampMs:
      case DType::kTimestampS:
        values_internal::AppendJsonTimestamp(tensor.values<int64_t>()[index], TimeUnitOf(tensor.dtype()), out_);
        return;
      case DType::kDurationNs:
      case DType::kDurationUs:
      case DType::kDurationMs:
      case DType::kDurationS:
        values_internal::AppendJsonDuration(tensor.values<int64_t>()[index], TimeUnitOf(tensor.dtype()), out_);
        return;
      case DType::kInt32:
      case DType::kInt64:
      case DType::kUint32:
      case DType::kUint64:
      case DType::kFloat:
      case DType::kDouble:
      case DType::kFloat16:
      case DType::kBfloat16:
        VisitStoredType(tensor.dtype(),
                        [&]<typename T>() { values_internal::AppendJsonNumber(tensor.values<T>()[index], out_); });
        return;
    }
  }

  // The rows below the last partition of a ragged or structured tensor.
  void Innermost(const RaggedTensor& ragged, int64_t row) { Row(ragged.flat_values(), row); }
  void Innermost(const StructuredTensor& structs, int64_t row) { Struct(structs, row); }

  // Row `row` of row partition `level`. Partitioned: RaggedTensor or StructuredTensor.
  template <typename Partitioned>
  void PartitionRow(const Partitioned& value, size_t level, int64_t row) {
    const RowPartition& partition = value.row_partitions()[level];
    const bool innermost = level + 1 == value.row_partitions().size();
    const RowRange range = partition.row(row);
    const auto item = [&](int64_t i) {
      if (innermost) {
        Innermost(value, i);
      } else {
        PartitionRow(value, level + 1, i);
      }
    };
    if (partition.is_optional() && options_.unwrap_optional) {
      if (range.size() == 0) {
        out_ += "null";
      } else {
        item(range.begin);
      }
    } else if (innermost && IsMap(value)) {
      Map(value, range);
    } else {
      List(range, item);
    }
  }

  static bool IsMap(const RaggedTensor&) { return false; }
  // Entries are ordinary structs if a projection has left out their key or value, or if their keys are not scalars.
  static bool IsMap(const StructuredTensor& structs) {
    if (structs.kind() != StructKind::kMapEntry || structs.num_fields() != 2 || structs.field_names()[0] != "key" ||
        structs.field_names()[1] != "value") {
      return false;
    }
    const Tensor* key = structs.flat_field(0).tensor();
    return key != nullptr && key->rank() <= 1;
  }

  void Map(const RaggedTensor&, RowRange) {}
  void Map(const StructuredTensor& entries, RowRange range) {
    out_ += '{';
    for (int64_t i = range.begin; i < range.end && !full(); ++i) {
      if (i > range.begin) out_ += ',';
      const size_t key_begin = out_.size();
      Row(entries.flat_field(0), i);
      // Names in JSON are strings.
      if (out_[key_begin] != '"') {
        out_.insert(key_begin, 1, '"');
        out_ += '"';
      }
      out_ += ':';
      Row(entries.flat_field(1), i);
    }
    out_ += '}';
  }

  void Struct(const StructuredTensor& structs, int64_t flat_row) {
    if (!structs.validity().is_valid(flat_row)) {
      out_ += "null";
      return;
    }
    if (IsMap(structs)) {
      Map(structs, {flat_row, flat_row + 1});
      return;
    }
    out_ += '{';
    const std::vector<std::string>& names = structs.field_names();
    for (size_t i = 0; i < names.size() && !full(); ++i) {
      if (i > 0) out_ += ',';
      AppendJsonString(names[i], out_);
      out_ += ':';
      Row(structs.flat_field(i), flat_row);
    }
    out_ += '}';
  }

  std::string& out_;
  const JsonOptions& options_;
  const size_t end_bytes_;
};

}  // namespace

void AppendJson(const Value& value, int64_t row, std::string& out, const JsonOptions& options) {
  JsonWriter(out, options).Row(value, row);
}

void AppendJson(const StructuredTensor& value, int64_t row, std::string& out, const JsonOptions& options) {
  JsonWriter(out, options).Row(value, row);
}

std::string ToJson(const Value& value, const JsonOptions& options) {
  std::string out;
  if (value.rank() == 0) {
    AppendJson(value, 0, out, options);
    return out;
  }
  JsonWriter writer(out, options);
  out += '[';
  for (int64_t row = 0; row < value.nrows() && out.size() < options.max_bytes; ++row) {
    if (row > 0) out += ',';
    writer.Row(value, row);
  }
  out += ']';
  return out;
}

}  // namespace structtensor
