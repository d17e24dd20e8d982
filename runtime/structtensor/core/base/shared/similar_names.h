// Suggestions for misspelled names.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_SIMILAR_NAMES_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_SIMILAR_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace structtensor::base_internal {

// Returns up to three of `names` within edit distance max(1, length / 3) of `name`, closest first, if they have a letter in
// common. Two swapped letters count as one edit. Case does not matter, and of names with dots only the part after the last dot
// counts.
std::vector<std::string> SimilarNames(std::string_view name, const std::vector<std::string>& names);

// "; did you mean a or b?" for the given names, "" for none.
std::string DidYouMean(const std::vector<std::string>& names);

// "; it has a, b, c; did you mean a?" for something that has `names` and not `name`.
std::string InsteadOf(std::string_view name, const std::vector<std::string>& names);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_SIMILAR_NAMES_H_
