// Compares the results of our operations with TensorFlow's results.
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include "runner.h"

namespace structtensor::vectors {
namespace {

constexpr std::string_view kUsage =
    R"(usage: vectors [--filter SUBSTRING] [--op OP] [--verbose] [--help] FILE

Runs each case of FILE (one JSON object a line) and prints how the answer differs from the expected one, a line for each
difference, and at the end "N passed, N failed". Exit code 0 if none failed and at least one ran, 1 if not, 2 if the arguments
are wrong.

  --filter SUBSTRING  only cases with SUBSTRING in their name
  --op OP             only cases of that operation
  --verbose           also the counts of each operation, and the cases that needed leniency
  --help              print this text
)";

void SayWhereAndDie(int signal) {
  const auto say = [](const char* text) { static_cast<void>(!write(STDOUT_FILENO, text, strlen(text))); };
  say("crashed in ");
  say(RunningCase());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int Fail(std::string_view message) {
  std::cerr << "vectors: " << message << " (see vectors --help)\n";
  return 2;
}

int Main(int argc, char** argv) {
  RunOptions options;
  std::string file;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::cout << kUsage;
      return 0;
    }
    if (argument == "--verbose") {
      options.verbose = true;
    } else if (argument == "--filter" || argument == "--op") {
      if (i + 1 == argc) return Fail(std::string(argument) + " needs a value");
      (argument == "--op" ? options.op : options.filter) = argv[++i];
    } else if (argument.starts_with('-') || !file.empty()) {
      return Fail("unexpected argument '" + std::string(argument) + "'");
    } else {
      file = argument;
    }
  }
  if (file.empty()) return Fail("expected the name of a file");
  std::ifstream lines(file);
  if (!lines) return Fail("cannot read " + file);

  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, SayWhereAndDie);
  std::cout << std::unitbuf;
  return RunVectors(lines, AllOps(), options, std::cout).ok() ? 0 : 1;
}

}  // namespace
}  // namespace structtensor::vectors

int main(int argc, char** argv) { return structtensor::vectors::Main(argc, argv); }
