// Bytes that end just before a page that cannot be accessed. Code that reads too far dies at that instruction.
#ifndef STRUCTTENSOR_TESTS_ORACLE_GUARDED_BYTES_H_
#define STRUCTTENSOR_TESTS_ORACLE_GUARDED_BYTES_H_

#include <cstddef>
#include <string_view>

namespace structtensor::testing {

class GuardedBytes {
 public:
  GuardedBytes() = default;
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // Returns a copy of `bytes` that ends `distance_bytes` in front of the page. The bytes between are 0xff, which
  // must not be taken for the end of a varint. Ownership: valid until the next call.
  std::string_view Place(std::string_view bytes, size_t distance_bytes);

 private:
  void Release();

  char* memory_ = nullptr;
  size_t usable_bytes_ = 0;  // in front of the page
};

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_GUARDED_BYTES_H_
