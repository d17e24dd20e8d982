// A folder of files that appears under its name only when all of them are complete. In remote folders (storage/remote_files.h)
// the files appear one after another then.
#ifndef STRUCTTENSOR_SINKS_OUTPUT_FOLDER_H_
#define STRUCTTENSOR_SINKS_OUTPUT_FOLDER_H_

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

// Written as `<path>.partial-XXXXXX/` beside its final place, a name that no other writer has, then renamed as a whole.
// Destroyed before Commit, it leaves nothing behind; nor does it when a signal ends the process (InstallSignalHandlers). A
// process has one OutputFile or OutputFolder at a time. The files of a remote folder are temporary ones without names, in the
// folder that TMPDIR names or /tmp, and uploaded by Commit. If one cannot be, or a signal ends the process, those that were are
// removed.
class OutputFolder {
 public:
  // An empty folder may be there already. With `overwrite`, a folder of partitions, too: it stays until the new one takes its
  // place, and is then removed with all that is in it.
  // Errors: AlreadyExists if there is a folder that is not empty, and not `overwrite`. FailedPrecondition if there is a file;
  // if the folder is a remote one that is not empty, with `overwrite`; if a folder to be replaced holds anything but folders
  // named `key=value` and files named `part-...`; or if it cannot be replaced, as it is the current folder or a mount point.
  // Else why it cannot be written. Messages name the path.
  static absl::StatusOr<std::unique_ptr<OutputFolder>> Open(const std::string& path, bool overwrite);
  // The errors of Open, as far as they can be told without making anything.
  static absl::Status Check(const std::string& path, bool overwrite);

  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  // What the user called it (DisplayPath), without slashes at the end.
  const std::string& name() const { return name_; }

  // Makes a file, and the folders that it lies in. Returns its file descriptor, which belongs to this and is open until Commit.
  //   path  within the folder, "a/b.parquet"; of a file that there is not yet
  // Errors: why it cannot be made.
  absl::StatusOr<int> MakeFile(const std::string& path);
  size_t number_of_files() const { return files_.size(); }

  // Gives the folder its name once its files are on the disk: after a loss of power there is the whole folder or none. Returns
  // the size of all files in bytes.
  // Errors: AlreadyExists if somebody has put something under that name since Open, and not `overwrite`: that stays as it is.
  //   Else why the folder cannot be written, and, with `overwrite`, those of Open.
  absl::StatusOr<int64_t> Commit();

 private:
  struct File {
    std::string path;  // where it is written to; of a remote folder, where it is uploaded to
    int fd;            // -1 once closed
  };

  OutputFolder(std::string name, std::string path, std::string partial_path, bool overwrite)
      : name_(std::move(name)), path_(std::move(path)), partial_path_(std::move(partial_path)), overwrite_(overwrite) {}

  absl::StatusOr<int> MakeFileToUpload(const std::string& path);
  absl::StatusOr<int64_t> Upload();
  absl::Status Rename();

  const std::string name_;          // as the user gave it
  const std::string path_;          // symbolic links resolved; of a remote folder with options
  const std::string partial_path_;  // until Commit; "" of a remote folder
  const bool overwrite_;
  std::vector<File> files_;
  std::set<std::string> folders_;  // below the folder
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_SINKS_OUTPUT_FOLDER_H_
