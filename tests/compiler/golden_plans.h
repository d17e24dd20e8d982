// The plans of the golden schemas, as text.
#ifndef STRUCTTENSOR_TESTS_COMPILER_GOLDEN_PLANS_H_
#define STRUCTTENSOR_TESTS_COMPILER_GOLDEN_PLANS_H_

#include <string>
#include <vector>

namespace structtensor {

struct GoldenPlan {
  std::string file_name;  // "recipe.plan.txt"
  std::string text;       // plan::DebugString of the schema's root messages
};
std::vector<GoldenPlan> GoldenPlans();

// Names, without folder, of the sources that were generated for the golden schemas in this build, in alphabetical order.
std::vector<std::string> GeneratedSources();

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_COMPILER_GOLDEN_PLANS_H_
