#include "structtensor/base/internal/similar_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace structtensor::base_internal {
namespace {

// How many single letters have to change, to go or to come for one name to become the other, in lower case.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = absl::ascii_tolower(static_cast<unsigned char>(a[i - 1])) ==
                        absl::ascii_tolower(static_cast<unsigned char>(b[j - 1]));
      const size_t best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[b.size()];
}

std::string_view LastPart(std::string_view full_name) {
  const size_t dot = full_name.rfind('.');
  return dot == std::string_view::npos ? full_name : full_name.substr(dot + 1);
}

}  // namespace

std::vector<std::string> SimilarNames(std::string_view name, const std::vector<std::string>& names) {
  constexpr size_t kMaxNames = 3;
  constexpr size_t kMaxNameBytes = 200;
  const std::string_view last = LastPart(name);
  if (last.size() > kMaxNameBytes) return {};
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : names) {
    const std::string_view other = LastPart(candidate);
    if (other.size() > kMaxNameBytes) continue;
    const size_t distance = Distance(last, other);
    if (distance <= std::max<size_t>(1, std::max(last.size(), other.size()) / 3)) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> likest;
  for (size_t i = 0; i < near.size() && i < kMaxNames; ++i) likest.push_back(std::move(near[i].second));
  return likest;
}

std::string DidYouMean(const std::vector<std::string>& names) {
  return names.empty() ? "" : absl::StrCat("; did you mean ", absl::StrJoin(names, " or "), "?");
}

}  // namespace structtensor::base_internal
