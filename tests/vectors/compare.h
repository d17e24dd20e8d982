// The rules that decide whether our result agrees with TensorFlow's. README.md describes them.
#ifndef STRUCTTENSOR_TESTS_VECTORS_COMPARE_H_
#define STRUCTTENSOR_TESTS_VECTORS_COMPARE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "op.h"

namespace structtensor::vectors {

struct CompareOptions {
  bool compare_splits_dtype = true;  // row_splits_dtype and shape_dtype
  bool exact_specs = false;          // a spec may not know more than expected
  bool approximate_floats = false;   // of arithmetic
  bool unordered = false;            // items of a list, lines of a text
};

// One difference.
struct Difference {
  std::string path;  // in the dump
  std::string expected;
  std::string found;

  std::string DebugString() const;
};

class Comparison {
 public:
  explicit Comparison(CompareOptions options) : options_(options) {}

  // Adds how `found` differs from `expected`; both are dumps.
  void CompareDumps(const Json& expected, const Json& found, const std::string& path);
  // The same of nested Python values.
  void ComparePyval(const Json& expected, const Json& found, const std::string& path);
  // The same of specs in TensorFlow's text form.
  void CompareSpecs(std::string_view expected, std::string_view found, const std::string& path);

  const std::vector<Difference>& differences() const { return differences_; }
  // Whether something dense met something ragged of the same values.
  bool met_other_kind() const { return met_other_kind_; }

 private:
  void Add(const std::string& path, const Json& expected, const Json& found);
  void CompareArrays(const Json& expected, const Json& found, const std::string& path);
  void CompareStructs(const Json& expected, const Json& found, const std::string& path);
  void CompareRowPartitions(const Json& expected, const Json& found, const std::string& path);
  void CompareLists(const Json& expected, const Json& found, const std::string& path);
  bool CompareValueInPy(const Json& expected, const Json& found, const std::string& path);
  void ComparePy(const Json& expected, const Json& found, const std::string& path);
  void CompareMembers(const Json& expected, const Json& found, const std::string& path);
  void CompareSpecTrees(const Json& expected, const Json& found, const std::string& path);
  // A list of dimensions, or one: what `expected` knows, `found` must know too.
  void CompareKnown(const Json& expected, const Json& found, const std::string& path);
  // Elements of a tensor of that dtype.
  bool EqualElements(const Json& expected, const Json& found, std::string_view dtype) const;

  CompareOptions options_;
  // Of the struct of rank >= 2 that the array is a field of; empty if of none.
  std::string struct_splits_dtype_;
  std::vector<Difference> differences_;
  bool met_other_kind_ = false;
};

// Whether `status` is an error of the kind that TensorFlow's error `expected` ({"class", "message"}) is; `op` is that
// of the case. `wanted` receives the kinds that would do, in words.
bool IsErrorLike(const Json& expected, const std::string& op, const absl::Status& status, std::string* wanted);

}  // namespace structtensor::vectors

#endif  // STRUCTTENSOR_TESTS_VECTORS_COMPARE_H_
