#include "structtensor/app/convert/shared/field_stats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/field_path/field_path.h"
#include "structtensor/core/wire/shared/field_reader.h"
#include "structtensor/core/wire/shared/number_kinds.h"

namespace structtensor::convert_internal {
namespace field_stats_internal {

// A number as its kind reads it. `type` says which of the three members holds it.
struct Number {
  enum { kSigned, kUnsigned, kReal } type;
  int64_t as_signed = 0;
  uint64_t as_unsigned = 0;
  double as_real = 0;

  bool operator<(const Number& other) const {
    return type == kSigned     ? as_signed < other.as_signed
           : type == kUnsigned ? as_unsigned < other.as_unsigned
                               : as_real < other.as_real;
  }
};

}  // namespace field_stats_internal

namespace {

using field_stats_internal::Number;

constexpr int kMaxDepth = 16;
constexpr size_t kShownBytes = 40;

Number Signed(int64_t value) { return {.type = Number::kSigned, .as_signed = value}; }
Number Unsigned(uint64_t value) { return {.type = Number::kUnsigned, .as_unsigned = value}; }
Number Real(double value) { return {.type = Number::kReal, .as_real = value}; }

Number NumberOf(plan::Kind kind, uint64_t bits) {
  return wire_internal::VisitNumberKind(kind, [bits](auto number_kind) {
    const auto value = decltype(number_kind)::From(bits);
    using T = std::remove_const_t<decltype(value)>;
    if constexpr (std::is_floating_point_v<T>) {
      return Real(static_cast<double>(value));
    } else if constexpr (std::is_signed_v<T>) {
      return Signed(value);
    } else {
      return Unsigned(value);
    }
  });
}

std::string NumberText(const plan::FieldPlan& field, const Number& number) {
  if (field.kind == plan::Kind::kBool) return number.as_unsigned != 0 ? "true" : "false";
  if (field.enumeration != nullptr) {
    const std::string_view name = field.enumeration->Name(static_cast<int32_t>(number.as_signed));
    if (!name.empty()) return std::string(name);
  }
  switch (number.type) {
    case Number::kSigned:
      return absl::StrCat(number.as_signed);
    case Number::kUnsigned:
      return absl::StrCat(number.as_unsigned);
    case Number::kReal:
      break;
  }
  return absl::StrCat(number.as_real);
}

bool IsText(const plan::FieldPlan& field) { return field.kind == plan::Kind::kString || field.kind == plan::Kind::kBytes; }

}  // namespace

void DistinctEstimate::Add(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  Add(hash);
}

void DistinctEstimate::Add(uint64_t number) {
  // The finalizer of MurmurHash3, whose high bits are good; it leaves 0 as it is.
  uint64_t hash = number + 0x9e3779b97f4a7c15u;
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccdu;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53u;
  hash ^= hash >> 33;
  uint8_t& rank = ranks_[hash >> (64 - kBits)];
  const uint64_t rest = hash << kBits;
  rank = std::max(rank, static_cast<uint8_t>(std::min(std::countl_zero(rest), 64 - kBits) + 1));
}

int64_t DistinctEstimate::Estimate() const {
  const double m = static_cast<double>(ranks_.size());
  double sum = 0;
  int64_t empty = 0;
  for (const uint8_t rank : ranks_) {
    sum += std::ldexp(1.0, -rank);
    empty += rank == 0 ? 1 : 0;
  }
  const double raw = 0.7213 / (1 + 1.079 / m) * m * m / sum;
  // Few values: use the number of ranks that no value has reached.
  if (raw <= 2.5 * m && empty > 0) return std::llround(m * std::log(m / static_cast<double>(empty)));
  return std::llround(raw);
}

struct FieldStatsCollector::Column {
  int64_t present_in = 0;
  int64_t values = 0;
  int64_t wire_bytes = 0;
  int64_t longest = 0;
  int64_t in_this_message = 0;
  std::optional<Number> least;
  std::optional<Number> most;
  std::optional<std::string> least_text;
  std::optional<std::string> most_text;
  std::unique_ptr<DistinctEstimate> distinct;  // for scalars, once there is a value
  std::unique_ptr<Node> node;                  // for messages
};

struct FieldStatsCollector::Node {
  explicit Node(const plan::MessagePlan& plan) : message(plan) {}

  const plan::MessagePlan& message;
  int64_t messages = 0;
  std::map<uint32_t, Column> columns;  // the fields that were present, by index in the plan
  std::vector<uint32_t> touched;       // the columns that the current message has used
};

FieldStatsCollector::FieldStatsCollector(const plan::MessagePlan& message) : root_(std::make_unique<Node>(message)) {}
FieldStatsCollector::~FieldStatsCollector() = default;

void FieldStatsCollector::Add(std::string_view bytes) {
  ++messages_;
  Walk(bytes, *root_, 0);
}

FieldStatsCollector::Node* FieldStatsCollector::NodeOf(const plan::FieldPlan& field, Column& column) {
  constexpr int64_t kMaxNodes = 100'000;
  if (column.node == nullptr && nodes_ < kMaxNodes) {
    column.node = std::make_unique<Node>(*field.message);
    ++nodes_;
  }
  return column.node.get();
}

void FieldStatsCollector::Walk(std::string_view bytes, Node& node, int depth) {
  ++node.messages;
  // A message type that contains itself has a node for each depth, so no message around this one uses this node.
  node.touched.clear();
  wire_internal::Field value;
  for (wire_internal::FieldReader reader(bytes); !reader.AtEnd();) {
    const size_t begin = reader.offset();
    if (!reader.Next(&value)) break;
    const auto size_bytes = static_cast<int64_t>(reader.offset() - begin);
    const plan::FieldPlan* const field = node.message.FindByNumber(static_cast<int32_t>(value.number));
    // A value of another wire type is an unknown field to decoders, unless it is a packed run.
    const bool packed =
        field != nullptr && field->is_repeated() && !field->is_message() && !IsText(*field) && value.type == plan::kLen;
    const bool known = field != nullptr && !node.message.message_set && (value.type == plan::WireTypeOf(field->kind) || packed);
    if (!known) {
      unknown_bytes_ += size_bytes;
      continue;
    }
    const auto index = static_cast<uint32_t>(field - node.message.fields.data());
    Column& column = node.columns[index];
    if (column.in_this_message == 0) {
      node.touched.push_back(index);
      ++column.present_in;
    }
    const int64_t values_before = column.values;
    if (field->is_message()) {
      ++column.values;
      Node* const below = depth < kMaxDepth ? NodeOf(*field, column) : nullptr;
      if (below != nullptr) Walk(value.bytes, *below, depth + 1);
    } else if (packed) {
      const plan::WireType type = plan::WireTypeOf(field->kind);
      for (std::string_view run = value.bytes; !run.empty() && wire_internal::TakePacked(type, &run, &value.bits);) {
        AddNumber(*field, column, value.bits);
      }
    } else if (IsText(*field)) {
      AddText(column, value.bytes);
    } else {
      AddNumber(*field, column, value.bits);
    }
    column.wire_bytes += size_bytes;
    column.in_this_message += std::max<int64_t>(column.values - values_before, 1);
  }
  for (const uint32_t index : node.touched) {
    Column& column = node.columns[index];
    column.longest = std::max(column.longest, column.in_this_message);
    column.in_this_message = 0;
  }
}

DistinctEstimate& FieldStatsCollector::CountValue(Column& column) {
  ++column.values;
  if (column.distinct == nullptr) column.distinct = std::make_unique<DistinctEstimate>();
  return *column.distinct;
}

void FieldStatsCollector::AddText(Column& column, std::string_view text) {
  CountValue(column).Add(text);
  if (!column.least_text.has_value() || text < *column.least_text) column.least_text = std::string(text);
  if (!column.most_text.has_value() || text > *column.most_text) column.most_text = std::string(text);
}

void FieldStatsCollector::AddNumber(const plan::FieldPlan& field, Column& column, uint64_t bits) {
  CountValue(column).Add(bits);
  const Number number = NumberOf(field.kind, bits);
  if (std::isnan(number.as_real)) return;
  if (!column.least.has_value() || number < *column.least) column.least = number;
  if (!column.most.has_value() || *column.most < number) column.most = number;
}

std::vector<FieldStats> FieldStatsCollector::Fields() const {
  std::vector<FieldStats> fields;
  Append(*root_, "", fields);
  return fields;
}

void FieldStatsCollector::Append(const Node& node, const std::string& path, std::vector<FieldStats>& fields) const {
  for (const auto& [index, column] : node.columns) {
    const plan::FieldPlan& field = node.message.fields[index];
    FieldStats stats;
    stats.field = &field;
    stats.path = path;
    AppendField(field.name, stats.path);
    stats.messages = node.messages;
    stats.present_in = column.present_in;
    stats.values = column.values;
    stats.wire_bytes = column.wire_bytes;
    stats.longest = column.longest;
    if (column.least.has_value()) stats.least = NumberText(field, *column.least);
    if (column.most.has_value()) stats.most = NumberText(field, *column.most);
    if (column.least_text.has_value()) stats.least = column.least_text->substr(0, kShownBytes);
    if (column.most_text.has_value()) stats.most = column.most_text->substr(0, kShownBytes);
    if (column.distinct != nullptr) stats.distinct = std::min(column.distinct->Estimate(), column.values);
    fields.push_back(stats);
    if (column.node != nullptr) Append(*column.node, stats.path, fields);
  }
}

}  // namespace structtensor::convert_internal
