#include "structtensor/decode/decoder_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/decode/internal/runtime_functions.h"

namespace structtensor {

absl::StatusOr<std::shared_ptr<const DecoderLibrary>> DecoderLibrary::Open(const std::string& path) {
  using decode_internal::kLibraryFunctionName;
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const problem = dlerror();
    return absl::FailedPreconditionError(absl::StrCat("cannot open ", problem == nullptr ? path : problem));
  }
  const auto function = reinterpret_cast<decode_internal::LibraryFunction>(dlsym(handle, kLibraryFunctionName));
  const decode_internal::LibraryContents* const contents =
      function == nullptr ? nullptr : function(plan::kContractVersion, &decode_internal::ThisRuntime());
  if (contents == nullptr || contents->contract_version != plan::kContractVersion ||
      !(contents->layout == decode_internal::RuntimeLayout())) {
    dlclose(handle);  // nobody holds a function of this library
    return absl::FailedPreconditionError(absl::StrCat(
        path, contents == nullptr ? " is not a library of decoders" : ": the decoders were compiled for another structtensor",
        "; compile them again"));
  }
  auto library = std::shared_ptr<DecoderLibrary>(new DecoderLibrary());
  for (size_t i = 0; i < contents->size; ++i) {
    const decode_internal::LibraryDecoder& decoder = contents->decoders[i];
    library->decoders_[decoder.full_name] = {decoder.fields, decoder.node_size_bytes, decoder.decode};
  }
  return library;
}

std::vector<std::string> DecoderLibrary::MessageNames() const {
  std::vector<std::string> names;
  for (const auto& [name, decoder] : decoders_) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

plan::DecodeFunction DecoderLibrary::Find(const plan::MessagePlan& message) const {
  const auto found = decoders_.find(message.full_name);
  if (found == decoders_.end()) return nullptr;
  const Decoder& decoder = found->second;
  return decoder.fields == message.fields.size() && decoder.node_size_bytes == message.node_size_bytes ? decoder.decode
                                                                                                       : nullptr;
}

}  // namespace structtensor
