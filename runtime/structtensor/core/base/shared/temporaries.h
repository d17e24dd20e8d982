// What must not outlive its owner or the process: files and folders without their final names, and processes that it started.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_TEMPORARIES_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_TEMPORARIES_H_

#include <sys/types.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace structtensor::base_internal {

// While an object of this class lives, EndBySignal() waits. For steps that must not be left half done, such as making a file
// and noting it. Such steps do not wait for anybody else. Objects may be nested, and several threads may have some at a time.
class SignalsWait {
 public:
  SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  // Ends the process if a signal came.
  ~SignalsWait();
};

// Removes what all objects of Temporaries hold, and ends the process as the signal does by default. Handlers of signals call
// it. If an object of SignalsWait lives, it returns, and the process ends when the last one is destroyed. While another thread
// ends the process, it does not return: a second signal does not interrupt the removal. The handler must block all signals for
// which it is installed.
void EndBySignal(int signal_number);

// The temporary files and folders of one owner. They are removed when the object is destroyed, and when a signal ends the
// process. One thread at a time may use an object.
//
// Functions that make something return a negative number with `errno` set if they cannot, as system calls do.
class Temporaries {
 public:
  Temporaries() = default;
  Temporaries(const Temporaries&) = delete;
  Temporaries& operator=(const Temporaries&) = delete;
  ~Temporaries() { Remove(); }

  // Makes a file or a folder beside `target`. Its name is ".NAME.partial-XXXXXX", which readers of folders pass over and no
  // other writer has. If that is too long for the file system, the end of NAME is left out. Sets *path. Returns a descriptor
  // that is open for reading and writing; for a folder 0.
  int MakeFileBeside(const std::string& target, mode_t mode, std::string* path);
  int MakeFolderBeside(const std::string& target, mode_t mode, std::string* path);

  // Makes a file that is open for writing, or a folder. There must be nothing of that name.
  int MakeFile(const std::string& path, mode_t mode);
  int MakeFolder(const std::string& path, mode_t mode);

  // Makes a folder in the folder that TMPDIR names, or in /tmp. It is removed with the files in it; when a signal ends the
  // process, without folders in it. Sets *path.
  int MakeScratchFolder(std::string* path);

  // Adds a group of processes, which are killed before the files that were made earlier are removed.
  void AddProcessGroup(pid_t group);

  // From now on a signal that ends the process gives the file `path` the name `final_path` instead of removing it, unless there
  // is a file of that name.
  void KeepOnSignal(const std::string& path, const std::string& final_path);

  // Removes everything, the last first. Of folders, except scratch folders, removes only empty ones.
  void Remove();
  // To be called when everything has its final name, with the renaming under one SignalsWait.
  void Forget();

 private:
  bool any_ = false;
};

// Whether a file or folder of this name is not complete, as MakeFileBeside() names them. Earlier releases named them without
// the first '.'.
bool IsTemporaryName(std::string_view name);

// The folder that `path` is in.
std::string FolderOf(const std::string& path);

// The folder that TMPDIR names, or /tmp.
std::string ScratchFolder();

// Makes a file without a name. Returns its descriptor, which belongs to the caller. The file is gone when the descriptor is
// closed or the process ends in any way. Errors: why it cannot be made, with the folder.
absl::StatusOr<int> MakeUnnamedFile(const std::string& folder);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_TEMPORARIES_H_
