// Files of an edition, as a protoc that knows editions hands them to the plugin.
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/compiler/plugin.pb.h"
#include "gtest/gtest.h"

namespace structtensor {
namespace {

namespace pb = ::google::protobuf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr bool kKnowsEditions = GOOGLE_PROTOBUF_VERSION >= 5027000;

// Fails the test that calls it unless the plugin exits with 0.
pb::compiler::CodeGeneratorResponse RunPlugin(const pb::compiler::CodeGeneratorRequest& request) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "structtensor_plugin_XXXXXX").string();
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/request", std::ios::binary) << request.SerializeAsString();
  const int status = system((STRUCTTENSOR_PLUGIN " <" + folder + "/request >" + folder + "/response").c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  pb::compiler::CodeGeneratorResponse response;
  std::ifstream in(folder + "/response", std::ios::binary);
  EXPECT_TRUE(response.ParseFromIstream(&in));
  fs::remove_all(folder);
  return response;
}

constexpr int kEdition2023 = 1000;  // in google.protobuf.Edition
constexpr int kNoEdition = 1999;

// edition = "2023"; message Message { int32 number = 1; }
void AddFileOfAnEdition(const std::string& name, pb::compiler::CodeGeneratorRequest& request, int number = kEdition2023) {
  constexpr int kEditionField = 14;
  std::string edition = pb::FileDescriptorProto().SerializeAsString();
  edition += static_cast<char>(kEditionField << 3);
  edition += static_cast<char>(number % 128 | 128);
  edition += static_cast<char>(number / 128);
  pb::FileDescriptorProto& file = *request.add_proto_file();
  ASSERT_TRUE(file.ParseFromString(edition));
  file.set_name(name);
  file.set_syntax("editions");
  pb::DescriptorProto& message = *file.add_message_type();
  message.set_name("Message");
  pb::FieldDescriptorProto& field = *message.add_field();
  field.set_name("number");
  field.set_number(1);
  field.set_type(pb::FieldDescriptorProto::TYPE_INT32);
  field.set_label(pb::FieldDescriptorProto::LABEL_OPTIONAL);
}

TEST(EditionsTest, IsReadOrRefusedInOneSentence) {
  pb::compiler::CodeGeneratorRequest request;
  AddFileOfAnEdition("dir/edition.proto", request);
  request.add_file_to_generate("dir/edition.proto");
  const pb::compiler::CodeGeneratorResponse response = RunPlugin(request);
  if (kKnowsEditions) {
    EXPECT_EQ(response.error(), "");
    ASSERT_EQ(response.file_size(), 2);
    EXPECT_THAT(response.file(0).content(), HasSubstr("// int32 number = 1\n"));
    return;
  }
  EXPECT_THAT(response.error(), StartsWith("dir/edition.proto: edition 2023 needs protobuf 27 or later, and this build of "
                                           "structtensor has protobuf 3."));
  EXPECT_THAT(response.error(), HasSubstr("\nhint: build structtensor with a newer protobuf"));
  EXPECT_EQ(response.file_size(), 0);
}

TEST(EditionsTest, UnknownEditionIsRefused) {
  pb::compiler::CodeGeneratorRequest request;
  AddFileOfAnEdition("future.proto", request, kNoEdition);
  request.add_file_to_generate("future.proto");
  EXPECT_THAT(RunPlugin(request).error(), StartsWith("future.proto: edition number 1999 is not known here: this build of "
                                                     "structtensor has protobuf "));
}

// libprotobuf would print the problem in its own form, and the plugin would fail.
TEST(EditionsTest, InvalidDescriptorsAreAnError) {
  pb::compiler::CodeGeneratorRequest request;
  pb::FileDescriptorProto& file = *request.add_proto_file();
  file.set_name("file.proto");
  file.set_syntax("proto3");
  pb::FieldDescriptorProto& field = *file.add_message_type()->add_field();
  file.mutable_message_type(0)->set_name("M");
  field.set_name("n");
  field.set_number(1);
  field.set_type(pb::FieldDescriptorProto::TYPE_MESSAGE);
  field.set_label(pb::FieldDescriptorProto::LABEL_OPTIONAL);
  field.set_type_name(".Missing");
  // The problems of this file follow from those of the file that it imports.
  pb::FileDescriptorProto& importer = *request.add_proto_file();
  importer.set_name("importer.proto");
  importer.set_syntax("proto3");
  importer.add_dependency("file.proto");
  request.add_file_to_generate("importer.proto");
  EXPECT_EQ(RunPlugin(request).error(), "file.proto: M.n: \".Missing\" is not defined.");
}

TEST(EditionsTest, ImportsAreLookedAtToo) {
  pb::compiler::CodeGeneratorRequest request;
  AddFileOfAnEdition("imported.proto", request);
  pb::FileDescriptorProto& file = *request.add_proto_file();
  file.set_name("file.proto");
  file.set_syntax("proto3");
  file.add_dependency("imported.proto");
  request.add_file_to_generate("file.proto");
  const pb::compiler::CodeGeneratorResponse response = RunPlugin(request);
  if (kKnowsEditions) {
    EXPECT_EQ(response.error(), "");
  } else {
    EXPECT_THAT(response.error(), StartsWith("imported.proto: edition 2023 needs protobuf 27"));
  }
}

}  // namespace
}  // namespace structtensor
