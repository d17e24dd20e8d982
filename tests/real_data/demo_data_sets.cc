// The sets of demo_data_test. The build makes them, as tools/demo does.
#include "onnx/onnx.structtensor.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.structtensor.h"
#include "real_data.h"

namespace structtensor::testing {

const std::vector<RealDataSet>& RealDataSets() {
  static const auto* const kSets = new std::vector<RealDataSet>{
      {STRUCTTENSOR_DEMO_DIR "/otlp", "messages.bin",
       &opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequestColumns::plan()},
      {STRUCTTENSOR_DEMO_DIR "/onnx", "messages.bin", &onnx::ModelProtoColumns::plan()},
  };
  return *kSets;
}

}  // namespace structtensor::testing
