// The command `structtensor`: protobuf data to columns and back, for any schema, without a compiler.
#ifndef STRUCTTENSOR_TOOLS_STRUCTTENSOR_COMMAND_LINE_H_
#define STRUCTTENSOR_TOOLS_STRUCTTENSOR_COMMAND_LINE_H_

namespace structtensor::command {

// Runs the command as a process does: installs signal handlers, and reads and writes standard input and output. Returns the
// exit code. argv[0] is ignored; argv[argc] is null.
int RunCommandLine(int argc, char** argv);

}  // namespace structtensor::command

#endif  // STRUCTTENSOR_TOOLS_STRUCTTENSOR_COMMAND_LINE_H_
