#include "command_line.h"
#include "structtensor/io/column_files/remote_file_systems.h"

int main(int argc, char** argv) {
  const structtensor::RemoteFileSystems remote;
  return structtensor::command::RunCommandLine(argc, argv);
}
