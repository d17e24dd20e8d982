// Names that somebody may have meant.
#ifndef STRUCTTENSOR_BASE_INTERNAL_SIMILAR_NAMES_H_
#define STRUCTTENSOR_BASE_INTERNAL_SIMILAR_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace structtensor::base_internal {

// Up to three of `names` that are like `name`, the likest first: a third of their letters at most differ, or one; two letters
// that have swapped places count as one. Of names with dots, the part behind the last one counts; large and small letters are
// the same.
std::vector<std::string> SimilarNames(std::string_view name, const std::vector<std::string>& names);

// "; did you mean a or b?" for those names, "" for none.
std::string DidYouMean(const std::vector<std::string>& names);

// "; it has a, b, c; did you mean a?" for what was to have a `name`, and has those names.
std::string InsteadOf(std::string_view name, const std::vector<std::string>& names);

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_BASE_INTERNAL_SIMILAR_NAMES_H_
