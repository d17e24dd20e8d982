#include "protoc_run.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace structtensor {
namespace {

namespace fs = std::filesystem;

// A folder that goes with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "structtensor_protoc_XXXXXX").string();
    path_ = mkdtemp(name.data()) == nullptr ? fs::path() : fs::path(name);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ProtocOutcome RunProtoc(const Files& protos, const std::vector<std::string>& names, const std::string& parameters) {
  const TemporaryFolder folder;
  const fs::path in = folder.path() / "in";
  const fs::path out = folder.path() / "out";
  const fs::path messages = folder.path() / "messages";
  fs::create_directories(out);
  for (const auto& [name, text] : protos) {
    fs::create_directories((in / name).parent_path());
    std::ofstream(in / name) << text;
  }
  std::string command = STRUCTTENSOR_PROTOC " --plugin=protoc-gen-structtensor=" STRUCTTENSOR_PLUGIN;
  command +=
      " -I" + in.string() +
      " -I" STRUCTTENSOR_PROTOBUF_INCLUDE_DIR " -I" STRUCTTENSOR_OPTIONS_IMPORT_DIR " --structtensor_out=" + out.string();
  if (!parameters.empty()) command += " --structtensor_opt=" + parameters;
  for (const std::string& name : names) command += " " + name;
  command += " 2>" + messages.string();

  ProtocOutcome outcome;
  const int status = system(command.c_str());
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.messages = ReadFile(messages);
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    if (entry.is_regular_file()) outcome.generated[fs::relative(entry.path(), out).string()] = ReadFile(entry.path());
  }
  return outcome;
}

}  // namespace structtensor
