// Receives OpenTelemetry's spans over HTTP (OTLP, POST /v1/traces) and writes them to Parquet files, a row for each span.
//
//   otlp_service FOLDER [PORT] [ROWS_PER_FILE] [SECONDS_PER_FILE]
//
// Requests are decoded by generated code, by as many threads as there are processors. Memory is bounded: a request has at most
// 16 MiB, each thread has one, and a file keeps one row group. A request is answered when its spans are in a file's memory or
// on the disk: SIGINT and SIGTERM complete the file under way and lose nothing that was accepted. A crash loses the file under
// way, and so does a file that cannot be written, such as on a full disk.
#include <httplib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>

#include "opentelemetry/proto/collector/trace/v1/trace_service.structtensor.h"
#include "span_files.h"
#include "status.structtensor.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#include "structtensor/tensor/struct_ops/broadcast.h"
#include "structtensor/tensor/struct_ops/reroot.h"

namespace {

namespace collector = opentelemetry::proto::collector::trace::v1;
using structtensor::StructuredTensor;

constexpr size_t kMaxRequestBytes = 16 << 20;
constexpr const char* kProtobuf = "application/x-protobuf";

// The spans of a request as rows, each with its resource and its scope.
absl::StatusOr<StructuredTensor> SpansOf(std::string_view request) {
  // Attributes may hold attributes. A table needs a fixed set of columns: what is nested deeper stays serialized.
  thread_local collector::ExportTraceServiceRequestDecoder decoder =
      *collector::ExportTraceServiceRequestDecoder::Create({.max_message_bytes = kMaxRequestBytes, .recursion_depth = 1});
  const auto batch = decoder.Decode(std::span(&request, 1));
  if (!batch.ok()) return batch.status();
  absl::StatusOr<StructuredTensor> rows = ToStructuredTensor(*batch);
  const structtensor::Path spans = {"resource_spans", "scope_spans", "spans"};
  if (rows.ok()) rows = structtensor::Broadcast(*rows, {"resource_spans", "resource"}, spans.Child("resource"));
  if (rows.ok()) rows = structtensor::Broadcast(*rows, {"resource_spans", "scope_spans", "scope"}, spans.Child("scope"));
  if (!rows.ok()) return rows.status();
  return structtensor::Reroot(*rows, spans);
}

// An error as OTLP wants it: a Status message.
void Refuse(httplib::Response& response, int http_status, const absl::Status& error) {
  otlp_service::StatusBatchBuilder builder;
  const otlp_service::StatusRowBuilder status = builder.AppendRow();
  status.set_code(static_cast<int32_t>(error.code()));
  status.set_message({error.message().data(), error.message().size()});
  const auto batch = builder.Build();
  if (batch.ok()) {
    const auto encoded = otlp_service::StatusEncoder().Encode(*batch);
    if (encoded.ok()) response.set_content((*encoded)[0].data(), (*encoded)[0].size(), kProtobuf);
  }
  response.status = http_status;
}

void Receive(const httplib::Request& request, httplib::Response& response, otlp_service::SpanFiles& files) {
  if (request.get_header_value("Content-Type") != kProtobuf) {
    Refuse(response, 415, absl::InvalidArgumentError(std::string("expected Content-Type: ") + kProtobuf));
    return;
  }
  const absl::StatusOr<StructuredTensor> spans = SpansOf(request.body);
  if (!spans.ok()) {
    Refuse(response, 400, spans.status());
    return;
  }
  if (spans->nrows() > 0) {
    const absl::Status written = files.Write(*spans);
    if (!written.ok()) {
      std::fprintf(stderr, "otlp_service: %s\n", std::string(written.message()).c_str());
      Refuse(response, 503, written);  // the client may send it again
      return;
    }
  }
  response.set_content("", kProtobuf);  // an ExportTraceServiceResponse without partial success
}

bool Parse(const char* text, int64_t least, int64_t most, int64_t* value) {
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, *value);
  return error == std::errc() && rest == end && *value >= least && *value <= most;
}

}  // namespace

int main(int argc, char** argv) {
  int64_t port = 4318;  // OTLP's own
  int64_t rows_per_file = 1'000'000;
  int64_t seconds_per_file = 300;
  if (argc < 2 || argc > 5 || (argc > 2 && !Parse(argv[2], 0, 65535, &port)) ||
      (argc > 3 && !Parse(argv[3], 1, INT64_MAX, &rows_per_file)) ||
      (argc > 4 && !Parse(argv[4], 1, 1'000'000, &seconds_per_file))) {
    std::fprintf(stderr,
                 "usage: otlp_service FOLDER [PORT] [ROWS_PER_FILE] [SECONDS_PER_FILE]\n"
                 "PORT 0 takes one that is free. By default 4318, 1000000 and 300.\n");
    return 2;
  }
  if (!std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "otlp_service: %s: no such folder\n", argv[1]);
    return 1;
  }

  // Signals are taken by a thread that waits for them, and by no other one.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  otlp_service::SpanFiles files(argv[1], rows_per_file, std::chrono::seconds(seconds_per_file));
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(std::max(1u, std::thread::hardware_concurrency())); };
  server.set_payload_max_length(kMaxRequestBytes);
  server.Post("/v1/traces",
              [&](const httplib::Request& request, httplib::Response& response) { Receive(request, response, files); });
  const int bound = port == 0 ? server.bind_to_any_port("127.0.0.1")
                              : (server.bind_to_port("127.0.0.1", static_cast<int>(port)) ? static_cast<int>(port) : -1);
  if (bound < 0) {
    std::fprintf(stderr, "otlp_service: port %d cannot be used\n", static_cast<int>(port));
    return 1;
  }
  std::thread waiter([&] {
    const timespec second = {.tv_sec = 1, .tv_nsec = 0};
    while (sigtimedwait(&signals, nullptr, &second) < 0) {
      const absl::Status completed = files.CompleteIfOld();
      if (!completed.ok()) std::fprintf(stderr, "otlp_service: %s\n", std::string(completed.message()).c_str());
    }
    server.stop();
  });
  std::fprintf(stderr, "otlp_service: http://127.0.0.1:%d/v1/traces to %s\n", bound, argv[1]);
  server.listen_after_bind();  // until stop(): requests that have begun are answered
  waiter.join();
  const absl::Status closed = files.Close();
  if (!closed.ok()) std::fprintf(stderr, "otlp_service: %s\n", std::string(closed.message()).c_str());
  return closed.ok() ? 0 : 1;
}
