// protoc with the C++ generator only. The others are half of its code, and no test or tool here uses them.
#include <absl/log/initialize.h>
#include <google/protobuf/compiler/command_line_interface.h>
#include <google/protobuf/compiler/cpp/generator.h>

int main(int argc, char* argv[]) {
  absl::InitializeLog();
  google::protobuf::compiler::CommandLineInterface command_line;
  command_line.AllowPlugins("protoc-");
  google::protobuf::compiler::cpp::CppGenerator generator;
  command_line.RegisterGenerator("--cpp_out", "--cpp_opt", &generator, "Generate C++ header and source.");
  return command_line.Run(argc, argv);
}
