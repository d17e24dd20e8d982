#include "command_line.h"

int main(int argc, char** argv) { return structtensor::command::RunCommandLine(argc, argv); }
