#include "structtensor/tensor/struct_ops/without.h"

#include <algorithm>

#include "structtensor/tensor/struct_ops/internal/nested_struct.h"
#include "structtensor/tensor/struct_ops/with_updates.h"

namespace structtensor {

absl::StatusOr<StructuredTensor> Without(const StructuredTensor& structs, std::span<const Path> paths) {
  std::vector<Update> deletions;
  deletions.reserve(paths.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    // A path inside another deleted path must exist too. It is then deleted together with the other path.
    bool covered = false;
    for (size_t j = 0; j < paths.size() && !covered; ++j) {
      covered = i != j && paths[i].StartsWith(paths[j]) && (paths[i].size() > paths[j].size() || j < i);
    }
    if (!covered) {
      deletions.push_back(Update::Delete(paths[i]));
    } else if (const auto found = struct_ops_internal::FindField(structs, paths[i]); !found.ok()) {
      return found.status();
    }
  }
  return WithUpdates(structs, deletions);
}

}  // namespace structtensor
