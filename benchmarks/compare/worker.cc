// One set's contenders that are written in C++: libprotobuf of the version that it is compiled with, and, if
// STRUCTTENSOR_BENCHMARK_OURS is defined, ours; the macro is what their names end with. The first argument is the core that a
// second thread may use; the process itself is pinned to another one. Further arguments are the fields that `generated-by-key`
// decodes. Besides the commands of worker.h:
//
//   registers                  how many times as fast as one two threads are that only keep registers busy -> registers TIMES
//   digest-file FILE           what another worker has dumped -> digest PATH COUNT SUM...
//
// The schema comes with schema.h, which the driver writes: Message, PeerColumns and, for ours, Plan().
#include "worker.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/common.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "digest.h"
#include "peer_columns.h"
#include "schema.h"

#ifdef STRUCTTENSOR_BENCHMARK_OURS
#include "structtensor/core/column/column_view.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/core/engine/engine.h"
#endif

namespace structtensor::benchmark {
namespace {

Identities MessageIdentities(size_t begin, size_t size) {
  Identities result;
  for (size_t i = 0; i < size; ++i) result.push_back(MessageIdentity(begin + i));
  return result;
}

void Parse(std::string_view bytes, Message* message) {
  Require(message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())), "libprotobuf cannot parse a message");
}

template <typename T>
T* NewOnArena(google::protobuf::Arena* arena) {
#if GOOGLE_PROTOBUF_VERSION < 4022000
  return google::protobuf::Arena::CreateMessage<T>(arena);
#else
  return google::protobuf::Arena::Create<T>(arena);
#endif
}

// The digests of messages that libprotobuf has parsed.
class MessageDigester {
 public:
  void Add(const Message& message) {
    columns_.Append(nrows_++, message);
    if (nrows_ == 1000) Flush();
  }
  // The columns of the next `nrows` messages.
  void AddColumns(const PeerColumns& columns, size_t nrows) {
    const Identities rows = MessageIdentities(seen_, nrows);
    columns.Visit(PeerDigester("", rows, &digests_));
    seen_ += nrows;
  }
  Digests Take() {
    Flush();
    return std::move(digests_);
  }

 private:
  void Flush() {
    columns_.Finish(nrows_);
    AddColumns(columns_, nrows_);
    columns_.Clear();
    nrows_ = 0;
  }

  PeerColumns columns_;
  size_t nrows_ = 0;
  Digests digests_;
  size_t seen_ = 0;
};

void StayOnCore(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
}

// Eight chains of instructions in registers: as much as a processor can do at the same time.
void TurnRegisters() {
  uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
  for (uint64_t i = 0; i < 4'000'000; ++i) {
    a ^= i, b += i, c -= i, d |= i, e += 3, f ^= 5, g -= 7, h += 9;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
  }
}

// The speed of two threads that share nothing and need no memory, divided by the speed of one. Virtual processors may be
// threads of the same core. Then the result is less than 2; it is the smaller, the more of the core one thread keeps busy.
double RegistersByThreads(int second_core) {
  const auto seconds = [](auto&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double one = 1e9, two = 1e9;
  for (int i = 0; i < 3; ++i) {
    one = std::min(one, seconds(TurnRegisters));
    two = std::min(two, seconds([&] {
                     std::thread other([&] {
                       StayOnCore(second_core);
                       TurnRegisters();
                     });
                     TurnRegisters();
                     other.join();
                   }));
  }
  return 2 * one / two;
}

class Peer {
 public:
  explicit Peer(const Input& input) : input_(input) {}

  void AddContenders(std::vector<Contender>* contenders) {
    const std::string name = "libprotobuf-" STRUCTTENSOR_BENCHMARK_LIBPROTOBUF;
    contenders->push_back({name + "-reuse",
                           EachBatch(input_,
                                     [this](MessageBatch batch) {
                                       for (const std::string_view bytes : batch) Parse(bytes, &reused_);
                                     }),
                           [this] { return DigestReused(); }});
    contenders->push_back({name + "-arena",
                           [this](size_t passes) {
                             SizeBlock();
                             for (size_t pass = 0; pass < passes; ++pass) {
                               for (const MessageBatch batch : input_.batches) {
                                 OnArena(batch, [](const Message&) {});
                               }
                             }
                           },
                           [this] { return DigestArena(); }});
    contenders->push_back({name + "-columns", EachBatch(input_, [this](MessageBatch batch) { FillColumns(batch); }),
                           [this] { return DigestColumns(); }});
    contenders->push_back(
        {name + "-serialize", [this](size_t passes) { Serialize(passes); }, [this] { return DigestWritten(); }});
  }

 private:
  Digests DigestReused() {
    MessageDigester digester;
    for (const std::string_view bytes : input_.messages) {
      Parse(bytes, &reused_);
      digester.Add(reused_);
    }
    return digester.Take();
  }

  // The arena's first block holds a whole batch, so that no more memory is allocated.
  void SizeBlock() {
    if (!block_.empty()) return;
    size_t most = 0;
    for (const MessageBatch batch : input_.batches) {
      google::protobuf::Arena arena;
      for (const std::string_view bytes : batch) Parse(bytes, NewOnArena<Message>(&arena));
      most = std::max<size_t>(most, arena.SpaceAllocated());
    }
    block_.resize(most + most / 4 + 4096);
  }

  template <typename Each>
  void OnArena(MessageBatch batch, Each&& each) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.data();
    options.initial_block_size = block_.size();
    google::protobuf::Arena arena(options);
    for (const std::string_view bytes : batch) {
      Message* message = NewOnArena<Message>(&arena);
      Parse(bytes, message);
      each(*message);
    }
  }

  Digests DigestArena() {
    SizeBlock();
    MessageDigester digester;
    for (const MessageBatch batch : input_.batches) OnArena(batch, [&](const Message& message) { digester.Add(message); });
    return digester.Take();
  }

  void FillColumns(MessageBatch batch) {
    columns_.Clear();
    for (size_t row = 0; row < batch.size(); ++row) {
      Parse(batch[row], &reused_);
      columns_.Append(row, reused_);
    }
    columns_.Finish(batch.size());
  }

  Digests DigestColumns() {
    MessageDigester digester;
    for (const MessageBatch batch : input_.batches) {
      FillColumns(batch);
      digester.AddColumns(columns_, batch.size());
    }
    return digester.Take();
  }

  // The messages to serialize are parsed in advance, onto an arena, where they are closer together than on the heap.
  void ParseAll() {
    if (!parsed_.empty()) return;
    size_t most = 0;
    for (const MessageBatch batch : input_.batches) {
      size_t size_bytes = 0;
      for (const std::string_view bytes : batch) {
        parsed_.push_back(NewOnArena<Message>(&parsed_arena_));
        Parse(bytes, parsed_.back());
        size_bytes += parsed_.back()->ByteSizeLong();
      }
      most = std::max(most, size_bytes);
    }
    written_.resize(most);
  }

  // Writes the messages of a batch one after the other. Returns the first message after them.
  size_t SerializeBatch(size_t begin, size_t size) {
    char* p = written_.data();
    for (size_t i = begin; i < begin + size; ++i) {
      Require(parsed_[i]->SerializeToArray(p, static_cast<int>(written_.data() + written_.size() - p)),
              "libprotobuf cannot serialize a message");
      p += parsed_[i]->GetCachedSize();
    }
    return begin + size;
  }

  void Serialize(size_t passes) {
    ParseAll();
    for (size_t pass = 0; pass < passes; ++pass) {
      size_t next = 0;
      for (const MessageBatch batch : input_.batches) next = SerializeBatch(next, batch.size());
    }
  }

  Digests DigestWritten() {
    ParseAll();
    MessageDigester digester;
    size_t next = 0;
    for (const MessageBatch batch : input_.batches) {
      const size_t begin = next;
      next = SerializeBatch(begin, batch.size());
      const char* p = written_.data();
      for (size_t i = begin; i < next; ++i) {
        Parse({p, static_cast<size_t>(parsed_[i]->GetCachedSize())}, &reused_);
        digester.Add(reused_);
        p += parsed_[i]->GetCachedSize();
      }
    }
    return digester.Take();
  }

  const Input& input_;
  Message reused_;
  std::vector<char> block_;
  PeerColumns columns_;
  google::protobuf::Arena parsed_arena_;
  std::vector<Message*> parsed_;
  std::vector<char> written_;
};

#ifdef STRUCTTENSOR_BENCHMARK_OURS

uint64_t ElementBits(const ColumnView& column, uint32_t i) {
  const auto at = [&]<typename T>(T) { return Bits(static_cast<const T*>(column.values)[i]); };
  switch (column.field->element) {
    case plan::Element::kBool:
      return at(uint8_t{});
    case plan::Element::kInt32:
      return at(int32_t{});
    case plan::Element::kInt64:
      return at(int64_t{});
    case plan::Element::kUint32:
      return at(uint32_t{});
    case plan::Element::kUint64:
      return at(uint64_t{});
    case plan::Element::kFloat:
      return at(float{});
    case plan::Element::kDouble:
      return at(double{});
    case plan::Element::kString:
    case plan::Element::kBytes:
      return Bits(column.text(i));
    case plan::Element::kMessage:
      return 1;
  }
  return 0;
}

// A oneof's case column is named "(oneof)", because no field has this name.
std::string DigestName(const plan::FieldPlan& field) {
  if (field.cardinality != plan::Cardinality::kOneofCase) return std::string(field.name);
  return "(" + std::string(field.name.substr(0, field.name.size() - std::strlen("_case"))) + ")";
}

void AddNode(const NodeView& node, const Identities& rows, const std::string& path, Digests* digests);

// Adds a struct that has a field for each chosen key of a map. The digests are the same as for the entries with these keys.
void AddKeys(const NodeView& by_key, const Identities& rows, const std::string& path, Digests* digests) {
  for (size_t k = 0; k < by_key.plan().keys.size(); ++k) {
    Identities entries = rows;
    for (uint64_t& identity : entries) identity = Mix(identity, Bits(by_key.plan().keys[k].text));
    if (by_key.plan().fields[k].is_message()) AddNode(by_key.child(k), entries, path + "value.", digests);
  }
}

// Adds the columns of `node` and of all nodes below it. The entries of a map count as their map says; their own presence does
// not.
void AddNode(const NodeView& node, const Identities& rows, const std::string& path, Digests* digests) {
  const plan::MessagePlan& type = node.plan();
  for (size_t f = 0; f < type.fields.size(); ++f) {
    const plan::FieldPlan& field = type.fields[f];
    const std::string name = path + DigestName(field);
    if (field.is_message() && !field.message->keys.empty()) AddKeys(node.child(f), rows, name + ".", digests);
    const ColumnView column = node.column_in_place(f);
    if (column.nvals == 0) continue;
    if (!field.is_repeated()) {
      const bool presence = field.presence != plan::Presence::kImplicit && !type.map_entry;
      if (!field.is_message() || presence) {
        Digest& digest = (*digests)[name];
        for (uint32_t row = 0; row < column.nrows; ++row) {
          if (presence && !column.has(row)) continue;
          const uint64_t bits = ElementBits(column, row);
          if (presence || bits != 0) digest.Add(rows[row], bits);
        }
      }
      if (field.is_message()) AddNode(node.child(f), rows, name + ".", digests);
      continue;
    }
    const NodeView entries = field.is_message() ? node.child(f) : NodeView();
    const bool is_map = field.cardinality == plan::Cardinality::kMap;
    const ColumnView keys = is_map ? entries.column_in_place(0) : ColumnView();
    Identities elements(column.nvals);
    Digest& digest = (*digests)[name];
    for (uint32_t row = 0; row < column.nrows; ++row) {
      const int64_t begin = column.row_splits[row];
      for (int64_t i = begin; i < column.row_splits[row + 1]; ++i) {
        const auto at = static_cast<uint32_t>(i);
        elements[at] = Mix(rows[row], is_map ? ElementBits(keys, at) : static_cast<uint64_t>(i - begin));
        digest.Add(elements[at], ElementBits(column, at));
      }
    }
    if (field.is_message()) AddNode(entries, elements, name + ".", digests);
  }
}

class Ours {
 public:
  // `second_core`: the core of the second of two threads.
  // `fields`: the fields of generated-by-key; without fields, there is no such contender.
  Ours(const Input& input, int second_core, const std::vector<std::string>& fields)
      : input_(input),
        second_core_(second_core),
        has_fields_(!fields.empty()),
        by_key_(*BatchDecoder::Create(Plan(), {.fields = fields})) {}

  void AddContenders(std::vector<Contender>* contenders) {
    contenders->push_back({"generated", EachBatch(input_, [this](MessageBatch batch) { Decode(&decoder_, batch); }),
                           [this] { return DigestDecoded(&decoder_); }});
    contenders->push_back({"generated-views", EachBatch(input_, [this](MessageBatch batch) { DecodeViews(&views_, batch); }),
                           [this] { return DigestDecoded(&views_, DecodeViews); }});
    if (has_fields_) {
      contenders->push_back({"generated-by-key", EachBatch(input_, [this](MessageBatch batch) { Decode(&by_key_, batch); }),
                             [this] { return DigestDecoded(&by_key_); }});
    }
    contenders->push_back(
        {"generated-2-threads", [this](size_t passes) { DecodeByThreads(passes); }, [this] { return DigestOfThreads(); }});
    contenders->push_back(
        {"encode", [this](size_t passes) { Encode(&encoder_, passes); }, [this] { return DigestEncoded(&encoder_); }});
    contenders->push_back({"engine", EachBatch(input_, [this](MessageBatch batch) { Decode(&engine_decoder_, batch); }),
                           [this] { return DigestDecoded(&engine_decoder_); }});
    contenders->push_back({"engine-encode", [this](size_t passes) { Encode(&engine_encoder_, passes); },
                           [this] { return DigestEncoded(&engine_encoder_); }});
  }

 private:
  static DecodedBatch Decode(BatchDecoder* decoder, MessageBatch batch) {
    absl::StatusOr<DecodedBatch> decoded = decoder->Decode(batch);
    Require(decoded.ok(), std::string(decoded.status().message()));
    return *std::move(decoded);
  }

  static DecodedBatch DecodeViews(BatchDecoder* decoder, MessageBatch batch) {
    absl::StatusOr<DecodedBatch> decoded = decoder->DecodeViews(batch);
    Require(decoded.ok(), std::string(decoded.status().message()));
    return *std::move(decoded);
  }

  Digests DigestDecoded(BatchDecoder* decoder, DecodedBatch (*decode)(BatchDecoder*, MessageBatch) = Decode) {
    Digests digests;
    size_t seen = 0;
    for (const MessageBatch batch : input_.batches) {
      AddNode(decode(decoder, batch).root(), MessageIdentities(seen, batch.size()), "", &digests);
      seen += batch.size();
    }
    return digests;
  }

  // Calls handle(thread, batch) for the batches of `passes` passes. The thread that is free first takes the next batch.
  template <typename Handle>
  void ByThreads(size_t passes, Handle&& handle) {
    std::atomic<size_t> next = 0;
    const size_t end = passes * input_.batches.size();
    const auto work = [&](size_t thread) {
      for (size_t i = next++; i < end; i = next++) handle(thread, i % input_.batches.size());
    };
    std::thread other([&] {
      StayOnCore(second_core_);
      work(1);
    });
    work(0);
    other.join();
  }

  void DecodeByThreads(size_t passes) {
    ByThreads(passes, [this](size_t thread, size_t batch) {
      if (!decoders_[thread].Decode(input_.batches[batch]).ok()) std::abort();  // the digest has shown that all can be decoded
    });
  }

  Digests DigestOfThreads() {
    std::vector<size_t> begins;
    size_t begin = 0;
    for (const MessageBatch batch : input_.batches) {
      begins.push_back(begin);
      begin += batch.size();
    }
    Digests digests[2];
    std::string problems[2];
    ByThreads(1, [&](size_t thread, size_t i) {
      const MessageBatch batch = input_.batches[i];
      const absl::StatusOr<DecodedBatch> decoded = decoders_[thread].Decode(batch);
      if (decoded.ok()) {
        AddNode(decoded->root(), MessageIdentities(begins[i], batch.size()), "", &digests[thread]);
      } else {
        problems[thread] = std::string(decoded.status().message());
      }
    });
    for (const std::string& problem : problems) Require(problem.empty(), problem);
    for (const auto& [path, digest] : digests[1]) {
      digests[0][path].count += digest.count;
      digests[0][path].sum += digest.sum;
    }
    return std::move(digests[0]);
  }

  // All batches, as columns of `encoder`'s plan.
  std::vector<DecodedBatch>& DecodeAll(const BatchEncoder* encoder) {
    const bool by_engine = encoder == &engine_encoder_;
    std::vector<DecodedBatch>& decoded = by_engine ? decoded_by_engine_ : decoded_;
    if (!decoded.empty()) return decoded;
    DecodeOptions options;
    options.unknown_fields = DecodeOptions::UnknownFields::kKeep;
    BatchDecoder decoder = *BatchDecoder::Create(by_engine ? *engine_plan_ : Plan(), options);
    for (const MessageBatch batch : input_.batches) decoded.push_back(Decode(&decoder, batch));
    return decoded;
  }

  static EncodedBatch EncodeOne(BatchEncoder* encoder, const DecodedBatch& batch) {
    absl::StatusOr<EncodedBatch> encoded = encoder->Encode(batch.tree());
    Require(encoded.ok(), std::string(encoded.status().message()));
    return *std::move(encoded);
  }

  // `encoder`: of generated code or of the engine. Each can write what either has decoded.
  void Encode(BatchEncoder* encoder, size_t passes) {
    std::vector<DecodedBatch>& decoded = DecodeAll(encoder);
    for (size_t pass = 0; pass < passes; ++pass) {
      for (const DecodedBatch& batch : decoded) EncodeOne(encoder, batch);
    }
  }

  Digests DigestEncoded(BatchEncoder* encoder) {
    MessageDigester digester;
    Message message;
    for (const DecodedBatch& batch : DecodeAll(encoder)) {
      for (const std::string_view bytes : EncodeOne(encoder, batch)) {
        Parse(bytes, &message);
        digester.Add(message);
      }
    }
    return digester.Take();
  }

  const Input& input_;
  const int second_core_;
  const bool has_fields_;
  BatchDecoder by_key_;
  BatchDecoder decoder_{Plan()};
  BatchDecoder views_{Plan()};
  BatchDecoder decoders_[2] = {BatchDecoder(Plan()), BatchDecoder(Plan())};
  BatchEncoder encoder_{Plan()};
  const std::shared_ptr<const plan::MessagePlan> engine_plan_ = MakeEnginePlan(Plan());
  BatchDecoder engine_decoder_{*engine_plan_};
  BatchEncoder engine_encoder_{*engine_plan_};
  std::vector<DecodedBatch> decoded_;
  std::vector<DecodedBatch> decoded_by_engine_;
};

// The physical limit: the bytes of each batch, copied into one buffer.
class Copy {
 public:
  explicit Copy(const Input& input) : input_(input) {}

  void AddContenders(std::vector<Contender>* contenders) {
    contenders->push_back({"memcpy", EachBatch(input_, [this](MessageBatch batch) { CopyBatch(batch); }), [this] {
                             MessageDigester digester;
                             Message message;
                             for (const MessageBatch batch : input_.batches) {
                               CopyBatch(batch);
                               const char* p = buffer_.data();
                               for (const std::string_view bytes : batch) {
                                 Parse({p, bytes.size()}, &message);
                                 digester.Add(message);
                                 p += bytes.size();
                               }
                             }
                             return digester.Take();
                           }});
  }

 private:
  void CopyBatch(MessageBatch batch) {
    buffer_.resize(input_.bytes.size() + input_.payload_bytes);
    char* p = buffer_.data();
    for (const std::string_view bytes : batch) {
      std::memcpy(p, bytes.data(), bytes.size());
      p += bytes.size();
    }
  }

  const Input& input_;
  std::vector<char> buffer_;
};

#endif  // STRUCTTENSOR_BENCHMARK_OURS

// Of the messages in a file.
Digests DigestFile(const std::string& path) {
  Input input;
  input.Load(path, 1, 1);
  MessageDigester digester;
  Message message;
  for (const std::string_view bytes : input.messages) {
    Parse(bytes, &message);
    digester.Add(message);
  }
  return digester.Take();
}

void Work(int second_core, [[maybe_unused]] const std::vector<std::string>& fields) {
  Input input;
  std::vector<Contender> contenders;
#ifdef STRUCTTENSOR_BENCHMARK_OURS
  Ours ours(input, second_core, fields);
  ours.AddContenders(&contenders);
  Copy copy(input);
  copy.AddContenders(&contenders);
  for (Contender& each : contenders) each.name += STRUCTTENSOR_BENCHMARK_OURS;
#endif
  Peer peer(input);
  peer.AddContenders(&contenders);
  Serve(&input, contenders, [second_core](const std::string& command, std::istream& words, std::ostream& answer) {
    if (command == "registers") {
      answer << command << ' ' << RegistersByThreads(second_core);
    } else if (std::string path; command == "digest-file" && std::getline(words >> std::ws, path)) {
      Answer(DigestFile(path), answer);
    } else {
      return false;
    }
    return true;
  });
}

}  // namespace
}  // namespace structtensor::benchmark

int main(int argc, char** argv) {
  const std::vector<std::string> fields(argv + std::min(argc, 2), argv + argc);
  structtensor::benchmark::Work(argc > 1 ? std::atoi(argv[1]) : 0, fields);
  return 0;
}
