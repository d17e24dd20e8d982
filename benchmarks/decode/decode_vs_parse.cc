// decode_vs_parse [SECONDS_PER_CONTENDER [SET]]: ns per message and MB/s of finished columns, and of libprotobuf merely parsing the same
// bytes into a reused message and into an arena. Passes are interleaved; the best one of each counts. Before anything is timed,
// both are seen to accept every message; equality of the values is what tests/oracle proves.
#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/common.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tile.pb.h"
#include "tile.structtensor.h"

#ifdef STRUCTTENSOR_HAVE_DATA
#include "benchmark_message1_proto2.pb.h"
#include "benchmark_message1_proto2.structtensor.h"
#include "benchmark_message1_proto3.pb.h"
#include "benchmark_message1_proto3.structtensor.h"
#include "benchmark_message2.pb.h"
#include "benchmark_message2.structtensor.h"
#include "gtfs-realtime.pb.h"
#include "gtfs-realtime.structtensor.h"
#include "nyct-subway.pb.h"
#include "opentelemetry/proto/trace/v1/trace.pb.h"
#include "opentelemetry/proto/trace/v1/trace.structtensor.h"
#include "profile.pb.h"
#include "profile.structtensor.h"
#include "tensorflow/core/example/example.pb.h"
#include "tensorflow/core/example/example.structtensor.h"
#endif

namespace structtensor::benchmark {
namespace {

struct Messages {
  std::string bytes;
  std::vector<std::string_view> views;

  explicit Messages(std::string delimited, size_t at_least = 1) : bytes(std::move(delimited)) {
    size_t position = 0;
    while (position < bytes.size()) {
      size_t size_bytes = 0;
      for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<uint8_t>(bytes[position++]);
        size_bytes |= static_cast<size_t>(byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      views.emplace_back(bytes.data() + position, size_bytes);
      position += size_bytes;
    }
    for (size_t i = 0; views.size() < at_least; ++i) views.push_back(views[i]);
  }

  size_t payload_bytes() const {
    size_t total = 0;
    for (const std::string_view view : views) total += view.size();
    return total;
  }
};

double g_seconds_per_contender = 1.0;
std::string_view g_set;  // part of the name of the sets to run

double Seconds(const std::function<void()>& pass) {
  const auto begin = std::chrono::steady_clock::now();
  pass();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void Require(bool condition, const char* set, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s: %s\n", set, what);
  std::exit(1);
}

template <typename Decoder, typename Message>
void Run(const char* set, const Messages& messages, size_t batch_size) {
  if (std::string_view(set).find(g_set) == std::string_view::npos) return;
  Decoder decoder;
  Message reused;
  bool ok = true;
  const auto batches = [&](auto&& each) {
    for (size_t i = 0; i < messages.views.size(); i += batch_size) {
      each(std::span(messages.views).subspan(i, std::min(batch_size, messages.views.size() - i)));
    }
  };
  const auto ours = [&] { batches([&](auto batch) { ok &= decoder.Decode(batch).ok(); }); };
  const auto parse = [&] {
    for (const std::string_view view : messages.views) ok &= reused.ParseFromArray(view.data(), static_cast<int>(view.size()));
  };
  static std::vector<char> block(size_t{8} << 20);
  google::protobuf::ArenaOptions arena_options;
  arena_options.initial_block = block.data();
  arena_options.initial_block_size = block.size();
  const auto arena_parse = [&] {
    batches([&](auto batch) {
      google::protobuf::Arena arena(arena_options);
      for (const std::string_view view : batch) {
        ok &=
            google::protobuf::Arena::CreateMessage<Message>(&arena)->ParseFromArray(view.data(), static_cast<int>(view.size()));
      }
    });
  };
  ours();
  parse();
  arena_parse();
  Require(ok, set, "not every message was accepted");

  double best[3] = {1e9, 1e9, 1e9};
  double spent = 0;
  while (spent < 3 * g_seconds_per_contender) {
    const double now[3] = {Seconds(ours), Seconds(parse), Seconds(arena_parse)};
    for (int i = 0; i < 3; ++i) {
      best[i] = std::min(best[i], now[i]);
      spent += now[i];
    }
  }
  const double mb = static_cast<double>(messages.payload_bytes()) / 1e6;
  const double per_message = 1e9 / static_cast<double>(messages.views.size());
  std::printf("%-28s %7zu %11.1f %8.0f %11.1f %8.0f %11.1f %8.0f %7.2f\n", set, messages.views.size(), best[0] * per_message,
              mb / best[0], best[1] * per_message, mb / best[1], best[2] * per_message, mb / best[2],
              std::min(best[1], best[2]) / best[0]);
  std::fflush(stdout);
}

Messages MakeTiles() {
  std::mt19937 random(7);
  std::string bytes;
  for (int tile_index = 0; tile_index < 64; ++tile_index) {
    Tile tile;
    for (int layer_index = 0; layer_index < 4; ++layer_index) {
      Tile::Layer* layer = tile.add_layers();
      layer->set_name("layer" + std::to_string(layer_index));
      layer->set_extent(4096);
      for (int feature_index = 0; feature_index < 100; ++feature_index) {
        Tile::Feature* feature = layer->add_features();
        feature->set_id(random());
        feature->set_type(static_cast<int>(random() % 3));
        for (int i = 0; i < 6; ++i) feature->add_tags(random() % 200);
        const int points = 10 + static_cast<int>(random() % 100);
        for (int i = 0; i < 2 * points; ++i) feature->add_geometry(random() % 4 == 0 ? random() % 4096 : random() % 128);
      }
    }
    const std::string message = tile.SerializeAsString();
    for (size_t rest = message.size();; rest >>= 7) {
      if (rest < 0x80) {
        bytes.push_back(static_cast<char>(rest));
        break;
      }
      bytes.push_back(static_cast<char>((rest & 0x7f) | 0x80));
    }
    bytes += message;
  }
  return Messages(std::move(bytes));
}

#ifdef STRUCTTENSOR_HAVE_DATA
Messages Load(const char* name, size_t at_least = 1) {
  const char* folder = std::getenv("STRUCTTENSOR_DATA");
  const std::string path = std::string(folder != nullptr ? folder : STRUCTTENSOR_DATA) + "/" + name;
  std::ifstream file(path, std::ios::binary);
  Require(file.good(), path.c_str(), "cannot be read");
  return Messages(std::string(std::istreambuf_iterator<char>(file), {}), at_least);
}
#endif

void RunAll() {
  std::printf("libprotobuf %d; best pass of each; ratio = better of libprotobuf's two / ours\n", GOOGLE_PROTOBUF_VERSION);
  std::printf("%-28s %7s %20s %20s %20s\n", "", "", "ours: columns", "libprotobuf: reuse", "libprotobuf: arena");
  std::printf("%-28s %7s %11s %8s %11s %8s %11s %8s %7s\n", "set", "msgs", "ns/msg", "MB/s", "ns/msg", "MB/s", "ns/msg", "MB/s",
              "ratio");
#ifdef STRUCTTENSOR_HAVE_DATA
  Run<opentelemetry::proto::trace::v1::TracesDataDecoder, opentelemetry::proto::trace::v1::TracesData>(
      "otlp_traces_astronomy", Load("otlp_traces_astronomy/messages.bin"), 8);
  Run<tensorflow::ExampleDecoder, tensorflow::Example>("tfexample_taxi", Load("tfexample_taxi/messages.bin"), 256);
  Run<transit_realtime::FeedMessageDecoder, transit_realtime::FeedMessage>("gtfsrt_nyct messages",
                                                                           Load("gtfsrt_nyct/messages.bin"), 4);
  Run<transit_realtime::FeedEntityDecoder, transit_realtime::FeedEntity>("gtfsrt_nyct entities",
                                                                         Load("gtfsrt_nyct/entities.bin"), 256);
  Run<perftools::profiles::ProfileDecoder, perftools::profiles::Profile>("pprof", Load("pprof/messages.bin"), 8);
  Run<benchmarks::proto2::GoogleMessage1Decoder, benchmarks::proto2::GoogleMessage1>(
      "google_message1_proto2", Load("google_message1_proto2/messages.bin", 1000), 1000);
  Run<benchmarks::proto3::GoogleMessage1Decoder, benchmarks::proto3::GoogleMessage1>(
      "google_message1_proto3", Load("google_message1_proto3/messages.bin", 1000), 1000);
  Run<benchmarks::proto2::GoogleMessage2Decoder, benchmarks::proto2::GoogleMessage2>(
      "google_message2", Load("google_message2/messages.bin", 20), 20);
#endif
  Run<TileDecoder, Tile>("made-up tiles (packed)", MakeTiles(), 16);
}

}  // namespace
}  // namespace structtensor::benchmark

int main(int argc, char** argv) {
  if (argc > 1) structtensor::benchmark::g_seconds_per_contender = std::atof(argv[1]);
  if (argc > 2) structtensor::benchmark::g_set = argv[2];
  structtensor::benchmark::RunAll();
  return 0;
}
