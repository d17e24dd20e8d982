// upb's contenders, for all sets: upb makes its tables, also those of its fast decoder, from the schema when the worker starts.
// protoc-gen-upb prints such tables as code. Arguments: a descriptor set, a message type. worker.h has the commands.
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "google/protobuf/descriptor.upb.h"
#include "upb/mem/arena.h"
#include "upb/reflection/def.h"
#include "upb/wire/decode.h"
#include "upb/wire/encode.h"
#include "worker.h"

namespace structtensor::benchmark {
namespace {

class Upb {
 public:
  Upb(const Input& input, const std::string& descriptor_set, const std::string& message) : input_(input) {
    std::ifstream file(descriptor_set, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const google_protobuf_FileDescriptorSet* files =
        google_protobuf_FileDescriptorSet_parse(bytes.data(), bytes.size(), upb_Arena_New());
    Require(files != nullptr, descriptor_set + " is not a descriptor set");
    size_t nfiles = 0;
    const google_protobuf_FileDescriptorProto* const* each = google_protobuf_FileDescriptorSet_file(files, &nfiles);
    for (size_t i = 0; i < nfiles; ++i) {
      upb_Status status;
      upb_Status_Clear(&status);
      Require(upb_DefPool_AddFile(pool_, each[i], &status) != nullptr, upb_Status_ErrorMessage(&status));
    }
    const upb_MessageDef* type = upb_DefPool_FindMessageByName(pool_, message.c_str());
    Require(type != nullptr, "no message type " + message);
    table_ = upb_MessageDef_MiniTable(type);
  }

  void AddContenders(std::vector<Contender>* contenders) {
    contenders->push_back({"upb-arena",
                           [this](size_t passes) {
                             SizeBlock();
                             for (size_t pass = 0; pass < passes; ++pass) {
                               for (const MessageBatch batch : input_.batches) OnArena(batch);
                             }
                           },
                           nullptr, [this](std::ostream& file) { Dump(file); }});
    contenders->push_back({"upb-message",
                           [this](size_t passes) {
                             SizeBlock();
                             for (size_t pass = 0; pass < passes; ++pass) {
                               for (size_t i = 0; i < input_.messages.size(); ++i)
                                 OnArena(std::span(input_.messages).subspan(i, 1));
                             }
                           },
                           nullptr, [this](std::ostream& file) { Dump(file); }});
  }

 private:
  upb_Message* Parse(std::string_view bytes, upb_Arena* arena) {
    upb_Message* message = upb_Message_New(table_, arena);
    const upb_DecodeStatus status =
        upb_Decode(bytes.data(), bytes.size(), message, table_, extensions_, kUpb_DecodeOption_AliasString, arena);
    Require(status == kUpb_DecodeStatus_Ok, upb_DecodeStatus_String(status));
    return message;
  }

  // The arena's first block holds a whole batch, so that no more memory is asked for.
  void SizeBlock() {
    if (!block_.empty()) return;
    size_t most = 0;
    for (const MessageBatch batch : input_.batches) {
      upb_Arena* arena = upb_Arena_New();
      for (const std::string_view bytes : batch) Parse(bytes, arena);
      most = std::max<size_t>(most, upb_Arena_SpaceAllocated(arena, nullptr));
      upb_Arena_Free(arena);
    }
    block_.resize(most + most / 4 + 4096);
  }

  void OnArena(MessageBatch batch) {
    upb_Arena* arena = upb_Arena_Init(block_.data(), block_.size(), &upb_alloc_global);
    for (const std::string_view bytes : batch) Parse(bytes, arena);
    upb_Arena_Free(arena);
  }

  void Dump(std::ostream& file) {
    for (const std::string_view bytes : input_.messages) {
      upb_Arena* arena = upb_Arena_New();
      char* written = nullptr;
      size_t size_bytes = 0;
      const upb_EncodeStatus status = upb_EncodeLengthPrefixed(Parse(bytes, arena), table_, 0, arena, &written, &size_bytes);
      Require(status == kUpb_EncodeStatus_Ok, "upb cannot serialize a message");
      file.write(written, static_cast<std::streamsize>(size_bytes));
      upb_Arena_Free(arena);
    }
  }

  const Input& input_;
  upb_DefPool* const pool_ = upb_DefPool_New();
  const upb_ExtensionRegistry* const extensions_ = upb_DefPool_ExtensionRegistry(pool_);
  const upb_MiniTable* table_ = nullptr;
  std::vector<char> block_;
};

}  // namespace
}  // namespace structtensor::benchmark

int main(int, char** argv) {
  structtensor::benchmark::Input input;
  structtensor::benchmark::Upb upb(input, argv[1], argv[2]);
  std::vector<structtensor::benchmark::Contender> contenders;
  upb.AddContenders(&contenders);
  structtensor::benchmark::Serve(&input, contenders);
  return 0;
}
