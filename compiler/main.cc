// protoc-gen-structtensor: protoc --structtensor_out=DIR [--structtensor_opt=NAME=VALUE,...] x.proto ...
#include "google/protobuf/compiler/plugin.h"
#include "structtensor/compiler/emit/generator.h"

int main(int argc, char** argv) {
  const structtensor::compiler::Generator generator;
  return google::protobuf::compiler::PluginMain(argc, argv, &generator);
}
