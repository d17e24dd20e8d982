// Runs the cases of a file of vectors.
#ifndef STRUCTTENSOR_TESTS_VECTORS_RUNNER_H_
#define STRUCTTENSOR_TESTS_VECTORS_RUNNER_H_

#include <cstdint>
#include <iosfwd>
#include <string>

#include "op.h"

namespace structtensor::vectors {

struct RunOptions {
  std::string filter;  // only cases with this in their name
  std::string op;      // only cases of this operation; empty: of all
  bool verbose = false;
};

struct Counts {
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t not_run = 0;  // cases of operations that only the Python package has

  bool ok() const { return failed == 0 && passed > 0; }
};

// Writes a line for each difference of each case that fails, with verbose also counts and who needed leniency, and at the end
// "N passed, N failed". A line of `lines` that is no case is a failure; a blank one is nothing.
Counts RunVectors(std::istream& lines, const Registry& registry, const RunOptions& options, std::ostream& out);

// All operations of op.h.
Registry AllOps();

// The name of the case that runs now, to report where the program died. Ends with '\n'.
const char* RunningCase();

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_RUNNER_H_
