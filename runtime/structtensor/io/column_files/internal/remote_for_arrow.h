// Remote files as input files of Arrow C++.
#ifndef STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_REMOTE_FOR_ARROW_H_
#define STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_REMOTE_FOR_ARROW_H_

#include <arrow/io/interfaces.h>
#include <arrow/result.h>

#include <memory>
#include <string>

namespace structtensor::column_files_internal {

// Opens the file at a remote path through RemoteFiles, whatever library that uses. Errors: the library's, as an IOError.
arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenRemoteForArrow(const std::string& path);

}  // namespace structtensor::column_files_internal

#endif  // STRUCTTENSOR_IO_COLUMN_FILES_INTERNAL_REMOTE_FOR_ARROW_H_
