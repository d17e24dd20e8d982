#include "batch_compare.h"

#include <cstddef>
#include <vector>

#include "batch_difference.h"
#include "structtensor/core/encode/encoder.h"

namespace structtensor::testing {
namespace {

std::string DifferenceOfEncodings(const DecodedBatch& a, const DecodedBatch& b) {
  for (const bool sort_map_keys : {false, true}) {
    const EncodeOptions options = {.sort_map_keys = sort_map_keys};
    const absl::StatusOr<EncodedBatch> of_a = BatchEncoder::Create(a.plan(), options)->Encode(a.tree());
    const absl::StatusOr<EncodedBatch> of_b = BatchEncoder::Create(b.plan(), options)->Encode(b.tree());
    if (of_a.status() != of_b.status()) return "encoding: " + of_a.status().ToString() + " and " + of_b.status().ToString();
    if (!of_a.ok()) continue;
    if (of_a->size() != of_b->size()) return "encoding: number of messages";
    for (size_t i = 0; i < of_a->size(); ++i) {
      if ((*of_a)[i] != (*of_b)[i]) return "encoding: row " + std::to_string(i);
    }
  }
  return "";
}

}  // namespace

std::string DifferenceOfDecoders(BatchDecoder& a, BatchDecoder& b, std::span<const std::string_view> messages,
                                 size_t* refused) {
  std::vector<MessageError> errors_of_a;
  std::vector<MessageError> errors_of_b;
  const absl::StatusOr<DecodedBatch> of_a = a.Decode(messages, &errors_of_a);
  const absl::StatusOr<DecodedBatch> of_b = b.Decode(messages, &errors_of_b);
  if (refused != nullptr) *refused += errors_of_a.size() + (of_a.ok() ? 0 : messages.size());
  if (of_a.status().code() != of_b.status().code()) return of_a.status().ToString() + " and " + of_b.status().ToString();
  std::string difference = DifferenceOfErrors(errors_of_a, errors_of_b, messages);
  if (!difference.empty() || !of_a.ok()) return difference;
  difference = DifferenceOfBatches(*of_a, *of_b);
  return difference.empty() ? DifferenceOfEncodings(*of_a, *of_b) : difference;
}

}  // namespace structtensor::testing
