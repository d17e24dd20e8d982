#include "structtensor/compiler/schema/proto_files.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/core/plan/field_names.h"

namespace structtensor::schema {
namespace {

namespace pb = ::google::protobuf;

constexpr int kVersion = GOOGLE_PROTOBUF_VERSION;

constexpr std::string_view kHint =
    "hint: build structtensor with a newer protobuf (tools/protobuf in its repository builds one), or use its Python wheel, "
    "which contains one";

// The first release whose libprotobuf supports an edition. `number` is its number in google.protobuf.Edition.
struct SupportedEdition {
  std::string_view name;
  int number;
  std::string_view release;
  int version;  // as in GOOGLE_PROTOBUF_VERSION
};
constexpr SupportedEdition kEditions[] = {{"2023", 1000, "27", 5027000}, {"2024", 1001, "32", 6032000}};

template <typename Is>
std::string ProblemOfEdition(std::string_view edition, Is is) {
  std::string needed;
  for (const SupportedEdition& supported : kEditions) {
    if (!is(supported)) continue;
    if (kVersion >= supported.version) return "";
    needed = absl::StrCat("edition ", std::string(supported.name), " needs protobuf ", std::string(supported.release),
                          " or later, and");
  }
  if (needed.empty()) needed = absl::StrCat("edition ", std::string(edition), " is not known here:");
  return absl::StrCat(needed, " this build of structtensor has protobuf ", ProtobufVersion(), "\n", std::string(kHint));
}

std::string ProblemOfEditionName(std::string_view name) {
  return ProblemOfEdition(name, [name](const SupportedEdition& supported) { return supported.name == name; });
}

// The number of the edition of a FileDescriptorProto. It is an unknown field if this libprotobuf does not know the number.
int EditionNumber(const pb::FileDescriptorProto& file) {
#if GOOGLE_PROTOBUF_VERSION >= 5027000
  if (file.has_edition()) return static_cast<int>(file.edition());
#endif
  constexpr int kEditionField = 14;
  int number = 0;
  const pb::UnknownFieldSet& unknown = file.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i) {
    if (unknown.field(i).number() == kEditionField && unknown.field(i).type() == pb::UnknownField::TYPE_VARINT) {
      number = static_cast<int>(unknown.field(i).varint());
    }
  }
  return number;
}

class IgnoreProblems : public pb::io::ErrorCollector {
 public:
#if GOOGLE_PROTOBUF_VERSION >= 4022000
  void RecordError(int, pb::io::ColumnNumber, absl::string_view) override {}
#else
  void AddError(int, pb::io::ColumnNumber, const std::string&) override {}
#endif
};

// The first statement of a .proto file, if it is syntax = "..." or edition = "...".
struct FirstStatement {
  std::string keyword;
  std::string value;
};
std::optional<FirstStatement> FirstStatementOf(std::string_view text) {
  pb::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  IgnoreProblems problems;
  pb::io::Tokenizer tokenizer(&input, &problems);
  if (!tokenizer.Next()) return std::nullopt;
  FirstStatement statement{.keyword = tokenizer.current().text, .value = ""};
  if (statement.keyword != "syntax" && statement.keyword != "edition") return std::nullopt;
  if (tokenizer.Next() && tokenizer.current().text == "=" && tokenizer.Next() &&
      tokenizer.current().type == pb::io::Tokenizer::TYPE_STRING) {
    pb::io::Tokenizer::ParseString(tokenizer.current().text, &statement.value);
  }
  return statement;
}

// A stream that owns its text.
class OwnedInput : public pb::io::ZeroCopyInputStream {
 public:
  explicit OwnedInput(std::string text) : text_(std::move(text)), input_(text_.data(), static_cast<int>(text_.size())) {}

  bool Next(const void** data, int* size) override { return input_.Next(data, size); }
  void BackUp(int count) override { input_.BackUp(count); }
  bool Skip(int count) override { return input_.Skip(count); }
  int64_t ByteCount() const override { return input_.ByteCount(); }

 private:
  const std::string text_;
  pb::io::ArrayInputStream input_;
};

constexpr std::string_view kProto2 = "syntax = \"proto2\"; ";

// The text between the n-th pair of quotes, counted from 0.
std::string_view Quoted(std::string_view text, int n) {
  for (size_t begin = text.find('"'); begin != std::string_view::npos; begin = text.find('"', begin)) {
    const size_t end = text.find('"', begin + 1);
    if (end == std::string_view::npos) break;
    if (n-- == 0) return text.substr(begin + 1, end - begin - 1);
    begin = end + 1;
  }
  return "";
}

// Whether libprotobuf rejects two names of fields that differ only in case or underscores. Releases before 22 do so in proto3.
bool IsConflictOfSimilarNames(std::string_view message) {
  return message.find("JSON camel-case name of field") != std::string_view::npos &&
         plan::JsonNameOf(Quoted(message, 0)) != plan::JsonNameOf(Quoted(message, 1));
}

// The other file if libprotobuf reports that two files declare the same name, else "".
std::string_view FileOfSameName(std::string_view message) {
  return message.find("\" is already defined in file \"") == std::string_view::npos ? "" : Quoted(message, 1);
}

}  // namespace

std::string ProtobufVersion() {
  const int minor = kVersion / 1000 % 1000;
  const int patch = kVersion % 1000;
  return kVersion < 4022000 ? absl::StrCat(kVersion / 1000000, ".", minor, ".", patch) : absl::StrCat(minor, ".", patch);
}

std::string NeedsNewerProtobuf(const pb::FileDescriptorProto& file) {
  if (file.syntax() != "editions") return "";
  const int number = EditionNumber(file);
  return ProblemOfEdition(absl::StrCat("number ", number),
                          [number](const SupportedEdition& supported) { return supported.number == number; });
}

void FileProblems::Add(std::string line) {
  constexpr size_t kMaxLines = 20;
  if (lines_.size() < kMaxLines) lines_.push_back(std::move(line));
}

void FileProblems::AddTooNew(std::string_view file, std::string_view problem) {
  too_new_.push_back(absl::StrCat(std::string(file), ": ", std::string(problem)));
}

void FileProblems::AddAtElement(const std::string& file, const std::string& element, const std::string& message) {
  AddExplained(file, element == file ? absl::StrCat(file, ": ") : absl::StrCat(file, ": ", element, ": "), message);
}

void FileProblems::AddAtLine(const std::string& file, int line, int column, const std::string& message) {
  if (const auto shift = first_line_shift_.find(file); line == 0 && shift != first_line_shift_.end()) column -= shift->second;
  AddExplained(file, line < 0 ? absl::StrCat(file, ": ") : absl::StrCat(file, ":", line + 1, ":", column + 1, ": "), message);
}

void FileProblems::AddExplained(const std::string& file, const std::string& place, const std::string& message) {
  if (const std::string_view other = FileOfSameName(message); !other.empty()) return AddSameNames(file, place, message, other);
  // libprotobuf goes on with what follows from the first name.
  if (same_names_.contains(file)) return;
  if (!IsConflictOfSimilarNames(message)) return Add(place + message);
  Add(absl::StrCat(place, "field names \"", std::string(Quoted(message, 0)), "\" and \"", std::string(Quoted(message, 1)),
                   "\" differ only in case or underscores, which protobuf ", ProtobufVersion(),
                   " of this build rejects in proto3 and protobuf 22 or later accepts"));
  hinted_ = true;
}

void FileProblems::AddSameNames(const std::string& file, const std::string& place, const std::string& message,
                                std::string_view other) {
  if (!same_names_.insert(file).second) return;
  const auto found = paths_.find(file);
  const auto found_other = paths_.find(other);
  std::error_code error;
  if (found != paths_.end() && found_other != paths_.end() &&
      std::filesystem::equivalent(found->second, found_other->second, error) && !error) {
    one_file_.push_back(absl::StrCat(file, " and ", std::string(other), " are the same file, ", found->second,
                                     ", below two import folders; use one of the two names wherever it is named or imported"));
    return;
  }
  Add(absl::StrCat(place, "\"", std::string(Quoted(message, 0)), "\" is already declared in ", std::string(other),
                   "; names must be unique in all files of a schema"));
}

std::string FileProblems::Text() const {
  if (!too_new_.empty()) return too_new_.front();
  if (!one_file_.empty()) return one_file_.front();  // all other problems follow from it
  return absl::StrCat(absl::StrJoin(lines_, "\n"), hinted_ ? absl::StrCat("\n", std::string(kHint)) : "");
}

std::string ProtoFileTree::GetLastErrorMessage() { return error_.empty() ? DiskSourceTree::GetLastErrorMessage() : error_; }

pb::io::ZeroCopyInputStream* ProtoFileTree::OpenFile(const std::string& name) {
  error_.clear();
  const std::unique_ptr<pb::io::ZeroCopyInputStream> file(DiskSourceTree::Open(name));
  if (file == nullptr) return nullptr;
  if (std::string path; VirtualFileToDiskFile(name, &path)) {
    problems_->SetPath(name, path);
    opened_files_.push_back(std::move(path));
  }
  std::string text;
  const void* data = nullptr;
  for (int size = 0; file->Next(&data, &size);) text.append(static_cast<const char*>(data), static_cast<size_t>(size));
  const std::optional<FirstStatement> first = FirstStatementOf(text);
  const bool is_year = first.has_value() && first->value.size() == 4 && first->value.starts_with("2");
  if (is_year && first->keyword == "edition") {
    error_ = ProblemOfEditionName(first->value);
    if (!error_.empty()) {
      problems_->AddTooNew(name, error_);
      return nullptr;
    }
  }
  if (!first.has_value()) {
    // libprotobuf would print a warning. It accepts a byte order mark only at the beginning.
    text.insert(text.starts_with("\xef\xbb\xbf") ? 3 : 0, kProto2);
    problems_->ShiftFirstLine(name, static_cast<int>(kProto2.size()));
  }
  return new OwnedInput(std::move(text));
}

bool DescriptorSetFiles::Add(pb::FileDescriptorProto file) {
  const auto found = files_.find(file.name());
  if (found != files_.end()) {
    pb::FileDescriptorProto other = found->second;
    other.clear_source_code_info();
    file.clear_source_code_info();
    return other.SerializeAsString() == file.SerializeAsString();
  }
  const std::string name = file.name();
  files_.emplace(name, std::move(file));
  return true;
}

bool DescriptorSetFiles::FindFileByName(NameArgument name, pb::FileDescriptorProto* file) {
  const auto found = files_.find(std::string(name));
  if (found == files_.end()) return false;
  *file = found->second;
  return true;
}

}  // namespace structtensor::schema
