// The row tables of one tree, and their memory.
#ifndef STRUCTTENSOR_CORE_COLUMN_INTERNAL_ROW_TABLES_H_
#define STRUCTTENSOR_CORE_COLUMN_INTERNAL_ROW_TABLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "structtensor/core/column/abi/row_table.h"
#include "structtensor/core/column/column_view.h"

namespace structtensor::column_internal {

class RowTables {
 public:
  // Several threads may call these at once.
  const RowTable* Of(const NodeView& node);
  void Fill(const RowTable& table, size_t index);
  const RowTable* MakeBelow(const RowTable& table, size_t index);

  // Forgets all tables and keeps their memory. Requires: no other thread uses the tree.
  void Reset();

 private:
  // Nodes that no data reached look alike: one table serves all such nodes of the same type and number of rows.
  using Key = std::tuple<const plan::MessagePlan*, const TreeNode*, uint32_t>;
  struct Chunk {
    std::unique_ptr<std::byte[]> bytes;
    size_t size_bytes;
  };

  RowTable* Find(const NodeView& node);
  static void FillField(const RowTable& table, size_t index, RowField& field);
  std::byte* Allocate(size_t size_bytes);

  std::atomic<const RowTable*> root_{nullptr};  // the table that is asked for most
  std::mutex mutex_;                            // guards the members below, and the filling of tables
  absl::flat_hash_map<Key, RowTable*> tables_;
  std::vector<Chunk> chunks_;
  size_t chunk_in_use_ = 0;  // index in chunks_
  size_t used_bytes_ = 0;    // of that chunk
};

}  // namespace structtensor::column_internal

#endif  // STRUCTTENSOR_CORE_COLUMN_INTERNAL_ROW_TABLES_H_
