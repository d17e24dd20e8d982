// Writes the seeds of the fuzzers as files: write_seeds arrow|column_files|decode|json|records FOLDER
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "seeds.h"

using namespace structtensor::testing;

int main(int argc, char** argv) {
  const std::string target = argc == 3 ? argv[1] : "";
  const auto seeds_of_target = [&target]() -> absl::StatusOr<std::vector<Seed>> {
    if (target == "arrow") return ArrowSeeds();
    if (target == "column_files") return ColumnFilesSeeds();
    if (target == "decode") return DecodeSeeds();
    if (target == "json") return JsonSeeds();
    if (target == "records") return RecordsSeeds();
    return std::vector<Seed>();
  };
  const absl::StatusOr<std::vector<Seed>> seeds = seeds_of_target();
  if (seeds.ok() && seeds->empty()) {
    std::cerr << "usage: write_seeds arrow|column_files|decode|json|records FOLDER\n";
    return 2;
  }
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
