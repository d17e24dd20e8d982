// What the plugin does for a large schema grows with the schema, not with its square.
#include <google/protobuf/compiler/code_generator.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>

#include "heap_meter.h"
#include "structtensor/compiler/generator.h"

namespace structtensor::testing {
namespace {

namespace pb = ::google::protobuf;

class FilesInMemory : public pb::compiler::GeneratorContext {
 public:
  pb::io::ZeroCopyOutputStream* Open(const std::string&) override {
    return new pb::io::StringOutputStream(&strings_.emplace_back());
  }
  size_t size_bytes() const {
    size_t sum = 0;
    for (const std::string& text : strings_) sum += text.size();
    return sum;
  }

 private:
  std::deque<std::string> strings_;
};

struct Cost {
  size_t blocks = 0;  // asked of the heap: nearly every step of the plugin makes a string
  size_t output_bytes = 0;
};

Cost CostOf(const pb::FileDescriptorProto& proto) {
  pb::DescriptorPool pool;
  const pb::FileDescriptor* file = pool.BuildFile(proto);
  EXPECT_NE(file, nullptr);
  if (file == nullptr) return {};
  FilesInMemory files;
  std::string error;
  const HeapMeter meter;
  EXPECT_TRUE(compiler::Generator().GenerateAll({file}, "", &files, &error)) << error;
  return {meter.allocations(), files.size_bytes()};
}

pb::FieldDescriptorProto* AddField(pb::DescriptorProto* message, int number, pb::FieldDescriptorProto::Type type) {
  pb::FieldDescriptorProto* field = message->add_field();
  field->set_name("field_" + std::to_string(number));
  field->set_number(number);
  field->set_type(type);
  field->set_label(pb::FieldDescriptorProto::LABEL_OPTIONAL);
  return field;
}

pb::FileDescriptorProto NewFile() {
  pb::FileDescriptorProto file;
  file.set_name("large.proto");
  file.set_package("large");
  return file;
}

// Field numbers from 19000 to 19999 are protobuf's own.
constexpr int kFields = 18'000;
constexpr int kMessages = 20'000;
constexpr int kTimes = 8;

void ExpectLinear(const std::function<pb::FileDescriptorProto(int)>& make, int size) {
  const Cost small = CostOf(make(size / kTimes));
  const Cost large = CostOf(make(size));
  EXPECT_LE(large.blocks, small.blocks * kTimes * 3 / 2);
  EXPECT_LE(large.output_bytes, small.output_bytes * kTimes * 3 / 2);
}

TEST(LargeSchemaTest, ManyFieldsOfOneMessage) {
  ExpectLinear(
      [](int size) {
        pb::FileDescriptorProto file = NewFile();
        pb::DescriptorProto* message = file.add_message_type();
        message->set_name("Wide");
        for (int i = 1; i <= size; ++i) AddField(message, i, pb::FieldDescriptorProto::TYPE_INT32);
        return file;
      },
      kFields);
}

TEST(LargeSchemaTest, ManyMembersOfOneOneof) {
  ExpectLinear(
      [](int size) {
        pb::FileDescriptorProto file = NewFile();
        pb::DescriptorProto* message = file.add_message_type();
        message->set_name("Either");
        message->add_oneof_decl()->set_name("kind");
        for (int i = 1; i <= size; ++i) AddField(message, i, pb::FieldDescriptorProto::TYPE_STRING)->set_oneof_index(0);
        return file;
      },
      kFields);
}

TEST(LargeSchemaTest, ManyMessagesThatOneHolds) {
  ExpectLinear(
      [](int size) {
        pb::FileDescriptorProto file = NewFile();
        pb::DescriptorProto* holder = file.add_message_type();
        holder->set_name("Holder");
        for (int i = 1; i <= size; ++i) {
          const std::string name = "Message" + std::to_string(i);
          AddField(holder, i, pb::FieldDescriptorProto::TYPE_MESSAGE)->set_type_name(".large." + name);
          file.add_message_type()->set_name(name);
        }
        return file;
      },
      kFields);
}

// Each holds the one before it, and the first one has a required field.
TEST(LargeSchemaTest, LongChainOfMessages) {
  ExpectLinear(
      [](int size) {
        pb::FileDescriptorProto file = NewFile();
        for (int i = 1; i <= size; ++i) {
          pb::DescriptorProto* message = file.add_message_type();
          message->set_name("Message" + std::to_string(i));
          if (i == 1) {
            AddField(message, 1, pb::FieldDescriptorProto::TYPE_INT64)->set_label(pb::FieldDescriptorProto::LABEL_REQUIRED);
          } else {
            AddField(message, 1, pb::FieldDescriptorProto::TYPE_MESSAGE)
                ->set_type_name(".large.Message" + std::to_string(i - 1));
          }
        }
        return file;
      },
      kMessages);
}

}  // namespace
}  // namespace structtensor::testing
