// Where Arrow gets its memory.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_ARROW_POOL_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_ARROW_POOL_H_

#include <arrow/memory_pool.h>

namespace structtensor::column_files_internal {

// The system's malloc. Arrow's default pool keeps pages for each size of a buffer, and where pages are huge, the kernel clears
// 2 MB for each.
inline arrow::MemoryPool* ArrowPool() { return arrow::system_memory_pool(); }

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_ARROW_POOL_H_
