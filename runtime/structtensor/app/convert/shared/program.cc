#include "structtensor/app/convert/shared/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <new>
#include <stdexcept>
#include <streambuf>

#include "absl/strings/str_format.h"
#include "structtensor/app/convert/shared/flags.h"
#include "structtensor/app/sinks/output_file.h"
#include "structtensor/core/base/shared/fd.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::convert_internal {
namespace {

void OccupyStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open() returns the lowest number that is free. A descriptor with O_PATH can be neither read nor written.
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_PATH);
  }
}

// Writes std::cout to standard output while it lives.
class StandardOutput : public std::streambuf {
 public:
  StandardOutput() : before_(std::cout.rdbuf(this)) { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  ~StandardOutput() override {
    sync();
    std::cout.rdbuf(before_);
  }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
    return c;
  }

  int sync() override {
    const bool written = WriteAll(STDOUT_FILENO, {pbase(), static_cast<size_t>(pptr() - pbase())}).ok();
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return written ? 0 : -1;
  }

 private:
  std::streambuf* const before_;
  std::array<char, 64 << 10> buffer_;
};

// Allocates nothing.
int NotEnoughMemory(std::string_view name) {
  std::fprintf(stderr, "%.*s: not enough memory (lower --jobs, --batch-size, --max-message-bytes or --max-memory-bytes)\n",
               static_cast<int>(name.size()), name.data());
  return kExitFailure;
}

}  // namespace

int RunProgram(std::string_view name, absl::FunctionRef<int()> run) {
  OccupyStandardDescriptors();
  InstallSignalHandlers();
  StandardOutput output;
  int exit_code = kExitFailure;
  try {
    exit_code = run();
  } catch (const std::bad_alloc&) {
    return NotEnoughMemory(name);
  } catch (const std::length_error&) {  // more than a container can hold
    return NotEnoughMemory(name);
  }
  std::cout.flush();
  if (exit_code != kExitOk || std::cout) return exit_code;
  absl::FPrintF(stderr, "%s: cannot write to standard output\n", ToAbsl(name));
  return kExitFailure;
}

}  // namespace structtensor::convert_internal
