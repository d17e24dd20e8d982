// Serialized messages in memory as rows: what a Scan (scan/scan.h) does with files, for those who have the messages.
//
//   absl::StatusOr<MessageDecoder> decoder = MessageDecoder::Create(plan, {.where = "status >= 500", .threads = 4});
//   absl::StatusOr<StructuredTensor> rows = decoder->Decode(messages);
#ifndef STRUCTTENSOR_SCAN_MESSAGE_DECODER_H_
#define STRUCTTENSOR_SCAN_MESSAGE_DECODER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/batch_to_tensor/to_structured_tensor.h"
#include "structtensor/decode/decoder.h"
#include "structtensor/plan/plan.h"
#include "structtensor/selection/selection.h"
#include "structtensor/tensor/structured_tensor.h"

namespace structtensor {

// Each as in ScanOptions.
struct MessageDecoderOptions {
  Selection selection = {};
  std::string where = "";
  // Limits of a batch are those of the messages that one thread decodes; max_errors counts for the whole list.
  DecodeOptions decode = {};
  TensorOptions tensor = {};
  // Threads that decode parts of the list, 1 to kMaxScanThreads. With one, the caller's thread does it. They run while Decode()
  // does. A list of few bytes has fewer parts than there may be threads.
  int threads = 1;
};

// Keep it: it reuses its memory from call to call. One thread at a time.
class MessageDecoder {
 public:
  // The decoder and all that it makes keep the plan alive. Requires: message is not null.
  // Errors: InvalidArgument for an option that is out of its range, and those of ResolveSelection, Where::Parse and
  //   BatchDecoder::Create.
  static absl::StatusOr<MessageDecoder> Create(std::shared_ptr<const plan::MessagePlan> message, MessageDecoderOptions options);

  ~MessageDecoder();
  MessageDecoder(MessageDecoder&&) noexcept;
  MessageDecoder& operator=(MessageDecoder&&) noexcept;

  // No rows: every result has its fields. Its spec with unknown sizes is that of all results.
  const StructuredTensor& empty() const;

  // Returns the rows of `messages`, in their order: of those of which the condition is true.
  // Ownership: the messages need to live until the call returns.
  // Errors: as BatchDecoder::Decode. Messages that cannot be decoded are added to `errors`, which may be null: with their index
  //   in `messages`, and with the row of the result that stands for them. A message of which the condition cannot be asked is
  //   one of them. What is wrong with a message in other fields shows only if the condition is true of it.
  absl::StatusOr<StructuredTensor> Decode(std::span<const std::string_view> messages,
                                          std::vector<MessageError>* errors = nullptr);

 private:
  class Impl;

  explicit MessageDecoder(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace structtensor

#endif  // STRUCTTENSOR_SCAN_MESSAGE_DECODER_H_
