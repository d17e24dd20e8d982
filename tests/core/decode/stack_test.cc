// The stack that a message nested as deep as max_depth needs. docs/design.md has the measured figures; these leave a margin.
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "everything.structtensor.h"
#include "structtensor/core/column/abi/tree.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "wire_bytes.h"

namespace structtensor::testing {
namespace {

constexpr size_t kDecodeStackBytes = size_t{96} << 10;
constexpr size_t kTensorStackBytes = size_t{256} << 10;

// Runs `function` in a thread with that much stack. A function that needs more ends the program.
template <typename Function>
void RunWithStack(size_t stack_bytes, Function function) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_bytes), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<Function*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &function), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

// A Tree with 100 levels of `left` below it.
std::string DeepTree() {
  std::string message = VarintField(1, 1);
  for (int level = 0; level < 100; ++level) message = LenField(2, message);
  return message;
}

TEST(StackTest, Decode) {
  const std::string message = DeepTree();
  const std::array<std::string_view, 1> messages = {message};
  BatchDecoder decoder(TreeColumns::plan());
  absl::StatusOr<DecodedBatch> batch = absl::UnknownError("");
  RunWithStack(kDecodeStackBytes, [&] { batch = decoder.Decode(messages); });
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->tree().paths(), 100u);
}

TEST(StackTest, Tensor) {
  const std::string message = DeepTree();
  const absl::StatusOr<DecodedBatch> batch = BatchDecoder(TreeColumns::plan()).Decode(std::array<std::string_view, 1>{message});
  ASSERT_TRUE(batch.ok()) << batch.status();
  absl::Status status;
  RunWithStack(kTensorStackBytes, [&] { status = ToStructuredTensor(*batch).status(); });  // makes and destroys the tensor
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace structtensor::testing
