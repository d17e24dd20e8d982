// Generated decode functions that are compiled while a program runs, and opened as a shared library.
//
//   absl::StatusOr<std::string> source = schema.DecoderLibrarySource({"Span"});  // schema/schema.h
//   // c++ -std=c++20 -O3 -fPIC -shared -fvisibility=hidden -I<headers> source.cc -o spans.so
//   absl::StatusOr<std::shared_ptr<const DecoderLibrary>> library = DecoderLibrary::Open("/path/to/spans.so");
//   schema.PlanOf("Span", Schema::Annotations::kApply, *library);
//
// The library calls the program's runtime through a table that it gets when it is opened (internal/runtime_functions.h), so the
// program need not export anything.
#ifndef STRUCTTENSOR_DECODE_DECODER_LIBRARY_H_
#define STRUCTTENSOR_DECODE_DECODER_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "structtensor/plan/plan.h"

#pragma GCC visibility push(default)

namespace structtensor {

// Immutable; safe to use from several threads.
class DecoderLibrary {
 public:
  // Opens the library at `path`. It stays open until the program ends, because its functions may still be in use.
  // Requires: a compiler made the file from Schema::DecoderLibrarySource(). Opening a shared library runs its code,
  //   so it must come from a place where nobody else can write.
  // Errors: FailedPrecondition if the file cannot be opened as a shared library, if it has no decoders, or if it was made
  //   for another version of structtensor.
  static absl::StatusOr<std::shared_ptr<const DecoderLibrary>> Open(const std::string& path);

  // Full names of the message types that the library decodes: the types it was made for, and all types that they reach.
  std::vector<std::string> MessageNames() const;

  // The decode function of `message`; null if the library has none, or if it was made for other columns than `message` has.
  plan::DecodeFunction Find(const plan::MessagePlan& message) const;

 private:
  struct Decoder {
    uint32_t fields;
    uint32_t node_size_bytes;
    plan::DecodeFunction decode;
  };

  DecoderLibrary() = default;

  std::unordered_map<std::string_view, Decoder> decoders_;  // by full names, which are in the library
};

}  // namespace structtensor

#pragma GCC visibility pop

#endif  // STRUCTTENSOR_DECODE_DECODER_LIBRARY_H_
