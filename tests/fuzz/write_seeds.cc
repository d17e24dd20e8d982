// Writes the seeds of the fuzzers as files: write_seeds arrow|decode|json|records FOLDER
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "seeds.h"

using namespace structtensor::testing;

int main(int argc, char** argv) {
  const std::string target = argc == 3 ? argv[1] : "";
  if (target != "arrow" && target != "decode" && target != "json" && target != "records") {
    std::cerr << "usage: write_seeds arrow|decode|json|records FOLDER\n";
    return 2;
  }
  const absl::StatusOr<std::vector<Seed>> seeds = target == "decode"  ? DecodeSeeds()
                                                  : target == "json"  ? JsonSeeds()
                                                  : target == "arrow" ? ArrowSeeds()
                                                                      : RecordsSeeds();
  if (!seeds.ok()) {
    std::cerr << "write_seeds: " << seeds.status() << "\n";
    return 1;
  }
  const std::filesystem::path folder = argv[2];
  std::filesystem::create_directories(folder);
  for (const Seed& seed : *seeds) {
    std::ofstream out(folder / seed.name, std::ios::binary);
    if (!(out << seed.bytes) || !out.flush()) {
      std::cerr << "write_seeds: cannot write " << folder / seed.name << "\n";
      return 1;
    }
  }
  return 0;
}
