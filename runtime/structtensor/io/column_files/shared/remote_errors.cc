#include "structtensor/io/column_files/shared/remote_errors.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::column_files_internal {
namespace {

// Strings in error messages of Arrow's, AWS's and Google's libraries, and what they mean here. The first match counts.
struct Meaning {
  std::string_view text;
  absl::StatusCode code;
  std::string_view advice;
};
constexpr std::string_view kCredentials =
    "no right to do this, or no credentials; they come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile "
    "(AWS_PROFILE) "
    "or the machine's role, for gs:// from GOOGLE_APPLICATION_CREDENTIALS";
constexpr std::string_view kNetwork =
    "no S3 or GCS server answers; check the network, and endpoint_override and scheme after the path's '?'";
constexpr Meaning kMeanings[] = {
    {"NO_SUCH_BUCKET", absl::StatusCode::kNotFound, "there is no such bucket"},
    {"NoSuchBucket", absl::StatusCode::kNotFound, "there is no such bucket"},
    {"ACCESS_DENIED", absl::StatusCode::kPermissionDenied, kCredentials},
    {"HTTP status 403", absl::StatusCode::kPermissionDenied, kCredentials},
    {"INVALID_ACCESS_KEY_ID", absl::StatusCode::kPermissionDenied, kCredentials},
    {"SIGNATURE_DOES_NOT_MATCH", absl::StatusCode::kPermissionDenied, kCredentials},
    {"NETWORK_CONNECTION", absl::StatusCode::kUnavailable, kNetwork},
};

}  // namespace

absl::Status RemoteError(absl::StatusCode code, std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return absl::ascii_iscntrl(c); }, ' ');
  absl::RemoveExtraAsciiWhitespace(&line);
  for (const Meaning& meaning : kMeanings) {
    if (line.find(meaning.text) == std::string::npos) continue;
    return absl::Status(meaning.code, absl::StrCat(ToAbsl(meaning.advice), " (", line, ")"));
  }
  if (code == absl::StatusCode::kNotFound) return absl::NotFoundError(absl::StrCat("there is no such file (", line, ")"));
  return absl::Status(code, line);
}

}  // namespace structtensor::column_files_internal
