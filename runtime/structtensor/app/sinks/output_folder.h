// A folder of files that appears under its name only when all of them are complete. In remote folders
// (io/remote_files/remote_files.h) the files appear one after another at that time.
#ifndef STRUCTTENSOR_APP_SINKS_OUTPUT_FOLDER_H_
#define STRUCTTENSOR_APP_SINKS_OUTPUT_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor {

namespace base_internal {
class Temporaries;
}

// Written as `.NAME.partial-XXXXXX/` beside its final place, a name that no other writer has and that readers of folders pass
// over, then renamed as a whole. If it is destroyed before Commit, or a signal ends the process (InstallSignalHandlers),
// nothing remains. A process may have any number of outputs. The files of a remote folder are temporary files without
// names, in the folder that TMPDIR names or in /tmp. Commit uploads them. If an upload fails, or a signal ends the process, the
// uploaded files are removed.
class OutputFolder {
 public:
  // The folder may exist if it is empty. With `overwrite`, it may also be a folder of partitions: it stays until the new one
  // takes its place, and is then removed with everything in it. A folder that is replaced keeps its mode, and, where the
  // system permits it, its owner and group. Symbolic links are followed.
  // Errors: AlreadyExists if there is a folder that is not empty, without `overwrite`. FailedPrecondition if there is a file;
  // if a remote folder is not empty, with `overwrite`; if a folder to be replaced holds anything except folders named
  // `key=value` and files named `part-...`; or if it cannot be replaced because it is the current folder or a mount point.
  // Otherwise the reason why it cannot be written. Messages name the path.
  static absl::StatusOr<std::unique_ptr<OutputFolder>> Open(const std::string& path, bool overwrite);
  // The errors of Open that can be found without making anything.
  static absl::Status Check(const std::string& path, bool overwrite);

  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  // The name that the user gave it (DisplayPath), without slashes at the end.
  const std::string& name() const { return name_; }

  // Makes a file, and the folders that it is in. Returns its file descriptor, which this object owns and closes.
  //   path  within the folder, "a/b.parquet"; there must not be such a file yet
  // Errors: why it cannot be made.
  absl::StatusOr<int> MakeFile(const std::string& path);
  // Closes a file of MakeFile that is complete, once it is on the disk. Commit does so for all that are open; this saves file
  // descriptors. Files of remote folders stay open until then. Errors: why it cannot be written.
  absl::Status CloseFile(int fd);
  size_t number_of_files() const { return files_.size(); }

  // Gives the folder its name once its files are on the disk: after a loss of power there is the whole folder or none. Returns
  // the size of all files in bytes.
  // Errors: AlreadyExists if somebody has put something under that name since Open, without `overwrite`: it stays as it is.
  //   Otherwise why the folder cannot be written, and, with `overwrite`, the errors of Open. If only the directory around it
  //   cannot be synced, the folder has its name, and the message says so.
  absl::StatusOr<int64_t> Commit();

 private:
  struct File {
    std::string path;  // where it is written; for a remote folder, where it is uploaded to
    int fd;            // -1 once closed
  };

  OutputFolder(std::string name, std::string path, bool overwrite);

  absl::StatusOr<int> MakeFileToUpload(const std::string& path);
  absl::Status Close(File& file);
  absl::StatusOr<int64_t> Upload();
  absl::Status Rename();

  const std::string name_;  // as the user gave it
  const std::string path_;  // symbolic links resolved; for a remote folder, with options
  const bool overwrite_;
  std::string partial_path_;                                 // until Commit; "" for a remote folder
  std::unique_ptr<base_internal::Temporaries> temporaries_;  // the partial folder and everything in it
  std::vector<File> files_;
  int64_t size_bytes_ = 0;         // of closed files
  std::set<std::string> folders_;  // below the folder
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SINKS_OUTPUT_FOLDER_H_
