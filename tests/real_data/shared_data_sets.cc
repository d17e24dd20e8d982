// The sets of real_data_test, in the folder STRUCTTENSOR_DATA. CMake generates decoders for the sets that exist.
#include "real_data.h"

#ifdef STRUCTTENSOR_HAVE_GOOGLE_MESSAGE1_PROTO2
#include "benchmark_message1_proto2.structtensor.h"
#define STRUCTTENSOR_PLAN_MESSAGE1_PROTO2 &benchmarks::proto2::GoogleMessage1Columns::plan()
#else
#define STRUCTTENSOR_PLAN_MESSAGE1_PROTO2 nullptr
#endif
#ifdef STRUCTTENSOR_HAVE_GOOGLE_MESSAGE1_PROTO3
#include "benchmark_message1_proto3.structtensor.h"
#define STRUCTTENSOR_PLAN_MESSAGE1_PROTO3 &benchmarks::proto3::GoogleMessage1Columns::plan()
#else
#define STRUCTTENSOR_PLAN_MESSAGE1_PROTO3 nullptr
#endif
#ifdef STRUCTTENSOR_HAVE_GOOGLE_MESSAGE2
#include "benchmark_message2.structtensor.h"
#define STRUCTTENSOR_PLAN_MESSAGE2 &benchmarks::proto2::GoogleMessage2Columns::plan()
#else
#define STRUCTTENSOR_PLAN_MESSAGE2 nullptr
#endif
#ifdef STRUCTTENSOR_HAVE_GTFSRT_NYCT
#include "gtfs-realtime.structtensor.h"
#define STRUCTTENSOR_PLAN_FEED_MESSAGE &transit_realtime::FeedMessageColumns::plan()
#define STRUCTTENSOR_PLAN_FEED_ENTITY &transit_realtime::FeedEntityColumns::plan()
#else
#define STRUCTTENSOR_PLAN_FEED_MESSAGE nullptr
#define STRUCTTENSOR_PLAN_FEED_ENTITY nullptr
#endif
#ifdef STRUCTTENSOR_HAVE_OTLP_TRACES_ASTRONOMY
#include "opentelemetry/proto/trace/v1/trace.structtensor.h"
#define STRUCTTENSOR_PLAN_TRACES &opentelemetry::proto::trace::v1::TracesDataColumns::plan()
#else
#define STRUCTTENSOR_PLAN_TRACES nullptr
#endif
#ifdef STRUCTTENSOR_HAVE_PPROF
#include "profile.structtensor.h"
#define STRUCTTENSOR_PLAN_PROFILE &perftools::profiles::ProfileColumns::plan()
#else
#define STRUCTTENSOR_PLAN_PROFILE nullptr
#endif
#ifdef STRUCTTENSOR_HAVE_TFEXAMPLE_TAXI
#include "tensorflow/core/example/example.structtensor.h"
#define STRUCTTENSOR_PLAN_EXAMPLE &tensorflow::ExampleColumns::plan()
#else
#define STRUCTTENSOR_PLAN_EXAMPLE nullptr
#endif

namespace structtensor::testing {

const std::vector<RealDataSet>& RealDataSets() {
  static const auto* const kSets = new std::vector<RealDataSet>{
      {STRUCTTENSOR_DATA "/google_message1_proto2", "messages.bin", STRUCTTENSOR_PLAN_MESSAGE1_PROTO2},
      {STRUCTTENSOR_DATA "/google_message1_proto3", "messages.bin", STRUCTTENSOR_PLAN_MESSAGE1_PROTO3},
      {STRUCTTENSOR_DATA "/google_message2", "messages.bin", STRUCTTENSOR_PLAN_MESSAGE2},
      {STRUCTTENSOR_DATA "/gtfsrt_nyct", "messages.bin", STRUCTTENSOR_PLAN_FEED_MESSAGE},
      {STRUCTTENSOR_DATA "/gtfsrt_nyct", "entities.bin", STRUCTTENSOR_PLAN_FEED_ENTITY},
      {STRUCTTENSOR_DATA "/otlp_traces_astronomy", "messages.bin", STRUCTTENSOR_PLAN_TRACES},
      {STRUCTTENSOR_DATA "/pprof", "messages.bin", STRUCTTENSOR_PLAN_PROFILE},
      {STRUCTTENSOR_DATA "/tfexample_taxi", "messages.bin", STRUCTTENSOR_PLAN_EXAMPLE},
  };
  return *kSets;
}

}  // namespace structtensor::testing
