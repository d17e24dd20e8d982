// Serialized messages written by hand, with what a conforming reader makes of them: the files of this folder. README.md
// describes their notation.
#ifndef STRUCTTENSOR_TESTS_CASES_WIRE_CASE_H_
#define STRUCTTENSOR_TESTS_CASES_WIRE_CASE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace structtensor::testing {

struct WireCase {
  std::string place;  // "varints.txt:12"
  std::string name;   // the sentence that says what it is about
  std::string type;   // of the message, without the package structtensor.testing
  bool accepted = false;
  std::string bytes;
  std::string value;  // if accepted: the message in text format, without unknown fields
};

// The bytes that `notation` describes. Errors: InvalidArgument.
absl::StatusOr<std::string> BytesOfNotation(std::string_view notation);

// The cases in the text of a file. Errors: InvalidArgument, with `file_name` and the line.
absl::StatusOr<std::vector<WireCase>> ParseCases(std::string_view text, const std::string& file_name);

// Names of the files of cases in this folder, without folder and ".txt", sorted.
std::vector<std::string> CaseFiles();

// The cases of one of CaseFiles(). Errors: those of ParseCases.
absl::StatusOr<std::vector<WireCase>> ReadCases(const std::string& name);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_CASES_WIRE_CASE_H_
