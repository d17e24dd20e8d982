// Serialized messages in memory as rows. A Scan (app/scan/scan.h) does the same with files.
//
//   absl::StatusOr<MessageDecoder> decoder = MessageDecoder::Create(plan, {.where = "status >= 500", .threads = 4});
//   absl::StatusOr<StructuredTensor> rows = decoder->Decode(messages);
#ifndef STRUCTTENSOR_APP_SCAN_MESSAGE_DECODER_H_
#define STRUCTTENSOR_APP_SCAN_MESSAGE_DECODER_H_

#include <concepts>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/app/scan/row_options.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/plan/plan.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/values/structured_tensor.h"

namespace structtensor {

// Keep the decoder: it reuses its memory from call to call. One thread at a time.
class MessageDecoder {
 public:
  // The decoder and its results keep the plan alive. Requires: message is not null.
  // Errors: InvalidArgument for an option that is out of its range, and the errors of ResolveSelection, RowCondition::Parse and
  //   BatchDecoder::Create.
  static absl::StatusOr<MessageDecoder> Create(std::shared_ptr<const plan::MessagePlan> message, RowOptions options);

  ~MessageDecoder();
  MessageDecoder(MessageDecoder&&) noexcept;
  MessageDecoder& operator=(MessageDecoder&&) noexcept;

  // A result without rows. Every result has its fields. With unknown sizes, its spec is the spec of every result.
  const StructuredTensor& empty() const;

  // Returns the rows of those `messages` for which the condition is true, in order.
  // Ownership: the messages must live until the call returns.
  // Errors: as BatchDecoder::Decode. Messages that cannot be decoded are added to `errors`, which may be null: with their index
  //   in `messages`, and with their row in the result. So are messages for which the condition cannot be
  //   evaluated. Errors in other fields of a message are found only if the condition is true for it.
  absl::StatusOr<StructuredTensor> Decode(std::span<const std::string_view> messages,
                                          std::vector<MessageError>* errors = nullptr);
  // The same for another range of messages, such as a std::vector<std::string>.
  template <RangeOfMessages Messages>
  absl::StatusOr<StructuredTensor> Decode(Messages&& messages, std::vector<MessageError>* errors = nullptr) {
    return Decode(decode_internal::ViewsOf(std::ranges::begin(messages), std::ranges::end(messages), views_), errors);
  }
  // Decode takes a range of messages. This overload is for a short error.
  template <std::convertible_to<std::string_view> Message>
  void Decode(Message&&, std::vector<MessageError>* = nullptr) = delete;  // one message: std::array{message}

  // The unknown values that the last Decode() has dropped, as BatchDecoder::unknown_values(), with indexes in its `messages`.
  const std::vector<UnknownValues>& unknown_values() const;

  // The times that differ from those of the messages in the result of the last Decode(), each field once.
  const std::vector<InexactTimes>& inexact_times() const;

  // Frees all memory that no result uses (BatchDecoder::Shrink).
  void Shrink();

 private:
  class Impl;

  explicit MessageDecoder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  std::vector<std::string_view> views_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_APP_SCAN_MESSAGE_DECODER_H_
