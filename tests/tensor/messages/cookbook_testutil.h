// Serialized messages of cookbook.proto, oven.proto and calendar.proto from their text format, by libprotobuf.
#ifndef STRUCTTENSOR_TESTS_TENSOR_MESSAGES_COOKBOOK_TESTUTIL_H_
#define STRUCTTENSOR_TESTS_TENSOR_MESSAGES_COOKBOOK_TESTUTIL_H_

#include <google/protobuf/compiler/importer.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace structtensor {

inline std::string Serialized(const std::string& type, const std::string& text) {
  struct Schema {
    Schema() : importer(&files, nullptr), factory(importer.pool()) {
      files.MapPath("", COOKBOOK_DIR);
      files.MapPath("", PROTOBUF_INCLUDE_DIR);
      importer.Import("cookbook.proto");
      importer.Import("oven.proto");
      importer.Import("calendar.proto");
    }
    google::protobuf::compiler::DiskSourceTree files;
    google::protobuf::compiler::Importer importer;
    google::protobuf::DynamicMessageFactory factory;
  };
  static Schema* const schema = new Schema;
  const auto* descriptor = schema->importer.pool()->FindMessageTypeByName("structtensor.testing.cookbook." + type);
  const std::unique_ptr<google::protobuf::Message> message(schema->factory.GetPrototype(descriptor)->New());
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, message.get())) << text;
  return message->SerializeAsString();
}

inline std::string SerializedRecipe(const std::string& text) { return Serialized("Recipe", text); }
inline std::string SerializedOven(const std::string& text) { return Serialized("Oven", text); }

inline std::vector<std::string> SerializedRecipes(std::initializer_list<const char*> strings) {
  std::vector<std::string> messages;
  for (const char* text : strings) messages.push_back(SerializedRecipe(text));
  return messages;
}

}  // namespace structtensor

#endif  // STRUCTTENSOR_TESTS_TENSOR_MESSAGES_COOKBOOK_TESTUTIL_H_
