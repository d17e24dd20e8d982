// Checks decoders against other decoders, for example the decoders of a library compiled a moment ago against the engine.
//
//   auto check = std::make_shared<DecoderCheck>(plan_of_the_engine);
//   BatchDecoder::Create(plan_of_the_library, {.check = check});
//
// The first batch of a decoder is decoded by both plans, and columns and errors are compared. If they are equal, the decoder
// uses its own plan from then on. If not, all decoders that have the check use the check's plan.
#ifndef STRUCTTENSOR_DECODE_DECODER_CHECK_H_
#define STRUCTTENSOR_DECODE_DECODER_CHECK_H_

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "structtensor/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Safe to use from several threads.
class DecoderCheck {
 public:
  // `reference`: a plan with trusted decode functions. It is for the message type that decoders with this check decode, or for
  // a type from which that type is reached. Requires: it is not null.
  explicit DecoderCheck(std::shared_ptr<const plan::MessagePlan> reference);
  DecoderCheck(const DecoderCheck&) = delete;
  DecoderCheck& operator=(const DecoderCheck&) = delete;

  // Where the first batch differed: a field path and the difference there. Nullopt as long as no batch differed.
  std::optional<std::string> difference() const;
  // Returns difference() to the first caller after a batch differed, and nullopt to all others, so that users are told once.
  std::optional<std::string> TakeDifference();

  // --- For decoders.

  // The reference's plan of the message type with that name, or null.
  std::shared_ptr<const plan::MessagePlan> ReferenceOf(std::string_view full_name) const;

  enum class Verdict {
    kNone,   // no batch was compared yet
    kEqual,  // a batch of the same fields was compared and equal
    kDiffers,
  };
  // `fields`: identifies the set of fields that a decoder reads. A comparison for one set says nothing about other sets.
  Verdict verdict(const std::string& fields) const;
  void NoteEqual(const std::string& fields);
  void NoteDifference(std::string difference);

 private:
  const std::shared_ptr<const plan::MessagePlan> reference_;
  std::unordered_map<std::string_view, const plan::MessagePlan*> by_name_;
  mutable std::mutex mutex_;  // guards the members below
  std::set<std::string> equal_;
  std::optional<std::string> difference_;
  bool taken_ = false;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_DECODE_DECODER_CHECK_H_
