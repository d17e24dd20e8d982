// Detects the format of a column file. Does not use the Arrow library.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_SHARED_FILE_KIND_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_SHARED_FILE_KIND_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "structtensor/io/column_files/column_file.h"
#include "structtensor/io/column_files/column_file_reader.h"

namespace structtensor::column_files_internal {

struct OpenedFile {
  FileFormat format = FileFormat::kParquet;
  int64_t size_bytes = 0;
};

// Returns the format and size of a file. Errors: the errors of ColumnFileReader::Open that do not come from the format.
absl::StatusOr<OpenedFile> OpenedFileOf(const std::string& path, const ColumnFileReaderOptions& options);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_SHARED_FILE_KIND_H_
