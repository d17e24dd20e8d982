#include "golden_plans.h"

#include <algorithm>
#include <filesystem>

#include "annotated.structtensor.h"
#include "naming.structtensor.h"
#include "naming_forwards.structtensor.h"
#include "naming_no_package.structtensor.h"
#include "proto2.structtensor.h"
#include "proto2_extensions.structtensor.h"
#include "recipe.structtensor.h"

namespace structtensor {

std::vector<GoldenPlan> GoldenPlans() {
  namespace naming = golden::namespace_::std_;
  return {
      {"recipe.plan.txt", plan::DebugString(cookbook::RecipeColumns::plan())},
      {"annotated.plan.txt", plan::DebugString(golden::annotated::ReadingColumns::plan())},
      {"proto2.plan.txt", plan::DebugString(golden::MeasurementColumns::plan())},
      {"naming.plan.txt", plan::DebugString(naming::FooColumns_::plan()) +
                              plan::DebugString(naming::DecodeTreeColumns::plan()) +
                              plan::DebugString(MessageColumns_::plan())},
  };
}

std::vector<std::string> GeneratedSources() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(STRUCTTENSOR_GENERATED_DIR)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace structtensor
