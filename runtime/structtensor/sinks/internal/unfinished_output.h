// What files and folders have in common until they have their names: they go when a signal ends the process.
#ifndef STRUCTTENSOR_SINKS_INTERNAL_UNFINISHED_OUTPUT_H_
#define STRUCTTENSOR_SINKS_INTERNAL_UNFINISHED_OUTPUT_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"

namespace structtensor::sinks_internal {

// Notes what belongs to the output that is under way; a process has one at a time. To be called before the file or folder is
// made, or right after, and a folder before what is in it.
void NoteUnfinished(std::string path, bool is_folder);
bool HasUnfinished();
// Removes what has been noted, the last first; of folders those that are empty then.
void RemoveUnfinished();
// The same for signal handlers: calls nothing but functions that are safe there.
void RemoveUnfinishedInSignalHandler();
// For an output that has its name.
void ForgetUnfinished();

absl::Status CannotWrite(const std::string& path, int error_number);
absl::Status ExistsAlready(const std::string& path);

// The folder that `path` lies in.
std::string FolderOf(const std::string& path);
// Whether something new can be made beside `path`. Errors: why not.
absl::Status CheckFolderOf(const std::string& path);
// Writes the names in a folder to the disk. Returns 0 or an error number.
int SyncFolder(const std::string& folder);

// `rights` without those that new files do not get. There is no way to read the mask without setting it.
mode_t RightsOfNew(mode_t rights);

}  // namespace structtensor::sinks_internal

#endif  // STRUCTTENSOR_SINKS_INTERNAL_UNFINISHED_OUTPUT_H_
