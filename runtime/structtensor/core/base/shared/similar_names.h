// Suggestions for misspelled names.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_SIMILAR_NAMES_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_SIMILAR_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace structtensor::base_internal {

// Up to three of `names` that are like `name`, the likest first. Alike: at most a third of the letters differ, or one letter;
// two swapped letters count as one. Of names with dots, only the part after the last dot counts. Upper and lower case are the
// same.
std::vector<std::string> SimilarNames(std::string_view name, const std::vector<std::string>& names);

// "; did you mean a or b?" for the given names, "" for none.
std::string DidYouMean(const std::vector<std::string>& names);

// "; it has a, b, c; did you mean a?" for something that has `names` and not `name`.
std::string InsteadOf(std::string_view name, const std::vector<std::string>& names);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_SIMILAR_NAMES_H_
