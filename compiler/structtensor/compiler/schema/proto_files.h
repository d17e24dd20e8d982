// Reading .proto files and descriptors with libprotobuf, with its problems as text instead of output on standard error.
#ifndef STRUCTTENSOR_COMPILER_SCHEMA_PROTO_FILES_H_
#define STRUCTTENSOR_COMPILER_SCHEMA_PROTO_FILES_H_

#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace structtensor::schema {

// The release of the libprotobuf that this build has, as `protoc --version` prints it: "3.21.12", "35.1".
std::string ProtobufVersion();

// While one exists, libprotobuf 3.21 prints nothing, for example about strings that are not UTF-8. Later releases do not print
// in the functions that this library calls.
#if GOOGLE_PROTOBUF_VERSION >= 4022000
class QuietLibprotobuf {
 public:
  QuietLibprotobuf() {}
};
#else
using QuietLibprotobuf = google::protobuf::LogSilencer;
#endif

// Returns why this build's libprotobuf is too old for the edition of the file, with a hint, or "" if it is not.
std::string NeedsNewerProtobuf(const google::protobuf::FileDescriptorProto& file);

// Collects the problems that libprotobuf reports about files, one line for each. The arguments of its functions differ between
// releases.
class FileProblems : public google::protobuf::DescriptorPool::ErrorCollector,
                     public google::protobuf::compiler::MultiFileErrorCollector {
 public:
  using Location = google::protobuf::DescriptorPool::ErrorCollector::ErrorLocation;

#if GOOGLE_PROTOBUF_VERSION >= 4022000
  void RecordError(absl::string_view file, absl::string_view element, const google::protobuf::Message*, Location,
                   absl::string_view message) override {
    AddAtElement(std::string(file), std::string(element), std::string(message));
  }
  void RecordWarning(absl::string_view, absl::string_view, const google::protobuf::Message*, Location,
                     absl::string_view) override {}
  void RecordError(absl::string_view file, int line, int column, absl::string_view message) override {
    AddAtLine(std::string(file), line, column, std::string(message));
  }
  void RecordWarning(absl::string_view, int, int, absl::string_view) override {}
#else
  void AddError(const std::string& file, const std::string& element, const google::protobuf::Message*, Location,
                const std::string& message) override {
    AddAtElement(file, element, message);
  }
  void AddWarning(const std::string&, const std::string&, const google::protobuf::Message*, Location,
                  const std::string&) override {}
  void AddError(const std::string& file, int line, int column, const std::string& message) override {
    AddAtLine(file, line, column, message);
  }
  void AddWarning(const std::string&, int, int, const std::string&) override {}
#endif

  // Adds a problem. Problems after the 20th are dropped, because a file may have thousands of mistakes, all for one reason.
  void Add(std::string line);
  // Adds a file that needs a newer protobuf. Text() then leaves out all other problems, because they follow from it.
  void AddTooNew(std::string_view file, std::string_view problem);

  // Sets the path of the file named `file`.
  void SetPath(const std::string& file, const std::string& path) { paths_[file] = path; }

  // Columns in the first line of the file are reported less `columns`.
  void ShiftFirstLine(const std::string& file, int columns) { first_line_shift_[file] = columns; }

  bool empty() const { return lines_.empty() && too_new_.empty() && one_file_.empty(); }
  std::string Text() const;

 private:
  void AddAtElement(const std::string& file, const std::string& element, const std::string& message);
  // libprotobuf counts lines and columns from 0, and uses line -1 for problems of the whole file.
  void AddAtLine(const std::string& file, int line, int column, const std::string& message);
  // Adds a message of libprotobuf, or a clearer one.
  void AddExplained(const std::string& file, const std::string& place, const std::string& message);
  // Adds that `file` and `other` declare the same name, once for `file`.
  void AddSameNames(const std::string& file, const std::string& place, const std::string& message, std::string_view other);

  std::map<std::string, int> first_line_shift_;
  std::map<std::string, std::string, std::less<>> paths_;  // by name
  std::set<std::string> same_names_;                       // files that declare names of others
  std::vector<std::string> one_file_;                      // files that were read under two names
  std::vector<std::string> lines_;
  std::vector<std::string> too_new_;
  bool hinted_ = false;
};

// The .proto files below import folders. Does not open files whose edition this build's libprotobuf does not support, and adds
// them to `problems`, which must outlive the tree. A file without a syntax statement is proto2, as for protoc.
class ProtoFileTree : public google::protobuf::compiler::DiskSourceTree {
 public:
  explicit ProtoFileTree(FileProblems* problems) : problems_(problems) {}

#if GOOGLE_PROTOBUF_VERSION >= 4022000
  google::protobuf::io::ZeroCopyInputStream* Open(absl::string_view name) override { return OpenFile(std::string(name)); }
#else
  google::protobuf::io::ZeroCopyInputStream* Open(const std::string& name) override { return OpenFile(name); }
#endif
  std::string GetLastErrorMessage() override;

  // The paths of the files that were opened.
  const std::vector<std::string>& opened_files() const { return opened_files_; }

 private:
  google::protobuf::io::ZeroCopyInputStream* OpenFile(const std::string& name);

  FileProblems* problems_;
  std::vector<std::string> opened_files_;
  std::string error_;  // why the last file was not opened, if it exists
};

// How functions of DescriptorDatabase take names: const std::string& or absl::string_view, which differs between releases.
template <typename Argument>
Argument NameArgumentOf(bool (google::protobuf::DescriptorDatabase::*)(Argument, google::protobuf::FileDescriptorProto*));
using NameArgument = decltype(NameArgumentOf(&google::protobuf::DescriptorDatabase::FindFileByName));

// The files of a FileDescriptorSet by name.
class DescriptorSetFiles : public google::protobuf::DescriptorDatabase {
 public:
  // Returns false if another file with this name was added before. Files that are equal, but for their source locations, may be
  // added twice.
  bool Add(google::protobuf::FileDescriptorProto file);

  bool FindFileByName(NameArgument name, google::protobuf::FileDescriptorProto* file) override;
  // A pool calls these to find files that nothing imports.
  bool FindFileContainingSymbol(NameArgument, google::protobuf::FileDescriptorProto*) override { return false; }
  bool FindFileContainingExtension(NameArgument, int, google::protobuf::FileDescriptorProto*) override { return false; }

 private:
  std::map<std::string, google::protobuf::FileDescriptorProto> files_;
};

}  // namespace structtensor::schema

#endif  // STRUCTTENSOR_COMPILER_SCHEMA_PROTO_FILES_H_
