// Files and folders that do not have their names yet: they are removed when a signal ends the process.
#ifndef STRUCTTENSOR_SINKS_INTERNAL_UNFINISHED_OUTPUT_H_
#define STRUCTTENSOR_SINKS_INTERNAL_UNFINISHED_OUTPUT_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"

namespace structtensor::sinks_internal {

// Notes a file or folder of the unfinished output; a process has one output at a time. To be called before it is made, or right
// after, and for a folder before anything in it.
void NoteUnfinished(std::string path, bool is_folder);
// FailedPrecondition if something is noted: `path` cannot be opened then.
absl::Status CheckNoneIsUnfinished(const std::string& path);
// Removes everything noted, the last first. Of folders, removes only empty ones.
void RemoveUnfinished();
// RemoveUnfinished() for signal handlers: calls only functions that are safe there.
void RemoveUnfinishedInSignalHandler();
// To be called when the output has its name.
void ForgetUnfinished();

absl::Status CannotWrite(const std::string& path, int error_number);
absl::Status ExistsAlready(const std::string& path);

// The folder that `path` lies in.
std::string FolderOf(const std::string& path);
// Whether something new can be made beside `path`. Errors: why it cannot.
absl::Status CheckFolderOf(const std::string& path);
// Writes the names in a folder to the disk. Returns 0 or an error number.
int SyncFolder(const std::string& folder);

// `rights` without those that new files do not get (umask). There is no way to read the mask without setting it.
mode_t RightsOfNew(mode_t rights);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_SINKS_INTERNAL_UNFINISHED_OUTPUT_H_
