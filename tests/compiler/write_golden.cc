// write_golden DIR: renews the golden files in DIR from this build. tools/golden builds and runs it.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "golden_plans.h"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_golden DIR\n");
    return 2;
  }
  namespace fs = std::filesystem;
  const fs::path target = argv[1];
  for (const auto& entry : fs::directory_iterator(target)) {
    if (entry.path().extension() != ".proto") fs::remove(entry.path());
  }
  for (const std::string& name : structtensor::GeneratedSources())
    fs::copy_file(fs::path(STRUCTTENSOR_GENERATED_DIR) / name, target / name);
  for (const structtensor::GoldenPlan& plan : structtensor::GoldenPlans()) std::ofstream(target / plan.file_name) << plan.text;
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_golden: %s\n", error.what());
  return 1;
}
