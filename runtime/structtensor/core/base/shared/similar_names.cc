#include "structtensor/core/base/shared/similar_names.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace structtensor::base_internal {
namespace {

// The number of edits that turn one name into the other, in lower case. An edit changes, removes or adds one letter, or swaps
// two neighbouring letters.
size_t Distance(std::string_view a, std::string_view b) {
  const auto same = [&](size_t i, size_t j) {
    return absl::ascii_tolower(static_cast<unsigned char>(a[i])) == absl::ascii_tolower(static_cast<unsigned char>(b[j]));
  };
  // The distances of the first i letters of `a`, and of the first i - 1 and i - 2, to the first letters of `b`.
  std::vector<size_t> row(b.size() + 1), above(b.size() + 1), two_above(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    two_above.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) row[j] = std::min(row[j], two_above[j - 2] + 1);
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
    const size_t longer = std::max(last.size(), other.size());
    // Two different names of one letter have nothing in common.
    if (distance < longer && distance <= std::max<size_t>(1, longer / 3)) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> closest;
  for (size_t i = 0; i < near.size() && i < kMaxNames; ++i) closest.push_back(std::move(near[i].second));
  return closest;
}

std::string DidYouMean(const std::vector<std::string>& names) {
  return names.empty() ? "" : absl::StrCat("; did you mean ", absl::StrJoin(names, " or "), "?");
}

std::string InsteadOf(std::string_view name, const std::vector<std::string>& names) {
  if (names.empty()) return "; it has none";
  return absl::StrCat("; it has ", absl::StrJoin(names, ", "), DidYouMean(SimilarNames(name, names)));
}

}  // namespace structtensor::base_internal
