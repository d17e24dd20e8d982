// Serialized messages of annotated.proto and annotated2.proto from their text format, by libprotobuf.
#ifndef STRUCTTENSOR_TESTS_PROTOS_ANNOTATED_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_PROTOS_ANNOTATED_TESTUTIL_H_

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>

#include <fstream>
#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace structtensor::testing {

inline std::string SerializedAnnotated(const std::string& type, const std::string& text) {
  struct Types {
    Types() {
      google::protobuf::FileDescriptorSet files;
      std::ifstream in(STRUCTTENSOR_ANNOTATED_DESCRIPTOR_SET, std::ios::binary);
      EXPECT_TRUE(files.ParseFromIstream(&in));
      for (const google::protobuf::FileDescriptorProto& file : files.file()) EXPECT_NE(pool.BuildFile(file), nullptr);
    }
    google::protobuf::DescriptorPool pool;
    google::protobuf::DynamicMessageFactory factory{&pool};
  };
  static Types* const types = new Types;
  const auto* const descriptor = types->pool.FindMessageTypeByName("structtensor.testing.annotated." + type);
  const std::unique_ptr<google::protobuf::Message> message(types->factory.GetPrototype(descriptor)->New());
  google::protobuf::TextFormat::Parser parser;
  parser.AllowPartialMessage(true);
  EXPECT_TRUE(parser.ParseFromString(text, message.get())) << text;
  return message->SerializePartialAsString();
}

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_PROTOS_ANNOTATED_TESTUTIL_H_
