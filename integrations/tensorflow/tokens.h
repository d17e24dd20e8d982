// Reads attributes that describe something as a list of strings.
#ifndef STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_TOKENS_H_
#define STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_TOKENS_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/status.h"

namespace structtensor::tensorflow {

class Tokens {
 public:
  // `what`: the attribute's name, for error messages.
  Tokens(std::string what, std::span<const std::string> strings) : what_(std::move(what)), strings_(strings) {}

  bool empty() const { return next_ == strings_.size(); }

  absl::StatusOr<std::string> Text() {
    if (empty()) return Wrong("ends too early");
    return strings_[next_++];
  }

  // From `least` to `most`.
  absl::StatusOr<int64_t> Integer(int64_t least, int64_t most) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const std::string text, Text());
    int64_t number = 0;
    if (!absl::SimpleAtoi(text, &number) || number < least || number > most) {
      return Wrong(absl::StrCat("has \"", text, "\" where an integer from ", least, " to ", most, " is expected"));
    }
    return number;
  }

  absl::Status Wrong(const std::string& how) const {
    return absl::InvalidArgumentError(absl::StrCat("the attribute ", what_, " ", how, ", at text ", next_));
  }

 private:
  std::string what_;
  std::span<const std::string> strings_;
  size_t next_ = 0;
};

}  // namespace structtensor::tensorflow

#endif  // STRUCTTENSOR_INTEGRATIONS_TENSORFLOW_TOKENS_H_
