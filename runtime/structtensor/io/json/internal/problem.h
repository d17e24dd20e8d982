// Why JSON cannot be read or written, with the place in the value.
#ifndef STRUCTTENSOR_IO_JSON_INTERNAL_PROBLEM_H_
#define STRUCTTENSOR_IO_JSON_INTERNAL_PROBLEM_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::json_internal {

struct Problem {
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
  std::string text = {};
  std::string path = {};   // from the outside in; built while functions return
  bool is_syntax = false;  // the text is not JSON
};

inline bool Fail(Problem& problem, std::string text) {
  problem = {.text = std::move(text)};
  return false;
}

// Adds to the path that the problem is in the field or element of that name ("a", "[2]"). Returns false.
inline bool In(std::string_view name, Problem& problem) {
  const bool is_joined = problem.path.empty() || problem.path.front() == '[';
  problem.path = absl::StrCat(ToAbsl(name), is_joined ? "" : ".", problem.path);
  return false;
}

}  // namespace structtensor::json_internal

#endif  // STRUCTTENSOR_IO_JSON_INTERNAL_PROBLEM_H_
