// A file that appears under its name only when it is complete.
#ifndef STRUCTTENSOR_CONVERTER_INTERNAL_OUTPUT_FILE_H_
#define STRUCTTENSOR_CONVERTER_INTERNAL_OUTPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace structtensor {

// Written as `<path>.partial-XXXXXX` beside its final place, then renamed. Destroyed before Commit, it leaves nothing behind.
// So it does when SIGINT, SIGTERM, SIGHUP or SIGPIPE ends the process (SIGPIPE: with exit code 1 and no word, since whoever
// read the output has what he wanted); that needs a global, so one OutputFile at a time may exist. Pipes and devices (and "-",
// standard output) have no such moment and are written directly.
class OutputFile {
 public:
  // Errors: AlreadyExists if there is a file and not `overwrite`; else why it cannot be written. Messages name the path.
  static absl::StatusOr<std::unique_ptr<OutputFile>> Open(const std::string& path, bool overwrite);

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  int fd() const { return fd_; }
  // What the user called it; "<stdout>" for standard output.
  std::string display_name() const;

  // Gives the file its name. Returns its size in bytes, or nothing of what is written directly.
  absl::StatusOr<std::optional<int64_t>> Commit();

 private:
  OutputFile(std::string name, std::string path, std::string partial_path, int fd);

  const std::string name_;          // as the user gave it
  const std::string path_;          // symbolic links resolved
  const std::string partial_path_;  // "" if written directly
  int fd_;                          // -1 once closed
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_CONVERTER_INTERNAL_OUTPUT_FILE_H_
