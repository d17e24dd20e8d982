// The messages that were left out, as the user is told of them.
#ifndef STRUCTTENSOR_CONVERTER_SKIP_LIST_H_
#define STRUCTTENSOR_CONVERTER_SKIP_LIST_H_

#include <cstdint>
#include <string>

namespace structtensor {

// Prints the first ten to standard error as they come, and at the end how many more there were.
class SkipList {
 public:
  // `what` says where the message was and what is wrong with it.
  void Add(const std::string& what);
  void Finish() const;

  int64_t count() const { return count_; }

 private:
  int64_t count_ = 0;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_CONVERTER_SKIP_LIST_H_
