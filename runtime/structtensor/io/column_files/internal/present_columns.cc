#include "structtensor/io/column_files/internal/present_columns.h"

#include <arrow/util/config.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <memory>

#if ARROW_VERSION_MAJOR >= 20
#include <parquet/size_statistics.h>
#endif

namespace structtensor::column_files_internal {
namespace {

using parquet::schema::GroupNode;
using parquet::schema::Node;

#if ARROW_VERSION_MAJOR >= 20
// Whether the counts, which are not negative, add up to `sum`.
bool SumIs(const std::vector<int64_t>& counts, int64_t sum) {
  for (const int64_t count : counts) {
    if (count > sum) return false;
    sum -= count;
  }
  return sum == 0;
}
#endif

// Whether a column chunk has values, according to its statistics.
enum class Values { kUnknown, kNone, kSome };

Values ValuesOf(const parquet::ColumnChunkMetaData& chunk, int64_t number_of_rows) {
  if (!chunk.is_stats_set()) return Values::kUnknown;
  const auto statistics = chunk.statistics();
  if (!statistics->HasNullCount()) return Values::kUnknown;
  if (statistics->null_count() != chunk.num_values()) return Values::kSome;
  // A range of values, or fewer levels than rows: then the count is wrong.
  return statistics->HasMinMax() || chunk.num_values() < number_of_rows ? Values::kUnknown : Values::kNone;
}

// The greatest definition level in a column, or a level that is not less. Metadata that contradict each other say nothing.
int GreatestLevel(const parquet::ColumnChunkMetaData& chunk, const parquet::ColumnDescriptor& column, int64_t number_of_rows) {
  const int max_level = column.max_definition_level();
  if (max_level == 0 || ValuesOf(chunk, number_of_rows) != Values::kNone) return max_level;
#if ARROW_VERSION_MAJOR >= 20
  if (const auto sizes = chunk.size_statistics(); sizes != nullptr) {
    const std::vector<int64_t>& counts = sizes->definition_level_histogram;
    const bool has_negative = std::any_of(counts.begin(), counts.end(), [](int64_t count) { return count < 0; });
    if (counts.size() == static_cast<size_t>(max_level) + 1 && !has_negative && counts.back() == 0 &&
        SumIs(counts, chunk.num_values())) {
      int level = max_level;
      while (level > 0 && counts[static_cast<size_t>(level)] == 0) --level;
      return level;
    }
  }
#endif
  return max_level - 1;
}

class Walk {
 public:
  Walk(const parquet::RowGroupMetaData& group, const parquet::SchemaDescriptor& schema) : group_(group), schema_(schema) {}

  // Adds the columns of a node. `level`: the definition level of its parent, where that is present. Returns the greatest level
  // in the columns of the node.
  int Add(const Node& node, int level) {
    if (!node.is_required()) ++level;
    if (node.is_primitive()) {
      const int column = next_column_++;
      const int greatest = GreatestLevel(*group_.ColumnChunk(column), *schema_.Column(column), group_.num_rows());
      if (greatest >= level) columns_.push_back(column);
      return greatest;
    }
    const size_t columns_before = columns_.size();
    const int first_column = next_column_;
    const auto& fields = static_cast<const GroupNode&>(node);
    int greatest = 0;
    for (int i = 0; i < fields.field_count(); ++i) greatest = std::max(greatest, Add(*fields.field(i), level));
    const bool has_none = columns_.size() == columns_before && next_column_ > first_column;
    const bool is_list = node.logical_type()->is_list() || node.logical_type()->is_map();
    if (has_none && greatest >= level && !(is_list && node.is_required())) columns_.push_back(first_column);
    return greatest;
  }

  std::vector<int> Take() {
    if (columns_.empty()) columns_.push_back(0);  // it has the number of rows
    return std::move(columns_);
  }

 private:
  const parquet::RowGroupMetaData& group_;
  const parquet::SchemaDescriptor& schema_;
  int next_column_ = 0;
  std::vector<int> columns_;
};

}  // namespace

std::vector<int> PresentColumns(const parquet::RowGroupMetaData& group, const parquet::SchemaDescriptor& schema) {
  Walk walk(group, schema);
  for (int i = 0; i < schema.group_node()->field_count(); ++i) walk.Add(*schema.group_node()->field(i), 0);
  return walk.Take();
}

}  // namespace structtensor::column_files_internal
