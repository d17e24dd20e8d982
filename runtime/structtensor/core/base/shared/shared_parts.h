// Recursive functions of values that share parts, in time linear in the number of parts.
//
//   pair_1 = (x, x), pair_2 = (pair_1, pair_1), ..., pair_60      61 parts, 2^60 ways from pair_60 to x
//
// The result for a part is kept until the outermost call of the function returns. The part is kept, too: otherwise a new part
// at the same address would be taken for it.
#ifndef STRUCTTENSOR_CORE_BASE_SHARED_SHARED_PARTS_H_
#define STRUCTTENSOR_CORE_BASE_SHARED_SHARED_PARTS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

namespace structtensor::base_internal {

// The results of one function of `num_parts` parts. Not thread-safe: each thread has its own object, in a thread_local
// variable.
template <typename Result, size_t num_parts>
class SharedParts {
 public:
  using Parts = std::array<std::shared_ptr<const void>, num_parts>;

  // Returns find(), which may call this function for parts of these parts. If the outermost call has met these parts before,
  // returns the earlier result. If a part is null (no shared pointer owns it), always calls find().
  template <typename Find>
  Result ResultOf(const Parts& parts, const Find& find) {
    std::array<const void*, num_parts> key;
    std::transform(parts.begin(), parts.end(), key.begin(), [](const auto& part) { return part.get(); });
    if (std::find(key.begin(), key.end(), nullptr) != key.end()) return find();
    if (const auto met = results_.find(key); met != results_.end()) return met->second.second;
    const Call call(*this);
    Result result = find();
    if (depth_ > 1) results_.emplace(key, std::pair(parts, result));
    return result;
  }

 private:
  using Results = std::map<std::array<const void*, num_parts>, std::pair<Parts, Result>>;

  class Call {
   public:
    explicit Call(SharedParts& results) : results_(results) { ++results_.depth_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      if (--results_.depth_ > 0) return;
      // Destroying results may call the function, as finalizers of Python objects do; it then finds an empty map.
      Results gone;
      gone.swap(results_.results_);
    }

   private:
    SharedParts& results_;
  };

  Results results_;
  int depth_ = 0;
};

}  // namespace structtensor::base_internal

#endif  // STRUCTTENSOR_CORE_BASE_SHARED_SHARED_PARTS_H_
