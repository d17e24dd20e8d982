// The memory that a decoder may touch: no heap memory once it is warm, and no byte of a page that the input does not reach.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "everything.structtensor.h"
#include "everything2.structtensor.h"
#include "log_silencer.h"
#include "oracle.h"
#include "random_message.h"
#include "wide.structtensor.h"
#include "wire_bytes.h"

namespace {

thread_local size_t allocations = 0;

}  // namespace

// Every way to the heap of this program, operator new among them, counted. A sanitizer needs these for itself, so sanitized
// builds leave this file out.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size_bytes) {
  ++allocations;
  return __libc_malloc(size_bytes);
}
void* calloc(size_t count, size_t size_bytes) {
  ++allocations;
  return __libc_calloc(count, size_bytes);
}
void* realloc(void* block, size_t size_bytes) {
  ++allocations;
  return __libc_realloc(block, size_bytes);
}
void* aligned_alloc(size_t alignment, size_t size_bytes) {
  ++allocations;
  return __libc_memalign(alignment, size_bytes);
}
int posix_memalign(void** block, size_t alignment, size_t size_bytes) {
  ++allocations;
  *block = __libc_memalign(alignment, size_bytes);
  return *block == nullptr ? ENOMEM : 0;
}
}

namespace structtensor::testing {
namespace {

std::vector<std::string> RandomMessages(OracleSchema& schema, const plan::MessagePlan& plan, size_t count, double probability,
                                        size_t max_elements) {
  std::vector<std::string> messages;
  Random random(11);
  FillOptions fill;
  fill.probability = probability;
  fill.depth = 3;
  fill.max_elements = max_elements;
  fill.extensions = &schema.pool();
  while (messages.size() < count) {
    const auto message = schema.New(schema.Find(std::string(plan.full_name)));
    Fill(random, fill, message.get());
    if (message->IsInitialized()) messages.push_back(message->SerializeAsString());
  }
  return messages;
}

// Messages are stored one after the other over many pages, so some end exactly at the end of a page.
TEST(MemoryTest, WarmDecoderAllocatesNothing) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  for (const plan::MessagePlan* plan : {&EverythingColumns::plan(), &Everything2Columns::plan(), &MapsColumns::plan()}) {
    SCOPED_TRACE(plan->full_name);
    std::string bytes;
    std::vector<size_t> ends;
    for (const std::string& message : RandomMessages(schema, *plan, 300, 0.2, 1)) {
      bytes += message;
      ends.push_back(bytes.size());
    }
    std::vector<std::string_view> messages;
    for (size_t i = 0; i < ends.size(); ++i) {
      const size_t begin = i == 0 ? 0 : ends[i - 1];
      messages.push_back(std::string_view(bytes).substr(begin, ends[i] - begin));
    }
    BatchDecoder decoder(*plan);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(decoder.Decode(messages).ok());
    const size_t before = allocations;
    const bool ok = decoder.Decode(messages).ok();
    const size_t after = allocations;
    EXPECT_TRUE(ok);
    EXPECT_EQ(after - before, 0u);
  }
}

// Keys in no order, so that they are looked up in a table.
TEST(MemoryTest, WarmDecoderAllocatesNothingForMapKeys) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const auto message = schema.New(schema.Find("structtensor.testing.WellKnown"));
  const google::protobuf::Descriptor* type = message->GetDescriptor();
  google::protobuf::Message* fields = message->GetReflection()->MutableMessage(message.get(), type->FindFieldByName("struct"));
  const google::protobuf::FieldDescriptor* map = fields->GetDescriptor()->FindFieldByName("fields");
  for (int i = 0; i < 50; ++i) {
    google::protobuf::Message* entry = fields->GetReflection()->AddMessage(fields, map);
    entry->GetReflection()->SetString(entry, map->message_type()->map_key(), std::to_string(i * 37 % 50));
  }
  const std::string bytes = message->SerializeAsString();
  const std::vector<std::string_view> messages(20, bytes);
  BatchDecoder decoder(WellKnownColumns::plan());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(decoder.Decode(messages).ok());
  const size_t before = allocations;
  const bool ok = decoder.Decode(messages).ok();
  const size_t after = allocations;
  EXPECT_TRUE(ok);
  EXPECT_EQ(after - before, 0u);
}

// Each batch has other columns than the one before, and the columns take much more memory than the messages.
TEST(MemoryTest, WarmDecoderKeepsTheColumnsOfAWideType) {
  constexpr uint32_t kFields = 2000, kFieldsPerMessage = 10, kMessages = 10;
  std::vector<std::vector<std::string>> batches;
  for (uint32_t first = 1; first <= kFields;) {
    std::vector<std::string>& messages = batches.emplace_back();
    while (messages.size() < kMessages) {
      std::string& message = messages.emplace_back();
      for (uint32_t i = 0; i < kFieldsPerMessage; ++i) message += VarintField(first++, 7);
    }
  }
  BatchDecoder decoder(Wide2000Columns::plan());
  const auto decode_all = [&] {
    bool ok = true;
    for (const std::vector<std::string>& messages : batches) ok = decoder.Decode(messages).ok() && ok;
    return ok;
  };
  // A decoder gives up memory after many batches that have no use for it. These are more.
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(decode_all());
  const size_t before = allocations;
  const bool ok = decode_all();
  const size_t after = allocations;
  EXPECT_TRUE(ok);
  EXPECT_EQ(after - before, 0u);
}

// Two pages. The second one cannot be accessed.
class GuardedPage {
 public:
  GuardedPage() {
    size_bytes_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* pages = mmap(nullptr, 2 * size_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) std::abort();
    begin_ = static_cast<char*>(pages);
    if (mprotect(begin_ + size_bytes_, size_bytes_, PROT_NONE) != 0) std::abort();
  }
  ~GuardedPage() { munmap(begin_, 2 * size_bytes_); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;

  size_t size_bytes() const { return size_bytes_; }
  // A copy of `bytes` that ends `distance` bytes in front of the second page.
  std::string_view Place(std::string_view bytes, size_t distance) {
    char* begin = begin_ + size_bytes_ - distance - bytes.size();
    std::memcpy(begin, bytes.data(), bytes.size());
    return {begin, bytes.size()};
  }

 private:
  size_t size_bytes_;
  char* begin_;
};

TEST(MemoryTest, NothingIsReadFromThePageAfterTheInput) {
  OracleSchema schema(STRUCTTENSOR_EVERYTHING_DESCRIPTOR_SET);
  const LogSilencer silencer;
  GuardedPage page;
  DecodeOptions options;
  options.on_error = DecodeOptions::OnError::kSkip;
  for (const plan::MessagePlan* plan :
       {&EverythingColumns::plan(), &Everything2Columns::plan(), &UnpackedColumns::plan(), &WideColumns::plan()}) {
    SCOPED_TRACE(plan->full_name);
    const google::protobuf::Descriptor* type = schema.Find(std::string(plan->full_name));
    BatchDecoder decoder = *BatchDecoder::Create(*plan, options);
    for (const std::string& message : RandomMessages(schema, *plan, 4, 0.15, 3)) {
      for (size_t size_bytes = 0; size_bytes <= std::min(message.size(), page.size_bytes() - 128); ++size_bytes) {
        const std::string_view placed = page.Place(std::string_view(message).substr(0, size_bytes), 0);
        const std::vector<ParsedMessage> parsed = ParseAll(schema, type, std::span(&placed, 1));
        ASSERT_EQ(DecodeAndCompare(schema, parsed, std::span(&placed, 1), decoder), "")
            << "prefix of " << size_bytes << " bytes";
      }
      for (size_t distance = 0; distance < 80 && message.size() + 80 < page.size_bytes(); ++distance) {
        const std::string_view placed = page.Place(message, distance);
        const std::vector<ParsedMessage> parsed = ParseAll(schema, type, std::span(&placed, 1));
        ASSERT_EQ(DecodeAndCompare(schema, parsed, std::span(&placed, 1), decoder), "")
            << distance << " bytes before the page's end";
      }
    }
  }
}

}  // namespace
}  // namespace structtensor::testing
