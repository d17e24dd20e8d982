// Lists the files in a folder or matching a pattern, on disk or in an object store.
#ifndef STRUCTTENSOR_IO_REMOTE_FILES_SHARED_LISTED_FILES_H_
#define STRUCTTENSOR_IO_REMOTE_FILES_SHARED_LISTED_FILES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace structtensor::remote_files_internal {

// An entry of a folder.
struct Listed {
  std::string name;
  bool is_folder = false;
  bool is_link = false;
};

// Returns the files and folders in a folder, in any order. `folder` is "" or ends with '/'. Errors: NotFound if there is no
// such folder.
using ListFolder = std::function<absl::StatusOr<std::vector<Listed>>(const std::string& folder)>;
// Returns whether the file exists. Null if only listing can show that.
using HasFile = std::function<bool(const std::string& path)>;

// Whether a name of a file or folder fits a pattern, in which '*' matches any characters, but not a '.' that begins the
// name. Cost: O(name * pattern).
bool FitsPattern(std::string_view name, std::string_view pattern);

// The files in `folder` and in folders named key=value in it, sorted. Leaves out files whose names begin with '.' or '_',
// copies of files that were not complete (base_internal::IsTemporaryName), folders whose names begin with '.', and links to
// folders. `folder` is as above.
absl::StatusOr<std::vector<std::string>> FilesInFolder(const ListFolder& list, const std::string& folder);

// The files that fit `pattern`, a path whose names may have '*', sorted. Where a name has a '*', copies of files that were not
// complete do not fit. Errors: those of `list`; but a folder that a pattern names after a '*' need not exist.
absl::StatusOr<std::vector<std::string>> FilesThatFit(const ListFolder& list, const HasFile& has_file,
                                                      std::string_view pattern);

}  // namespace structtensor::remote_files_internal

#endif  // STRUCTTENSOR_IO_REMOTE_FILES_SHARED_LISTED_FILES_H_
