// Checks decoders against other decoders, for example the decoders of a library compiled a moment ago against the engine.
//
//   auto check = std::make_shared<DecoderCheck>(plan_of_the_engine);
//   BatchDecoder::Create(plan_of_the_library, {.check = check});
//
// The first batch of a decoder is decoded by both plans, and columns and errors are compared. If they are equal, the
// decoder's own plan serves from then on; if not, the check's plan serves, in all decoders that have the check.
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
  // `reference`: a plan of whose decode functions nobody doubts, for the message type that decoders with this check decode, or
  // one from which that type is reached. Requires: it is not null.
  explicit DecoderCheck(std::shared_ptr<const plan::MessagePlan> reference);
  DecoderCheck(const DecoderCheck&) = delete;
  DecoderCheck& operator=(const DecoderCheck&) = delete;

  // Where the first batch differed: a field path and what is different there. Nothing as long as no batch did.
  std::optional<std::string> difference() const;
  // The same for the first caller after that; nothing for all others, so that users are told once.
  std::optional<std::string> TakeDifference();

  // --- For decoders.

  // The reference's plan of the message type with that name, or null.
  std::shared_ptr<const plan::MessagePlan> ReferenceOf(std::string_view full_name) const;

  enum class Verdict {
    kNone,   // no batch was compared yet
    kEqual,  // one was, of the same fields
    kDiffers,
  };
  // `fields`: what tells decoders of different fields apart. What was compared for some says nothing of others.
  Verdict verdict(const std::string& fields) const;
  void NoteEqual(const std::string& fields);
  void NoteDifference(std::string difference);

 private:
  const std::shared_ptr<const plan::MessagePlan> reference_;
  std::unordered_map<std::string_view, const plan::MessagePlan*> by_name_;
  mutable std::mutex mutex_;  // of what follows
  std::set<std::string> equal_;
  std::optional<std::string> difference_;
  bool taken_ = false;
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_DECODE_DECODER_CHECK_H_
