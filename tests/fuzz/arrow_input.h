// Arrow data as a careless producer hands them over: the fuzzer's bytes decide the types, lengths, offsets and what buffers
// have. The sizes of buffers are right, because the C data interface leaves a consumer no way to see them.
#ifndef STRUCTTENSOR_TESTS_FUZZ_ARROW_INPUT_H_
#define STRUCTTENSOR_TESTS_FUZZ_ARROW_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/io/arrow/c_data.h"

namespace structtensor::testing {

class ArrowInput {
 public:
  explicit ArrowInput(std::string_view bytes);
  ArrowInput(const ArrowInput&) = delete;
  ArrowInput& operator=(const ArrowInput&) = delete;

  const ArrowSchema& schema() const { return schemas_.front(); }
  // To be taken over once. All memory of the array is freed when it is released.
  ArrowArray* array() { return &root_; }
  int releases() const { return releases_; }
  // Of the array with the most elements, which need not be there.
  int64_t max_length() const { return max_length_; }

 private:
  // The memory of one array and its children. Each buffer is an allocation of its own, which the address sanitizer watches.
  struct Memory {
    std::deque<ArrowArray> arrays;
    std::deque<std::vector<ArrowArray*>> children;
    std::deque<std::vector<const void*>> buffers;
    std::deque<std::unique_ptr<char[]>> bytes;
    int* releases;
  };

  uint8_t Byte();
  int64_t Below(int64_t end) { return Byte() % end; }
  bool Rarely() { return Byte() > 248; }
  int64_t Wild();

  // Memory of `count` elements for which `fill` has the values; null if the array promises more than can be there.
  template <typename T, typename Fill>
  const void* Filled(int64_t count, Fill fill);
  const void* Bits(int64_t count);
  template <typename Offset>
  const void* Offsets(int64_t count, int64_t* end);

  // Makes a type and an array. Most of the time, the array has at least `needed` elements.
  void Make(int64_t needed, int depth, ArrowSchema& schema, ArrowArray& array);
  void MakeRunEnds(int64_t needed, ArrowSchema& schema, ArrowArray& array);
  void MakeScalar(int64_t kind, int64_t total, ArrowSchema& schema, ArrowArray& array);
  void MakeNested(int64_t kind, int64_t total, int depth, ArrowSchema& schema, ArrowArray& array);
  void MakeUnion(bool dense, int64_t total, int depth, ArrowSchema& schema, ArrowArray& array);
  template <typename Offset>
  void MakeStrings(const char* format, int64_t total, ArrowSchema& schema, ArrowArray& array);
  void MakeStringViews(int64_t total, ArrowSchema& schema, ArrowArray& array);

  void Named(ArrowSchema& schema, std::string format);
  void WithBuffers(ArrowArray& array, std::initializer_list<const void*> buffers);
  // Makes one child for each number in `needed`: the number of elements that the child needs.
  void WithChildren(ArrowSchema& schema, ArrowArray& array, const std::vector<int64_t>& needed, int depth);

  std::string_view rest_;
  int nodes_ = 0;
  int64_t max_length_ = 0;
  std::deque<ArrowSchema> schemas_;
  std::deque<std::vector<ArrowSchema*>> schema_children_;
  std::deque<std::string> strings_;
  Memory* memory_;  // the root's
  ArrowArray root_ = {};
  int releases_ = 0;
};

// Imports the array that the bytes describe. An array that is accepted must be equal after it is exported and imported again.
// One that is refused must be released.
// Returns "" if all is well, else what is wrong.
std::string CheckArrow(std::string_view input);

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_FUZZ_ARROW_INPUT_H_
