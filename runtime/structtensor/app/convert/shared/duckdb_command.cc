#include "structtensor/app/convert/shared/duckdb_command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "structtensor/app/sinks/sink.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/base/shared/temporaries.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/duckdb/readable_query.h"
#include "structtensor/tensor/type_spec/type_spec.h"
#include "structtensor/tensor/values/value.h"

namespace structtensor::convert_internal {
namespace {

// A file without a name: it disappears however the process ends. While the process runs, other processes of the same user can
// open the file by path().
class TemporaryFile {
 public:
  static absl::StatusOr<std::unique_ptr<TemporaryFile>> Create() {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const int fd, base_internal::MakeUnnamedFile(base_internal::ScratchFolder()));
    return std::unique_ptr<TemporaryFile>(new TemporaryFile(fd));
  }
  ~TemporaryFile() { close(fd_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_; }
  std::string path() const { return absl::StrCat("/proc/", getpid(), "/fd/", fd_); }

 private:
  explicit TemporaryFile(int fd) : fd_(fd) {}

  const int fd_;
};

absl::Status InTemporaryFile(const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("the temporary file for DuckDB: ", status.message()));
}

absl::Status WriteRows(DuckDbTable& table, int fd) {
  const TypeSpec schema = TypeSpec(table.empty().spec()).WithUnknownSizes();
  absl::StatusOr<std::unique_ptr<Sink>> sink = Sink::Create({.format = SinkFormat::kParquet}, fd, *schema.structured());
  if (!sink.ok()) return InTemporaryFile(sink.status());
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<DuckDbRows> pass, table.Begin(table.empty().field_names()));
  while (true) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> rows, pass->Next());
    if (!rows.has_value()) break;
    STRUCTTENSOR_RETURN_IF_ERROR(InTemporaryFile((*sink)->Write(*rows)));
  }
  return InTemporaryFile((*sink)->Finish());
}

// Reads `fd` until its other ends are closed. Returns the text, or the beginning of a long text.
std::string ReadText(int fd) {
  constexpr size_t kMaxBytes = 1 << 16;
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t size_bytes = ReadSome(fd, buffer.data(), buffer.size());
    if (size_bytes <= 0) return text;
    if (text.size() < kMaxBytes) text.append(buffer.data(), static_cast<size_t>(size_bytes));
  }
}

// A group of processes that are killed when the object is destroyed or this process ends, also by SIGKILL. The command of
// PyPI's duckdb-cli starts DuckDB as a process of its own, which a signal to its parent would not reach.
class ProcessGroup {
 public:
  // Starts the guard: a process of the group that waits until the other end of its pipe is closed.
  static absl::StatusOr<std::unique_ptr<ProcessGroup>> Create() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
    auto group = std::make_unique<ProcessGroup>(ends[1]);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // a handler in the guard would remove files of this process
    const pid_t guard = fork();
    if (guard == 0) KillGroupAtTheEndOf(ends[0], ends[1]);
    const int error_number = errno;
    if (guard > 0) {
      setpgid(guard, guard);  // the guard does so, too; somebody is first
      group->id_ = guard;
      group->temporaries_.AddProcessGroup(guard);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    close(ends[0]);
    return guard > 0 ? absl::StatusOr<std::unique_ptr<ProcessGroup>>(std::move(group))
                     : absl::ErrnoToStatus(error_number, "cannot start a process");
  }
  explicit ProcessGroup(int end) : end_(end) {}
  ~ProcessGroup() { close(end_); }
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  pid_t id() const { return id_; }

 private:
  // In the guard. Calls only functions that are safe in a process that was forked from one with threads.
  [[noreturn]] static void KillGroupAtTheEndOf(int pipe, int other_end) {
    setpgid(0, 0);
    close(other_end);
    for (int signal_number = 1; signal_number < NSIG; ++signal_number) signal(signal_number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    char byte;
    while (read(pipe, &byte, 1) < 0 && errno == EINTR) {
    }
    kill(0, SIGKILL);
    _exit(0);
  }

  const int end_;
  pid_t id_ = 0;
  base_internal::Temporaries temporaries_;  // the group
};

// Runs the statements, one after another, up to the first that fails.
absl::Status RunStatements(const std::string& command, const std::string& statements) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<ProcessGroup> group, ProcessGroup::Create());
  int errors[2];
  if (pipe2(errors, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, group->id());
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);  // this process ignores SIGXFSZ
  // Without the user's own settings, which could change anything.
  const char* const arguments[] = {command.c_str(), "-batch", "-init", "/dev/null", "-c", statements.c_str(), nullptr};
  pid_t child = 0;
  const int problem = posix_spawnp(&child, command.c_str(), &actions, &attributes, const_cast<char**>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(errors[1]);
  const std::string said = problem == 0 ? ReadText(errors[0]) : "";
  close(errors[0]);
  if (problem != 0) return absl::ErrnoToStatus(problem, absl::StrCat("cannot run ", command));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, absl::StrCat("cannot wait for ", command));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  if (WIFSIGNALED(status)) {
    return absl::InternalError(absl::StrCat(command, " was ended by a signal: ", strsignal(WTERMSIG(status))));
  }
  const std::string line = DuckDbErrorLine(said);
  return absl::InvalidArgumentError(
      line.empty() ? absl::StrCat(command, " ended with exit code ", WEXITSTATUS(status), ", and said nothing") : line);
}

class FileRows : public DuckDbRows {
 public:
  static absl::StatusOr<std::unique_ptr<FileRows>> Open(std::unique_ptr<TemporaryFile> file) {
    auto rows = std::make_unique<FileRows>(std::move(file));
    STRUCTTENSOR_ASSIGN_OR_RETURN(rows->reader_, ColumnFileReader::Open(rows->file_->path()));
    STRUCTTENSOR_ASSIGN_OR_RETURN(rows->empty_, rows->reader_->Empty());
    return rows;
  }

  explicit FileRows(std::unique_ptr<TemporaryFile> file) : file_(std::move(file)) {}

  const StructuredTensor& empty() const override { return *empty_; }
  absl::StatusOr<std::optional<StructuredTensor>> Next() override { return reader_->Next(); }

 private:
  const std::unique_ptr<TemporaryFile> file_;
  std::unique_ptr<ColumnFileReader> reader_;
  std::optional<StructuredTensor> empty_;
};

// Queries of one table.
class CommandLine {
 public:
  CommandLine(const std::string& command, const std::string& temporary_folder, const std::string& memory_limit,
              const std::string& name, const TemporaryFile& table)
      : command_(command),
        begin_(absl::StrCat(SetTemporaryFolder(temporary_folder),
                            memory_limit.empty() ? "" : absl::StrCat(";\n", SetMemoryLimit(memory_limit)), ";\nCREATE VIEW ",
                            QuotedName(name), " AS SELECT * FROM read_parquet('", table.path(), "')")) {}

  // `first` is run before the query: a statement, or "".
  absl::StatusOr<std::unique_ptr<FileRows>> Query(const std::string& first, const std::string& sql) const {
    STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<TemporaryFile> result, TemporaryFile::Create());
    STRUCTTENSOR_RETURN_IF_ERROR(
        RunStatements(command_, absl::StrCat(begin_, ";\n", first, first.empty() ? "" : ";\n", "COPY ", SubqueryOf(sql),
                                             " TO '", result->path(), "' (FORMAT parquet, USE_TMP_FILE false)")));
    return FileRows::Open(std::move(result));
  }

 private:
  const std::string& command_;
  const std::string begin_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<DuckDbRows>> QueryByCommand(const std::string& command, const std::string& temporary_folder,
                                                           const std::string& memory_limit, const std::string& name,
                                                           DuckDbTable& table, const std::string& sql) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(const std::unique_ptr<TemporaryFile> file, TemporaryFile::Create());
  STRUCTTENSOR_RETURN_IF_ERROR(WriteRows(table, file->fd()));
  const CommandLine duckdb(command, temporary_folder, memory_limit, name, *file);
  // EXPLAIN checks the query alone, so that errors refer to the text that the user wrote.
  STRUCTTENSOR_ASSIGN_OR_RETURN(
      const std::unique_ptr<FileRows> description,
      duckdb.Query(absl::StrCat("EXPLAIN ", ToAbsl(WithoutSemicolon(sql)), "\n"), DescribeQuery(sql)));
  std::vector<DuckDbColumn> columns;
  while (true) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::optional<StructuredTensor> rows, description->Next());
    if (!rows.has_value()) break;
    for (int64_t i = 0; i < rows->nrows(); ++i) {
      columns.push_back(
          {std::string(rows->flat_field(0).tensor()->string_at(i)), std::string(rows->flat_field(1).tensor()->string_at(i))});
    }
  }
  return duckdb.Query("", ReadableQuery(sql, columns));
}

bool IsCommand(const std::string& command) {
  const auto is_executable = [](const std::string& path) {
    struct stat file = {};
    return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0;
  };
  if (command.find('/') != std::string::npos) return is_executable(command);
  const char* const folders = std::getenv("PATH");
  const std::vector<std::string> all = absl::StrSplit(folders == nullptr ? "" : folders, ':');
  return std::any_of(all.begin(), all.end(), [&](const std::string& folder) {
    return is_executable(absl::StrCat(folder.empty() ? "." : folder, "/", command));
  });
}

}  // namespace structtensor::convert_internal
