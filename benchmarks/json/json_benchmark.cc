// From protobuf's JSON to columns and back, compared with libprotobuf's functions and simdjson's parser, on the real sets.
//
//   STRUCTTENSOR_DATA=FOLDER build/bench/bin/json_benchmark [ROUNDS] [SET...]
//
// Each set has as many messages as make 16 MB of JSON, with one text for each message, all in memory. Results are MB of JSON
// per second:
//   read     structtensor: from JSON to columns. libprotobuf: JsonStringToMessage, to messages. simdjson: parses to a DOM
//   write    structtensor: from columns to JSON. libprotobuf: MessageToJsonString, from messages
// Contenders take turns; the median of the rounds counts. Before that, their results are compared: for reading, the serialized
// messages; for writing, the messages that libprotobuf reads from the JSON.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "structtensor/app/schema/schema.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/core/encode/encoder.h"
#include "structtensor/io/json/message_json.h"
#include "structtensor/io/records/split_records.h"

namespace structtensor {
namespace {

namespace pb = ::google::protobuf;

struct RealSet {
  const char* folder;
  const char* file;
  const char* message;
};
constexpr RealSet kSets[] = {
    {"google_message1_proto2", "messages.bin", "benchmarks.proto2.GoogleMessage1"},
    {"google_message1_proto3", "messages.bin", "benchmarks.proto3.GoogleMessage1"},
    {"google_message2", "messages.bin", "benchmarks.proto2.GoogleMessage2"},
    {"gtfsrt_nyct", "entities.bin", "transit_realtime.FeedEntity"},
    {"otlp_traces_astronomy", "messages.bin", "opentelemetry.proto.trace.v1.TracesData"},
    {"pprof", "messages.bin", "perftools.profiles.Profile"},
    {"tfexample_taxi", "messages.bin", "tensorflow.Example"},
};
constexpr size_t kTextBytes = 16 << 20;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "json_benchmark: %s\n", text.c_str());
  std::exit(1);
}
void Check(const absl::Status& status, std::string_view what) {
  if (!status.ok()) Die(std::string(what) + ": " + std::string(status.message()));
}

double Seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct Contender {
  const char* name;
  std::function<void()> run;
  std::vector<double> seconds = {};

  double median() const {
    std::vector<double> sorted = seconds;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }
};

// Each contender has its turn in each round. Prints MB per second, and the time of the others divided by the time of the first.
void Measure(const char* set, const char* what, double megabytes, int rounds, std::vector<Contender> contenders) {
  for (int round = 0; round < rounds; ++round) {
    for (Contender& contender : contenders) contender.seconds.push_back(Seconds(contender.run));
  }
  std::printf("%-24s %-6s", set, what);
  for (const Contender& contender : contenders) {
    std::printf("  %s %7.1f MB/s", contender.name, megabytes / contender.median());
    if (&contender != &contenders.front()) std::printf(" (%.2fx)", contender.median() / contenders.front().median());
  }
  std::printf("\n");
  std::fflush(stdout);
}

class SetBenchmark {
 public:
  SetBenchmark(const RealSet& set, const std::string& folder) : set_(set) {
    const std::string descriptors = ReadFile(folder + "/descriptor_set.pb");
    const absl::StatusOr<Schema> schema = Schema::FromDescriptorSet(descriptors);
    Check(schema.status(), folder);
    plan_ = *schema->PlanOf(set.message);
    resolve_ = schema->PlanFinder();
    pb::FileDescriptorSet files;
    files.ParseFromString(descriptors);
    for (const pb::FileDescriptorProto& file : files.file()) pool_.BuildFile(file);
    prototype_ = factory_.GetPrototype(pool_.FindMessageTypeByName(set.message));
    file_ = ReadFile(folder + "/" + set.file);
    const absl::StatusOr<std::vector<std::string_view>> messages = SplitRecords(RecordFormat::kDelimited, file_);
    Check(messages.status(), folder);
    size_t text_bytes = 0;
    MessageJson json(*plan_, {.resolve = resolve_});
    while (text_bytes < kTextBytes) {
      const size_t before = text_bytes;
      for (const std::string_view message : *messages) {
        auto parsed = std::unique_ptr<pb::Message>(prototype_->New());
        parsed->ParseFromArray(message.data(), static_cast<int>(message.size()));
        parsed->DiscardUnknownFields();
        std::string text;
        Check(json.AppendJson(parsed->SerializeAsString(), text), folder);
        text_bytes += text.size();
        strings_.push_back(std::move(text));
        messages_.push_back(std::move(parsed));
        if (text_bytes >= kTextBytes) break;
      }
      if (text_bytes == before) Die(folder + ": no messages");
    }
    megabytes_ = static_cast<double>(text_bytes) / 1e6;
  }

  void Run(int rounds) {
    Compare();
    std::vector<Contender> readers = {{"structtensor", [this] { ReadToColumns(); }}, {"simdjson DOM", [this] { ReadToDom(); }}};
    if (peer_reads_) readers.push_back({"libprotobuf", [this] { ReadToMessages(); }});
    Measure(set_.folder, "read", megabytes_, rounds, std::move(readers));
    std::vector<Contender> writers = {{"structtensor", [this] { WriteColumns(); }}};
    if (peer_writes_) writers.push_back({"libprotobuf", [this] { WriteMessages(); }});
    Measure(set_.folder, "write", megabytes_, rounds, std::move(writers));
  }

 private:
  void ReadToColumns() {
    std::vector<std::string_view> views;
    std::vector<size_t> ends;
    constexpr size_t kBatchBytes = 4 << 20;
    wire_.clear();
    const auto decode = [&] {
      views.clear();
      size_t begin = 0;
      for (const size_t end : ends) {
        views.push_back(std::string_view(wire_).substr(begin, end - begin));
        begin = end;
      }
      const absl::StatusOr<DecodedBatch> batch = decoder_->Decode(views);
      Check(batch.status(), set_.folder);
      last_batch_ = std::make_unique<DecodedBatch>(*batch);
      wire_.clear();
      ends.clear();
    };
    for (const std::string& text : strings_) {
      Check(json_->AppendMessage(text, wire_), set_.folder);
      ends.push_back(wire_.size());
      if (wire_.size() >= kBatchBytes) decode();
    }
    if (!ends.empty()) decode();
  }

  void ReadToDom() {
    simdjson::dom::element element;
    for (const std::string& text : padded_) {
      if (dom_.parse(text.data(), text.size() - simdjson::SIMDJSON_PADDING, false).get(element) != simdjson::SUCCESS)
        Die("DOM");
    }
  }

  void ReadToMessages() {
    for (const std::string& text : strings_) {
      const auto message = std::unique_ptr<pb::Message>(prototype_->New());
      if (!pb::util::JsonStringToMessage(text, message.get()).ok()) Die("JsonStringToMessage");
    }
  }

  void WriteColumns() {
    std::string text;
    for (const std::unique_ptr<DecodedBatch>& batch : batches_) {
      const absl::StatusOr<EncodedBatch> encoded = encoder_->Encode(batch->tree());
      Check(encoded.status(), set_.folder);
      for (const std::string_view message : *encoded) {
        text.clear();
        Check(json_->AppendJson(message, text), set_.folder);
      }
    }
  }

  void WriteMessages() {
    std::string text;
    for (const std::unique_ptr<pb::Message>& message : messages_) {
      text.clear();
      if (!pb::util::MessageToJsonString(*message, &text).ok()) Die("MessageToJsonString");
    }
  }

  // Makes the data that the contenders share, and compares their results.
  void Compare() {
    decoder_ = std::make_unique<BatchDecoder>(*BatchDecoder::Create(*plan_, {}));
    encoder_ = std::make_unique<BatchEncoder>(*BatchEncoder::Create(*plan_, {}));
    json_ = std::make_unique<MessageJson>(*plan_, MessageJsonOptions{.resolve = resolve_});
    for (const std::string& text : strings_) {
      padded_.push_back(text + std::string(simdjson::SIMDJSON_PADDING, ' '));
    }
    // The batches have their own decoders, because a decoder makes the next batch in the memory of the last one.
    std::vector<std::string_view> views;
    std::vector<std::string> serialized;
    for (const auto& message : messages_) serialized.push_back(message->SerializeAsString());
    size_t batch_bytes = 0;
    const auto decode = [&] {
      decoders_.push_back(std::make_unique<BatchDecoder>(*BatchDecoder::Create(*plan_, {})));
      absl::StatusOr<DecodedBatch> batch = decoders_.back()->Decode(views);
      Check(batch.status(), set_.folder);
      batches_.push_back(std::make_unique<DecodedBatch>(*std::move(batch)));
      views.clear();
      batch_bytes = 0;
    };
    for (const std::string& each : serialized) {
      views.push_back(each);
      batch_bytes += each.size();
      if (batch_bytes > size_t{4} << 20) decode();
    }
    if (!views.empty()) decode();
    for (size_t i = 0; i < strings_.size(); ++i) {
      std::string ours;
      Check(json_->AppendMessage(strings_[i], ours), set_.folder);
      const auto message = std::unique_ptr<pb::Message>(prototype_->New());
      message->ParseFromString(ours);
      if (message->SerializeAsString() != serialized[i]) Die(std::string(set_.folder) + ": a text is read as another message");
      const auto theirs = std::unique_ptr<pb::Message>(prototype_->New());
      if (peer_reads_ && !pb::util::JsonStringToMessage(strings_[i], theirs.get()).ok()) {
        std::printf("%-24s libprotobuf does not read its JSON\n", set_.folder);
        peer_reads_ = false;
      }
      if (peer_reads_ && theirs->SerializeAsString() != serialized[i])
        Die(std::string(set_.folder) + ": libprotobuf reads another message");
      std::string text;
      if (peer_writes_ && !pb::util::MessageToJsonString(*messages_[i], &text).ok()) peer_writes_ = false;
      if (i > 2000) break;
    }
  }

  const RealSet& set_;
  std::shared_ptr<const plan::MessagePlan> plan_;
  std::function<const plan::MessagePlan*(std::string_view)> resolve_;
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_;
  const pb::Message* prototype_;
  std::string file_;
  std::vector<std::unique_ptr<pb::Message>> messages_;
  std::vector<std::string> strings_, padded_;
  double megabytes_;
  bool peer_reads_ = true, peer_writes_ = true;
  std::unique_ptr<BatchDecoder> decoder_;
  std::vector<std::unique_ptr<BatchDecoder>> decoders_;
  std::vector<std::unique_ptr<DecodedBatch>> batches_;
  std::unique_ptr<BatchEncoder> encoder_;
  std::unique_ptr<MessageJson> json_;
  std::unique_ptr<DecodedBatch> last_batch_;
  std::string wire_;
  simdjson::dom::parser dom_;
};

}  // namespace
}  // namespace structtensor

int main(int argc, char** argv) {
  const char* const data = std::getenv("STRUCTTENSOR_DATA");
  if (data == nullptr || *data == '\0') {
    std::fprintf(stderr, "json_benchmark: no real data: set STRUCTTENSOR_DATA to the folder with the data sets\n");
    return 2;
  }
  const std::string folder = data;
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  for (const structtensor::RealSet& set : structtensor::kSets) {
    const auto chosen = [&set](const char* name) { return name == std::string_view(set.folder); };
    if (argc > 2 && std::none_of(argv + 2, argv + argc, chosen)) continue;
    if (!std::ifstream(folder + "/" + set.folder + "/" + set.file)) {
      std::printf("%-24s is not in %s\n", set.folder, folder.c_str());
      continue;
    }
    structtensor::SetBenchmark(set, folder + "/" + set.folder).Run(rounds);
  }
  return 0;
}
