#include "structtensor/tensor/type_spec/nest.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::type_spec_internal {
namespace {

std::string_view KindName(NestKind kind) {
  switch (kind) {
    case NestKind::kNone:
      return "nothing";
    case NestKind::kLeaf:
      return "a leaf";
    case NestKind::kList:
      return "a list";
    case NestKind::kTuple:
      return "a tuple";
    case NestKind::kDict:
      return "a dict";
  }
  return "";
}

std::string Where(std::string_view path) {
  return path.empty() ? std::string("the structures differ at the top")
                      : absl::StrCat("the structures differ at ", ToAbsl(path));
}

std::string Names(const std::vector<std::string>& names) {
  constexpr size_t kMaxShown = 10;
  if (names.size() <= kMaxShown) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + kMaxShown, ", "), " and ", names.size() - kMaxShown,
                      " more");
}

}  // namespace

std::string ItemPath(std::string_view path, size_t i) { return absl::StrCat(ToAbsl(path), "[", i, "]"); }
std::string ItemPath(std::string_view path, std::string_view name) {
  return absl::StrCat(ToAbsl(path), "['", ToAbsl(name), "']");
}

absl::Status KindsDiffer(std::string_view path, NestKind a, NestKind b) {
  return absl::InvalidArgumentError(
      absl::StrCat(Where(path), ": the first has ", ToAbsl(KindName(a)), ", the other ", ToAbsl(KindName(b))));
}

absl::Status SizesDiffer(std::string_view path, size_t a, size_t b) {
  return absl::InvalidArgumentError(absl::StrCat(Where(path), ": the first has ", a, " items, the other ", b));
}

absl::Status NamesDiffer(std::string_view path, const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return absl::InvalidArgumentError(
      absl::StrCat(Where(path), ": the names of the first are {", Names(a), "}, of the other {", Names(b), "}"));
}

absl::Status WrongNumberOfLeaves(size_t expected, size_t found) {
  return absl::InvalidArgumentError(
      absl::StrCat("the structure has ", expected, " leaves, but ", found, " are given; each leaf needs exactly one"));
}

}  // namespace structtensor::type_spec_internal
