// A file that appears under its name only when it is complete, on this machine or as a remote file
// (io/remote_files/remote_files.h). CMake target: structtensor::sinks (component files).
#ifndef STRUCTTENSOR_APP_SINKS_OUTPUT_FILE_H_
#define STRUCTTENSOR_APP_SINKS_OUTPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor {

namespace base_internal {
class NewFile;
}

// After this call, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM and SIGXCPU remove all partial files and then end the
// process as usual: a shell sees 128 plus the signal's number, which is 141 when the reader of a pipe has gone. A second
// signal does not interrupt the removal. SIGPIPE does this even if the process was started with it ignored, so that a closed
// pipe has one outcome, not two. SIGXFSZ is ignored, so that a file that exceeds a limit of its size is an error of writing.
// To be called once, first in main, by programs whose input can be read again. A service must not lose its rows: it handles
// the signals itself, and then calls Finish() and Commit().
void InstallSignalHandlers();

// Written as `.NAME.partial-XXXXXX` beside its final place, a name that no other writer has and that readers of folders pass
// over, then renamed. If it is destroyed before Commit, or a signal ends the process (InstallSignalHandlers), nothing remains.
// A remote file is written to a temporary file without a name, in the folder that TMPDIR names or in /tmp, and Commit
// uploads it. A signal during the upload ends the upload first, which leaves no object; a second signal ends the process. Pipes
// and devices (and "-", standard output) are written directly. A process may have any number of outputs.
class OutputFile {
 public:
  // Symbolic links are followed. A file that is replaced keeps its mode, and, where the system permits it, its owner and group.
  // Errors: AlreadyExists if there is a file, without `overwrite`; otherwise why it cannot be written. Messages name the path.
  // Whether a remote file may be written shows only when it is uploaded.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path, bool overwrite);

  // The errors of Open that can be found without making anything.
  static absl::Status Check(const std::string& path, bool overwrite);

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  int fd() const;
  // The name that the user gave it (DisplayPath); "<stdout>" for standard output.
  std::string display_name() const;
  // The folder that it is written to; "" if it is written directly or is remote.
  std::string folder() const;

  // Gives the file its name once its bytes are on the disk, and syncs the directory after that: after a loss of power there is
  // the whole file or none. Returns its size in bytes, or nothing if it is written directly.
  // Errors: AlreadyExists if another writer has made a file of that name since Open, without `overwrite`: that file stays as it
  //   is. Otherwise why the file cannot be written. If only the directory cannot be synced, the file has its name, and the
  //   message says so.
  absl::StatusOr<std::optional<int64_t>> Commit();

 private:
  OutputFile(std::string path, std::unique_ptr<base_internal::NewFile> local, int fd);

  const std::string path_;
  const std::unique_ptr<base_internal::NewFile> local_;  // null for standard output and remote files
  int fd_;                                               // if local_ is null; -1 once closed
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SINKS_OUTPUT_FILE_H_
