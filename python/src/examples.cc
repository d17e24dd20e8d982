// tf.Example and tf.SequenceExample.
#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "batch.h"
#include "bindings.h"
#include "convert.h"
#include "interpreter_lock.h"
#include "messages.h"
#include "options.h"
#include "structtensor/examples/encode_examples.h"
#include "structtensor/examples/infer_features.h"
#include "structtensor/examples/parse_examples.h"
#include "structtensor/records/record_reader.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

// The default value with the feature's shape. Default values come as vectors.
std::optional<Tensor> DefaultOf(nb::handle values, const Shape& shape) {
  if (values.is_none()) return std::nullopt;
  Tensor tensor = DenseOf(values, "default_value");
  if (shape.is_fully_known() && shape.num_elements() == tensor.size_elements()) tensor = tensor.Reshape(shape);
  return tensor;
}

std::string TextCopyOf(nb::handle text, std::string_view what) { return std::string(TextOf(text, what)); }

std::vector<std::string> TextsOf(nb::handle texts, std::string_view what) {
  std::vector<std::string> result;
  for (nb::handle text : texts) result.push_back(TextCopyOf(text, what));
  return result;
}

// A tuple of the kind's name and the spec's fields, as _examples.py makes it.
FeatureSpec FeatureSpecOf(const nb::tuple& spec) {
  const int kind =
      OneOf("spec", spec[0], {"FixedLenFeature", "FixedLenSequenceFeature", "VarLenFeature", "RaggedFeature", "SparseFeature"});
  const DType dtype = DTypeOfPython(spec[1]);
  switch (kind) {
    case 0: {
      const Shape shape = ShapeOf(spec[2]);
      return FixedLenFeature{.shape = shape, .dtype = dtype, .default_value = DefaultOf(spec[3], shape)};
    }
    case 1:
      return FixedLenSequenceFeature{.shape = ShapeOf(spec[2]),
                                     .dtype = dtype,
                                     .allow_missing = nb::cast<bool>(spec[3]),
                                     .default_value = DefaultOf(spec[4], Shape())};
    case 2:
      return VarLenFeature{.dtype = dtype};
    case 3: {
      RaggedFeature feature{.dtype = dtype,
                            .value_key = spec[2].is_none() ? "" : TextCopyOf(spec[2], "value_key"),
                            .row_splits_dtype = DTypeOfPython(spec[4])};
      for (nb::handle each : spec[3]) {
        const auto partition = nb::borrow<nb::tuple>(each);
        RaggedFeaturePartition& added = feature.partitions.emplace_back();
        added.kind = static_cast<RaggedFeaturePartition::Kind>(
            OneOf("partitions", partition[0],
                  {"RowSplits", "RowLengths", "RowStarts", "RowLimits", "ValueRowIds", "UniformRowLength"}));
        if (added.kind == RaggedFeaturePartition::Kind::kUniformRowLength) {
          added.uniform_row_length = IntegerOf(partition[1], "the length of a UniformRowLength");
        } else {
          added.key = TextCopyOf(partition[1], "the key of a partition");
        }
      }
      return feature;
    }
    default:
      return SparseFeature{.index_keys = TextsOf(spec[2], "index_key"),
                           .value_key = TextCopyOf(spec[3], "value_key"),
                           .dtype = dtype,
                           .size = IntegersOf(spec[4], "size"),
                           .already_sorted = nb::cast<bool>(spec[5])};
  }
}

FeatureSpecs FeatureSpecsOf(nb::handle features) {
  FeatureSpecs specs;
  for (nb::handle each : features) {
    const auto feature = nb::borrow<nb::tuple>(each);
    specs.emplace_back(TextCopyOf(feature[0], "the name of a feature"), FeatureSpecOf(nb::borrow<nb::tuple>(feature[1])));
  }
  return specs;
}

// (name, (kind, fields...)) of inferred specs: FixedLenFeature, FixedLenSequenceFeature or VarLenFeature.
nb::list SpecsToPython(const FeatureSpecs& specs) {
  nb::list result;
  for (const auto& [name, spec] : specs) {
    nb::tuple fields;
    if (const auto* fixed = std::get_if<FixedLenFeature>(&spec)) {
      fields = nb::make_tuple("FixedLenFeature", ShapeToPython(fixed->shape), DTypeToPython(fixed->dtype));
    } else if (const auto* blocks = std::get_if<FixedLenSequenceFeature>(&spec)) {
      fields = nb::make_tuple("FixedLenSequenceFeature", ShapeToPython(blocks->shape), DTypeToPython(blocks->dtype),
                              blocks->allow_missing);
    } else {
      fields = nb::make_tuple("VarLenFeature", DTypeToPython(std::get<VarLenFeature>(spec).dtype));
    }
    result.append(nb::make_tuple(TextToPython(name), fields));
  }
  return result;
}

// Calls `function` with the messages, without the interpreter's lock.
template <typename Function>
auto WithMessages(nb::handle serialized, const Function& function) {
  Messages messages;
  AddMessages(serialized, nb::none(), messages);
  auto result = [&] {
    const WithoutInterpreterLock unlocked;
    return function(std::span<const std::string_view>(messages.views));
  }();
  return Unwrap(std::move(result));
}

// All messages of record files, as a column of bytes.
absl::StatusOr<Tensor> ReadMessages(const std::vector<std::string>& paths, const RecordReaderOptions& options) {
  absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::Create(paths, options);
  if (!reader.ok()) return reader.status();
  constexpr size_t kBatchBytes = 16 << 20;
  constexpr size_t kMaxBytes = 0x7fffffff;
  std::vector<char> bytes;
  std::vector<int32_t> offsets = {0};
  RecordBatch batch;
  for (;;) {
    const absl::StatusOr<bool> more = (*reader)->NextBatch(static_cast<size_t>(-1), kBatchBytes, &batch);
    if (!more.ok()) return more.status();
    if (!*more) break;
    for (const std::string_view message : batch.messages()) {
      if (message.size() > kMaxBytes - bytes.size()) {
        return absl::ResourceExhaustedError("the files have more than 2 GiB of messages; read fewer files at a time");
      }
      bytes.insert(bytes.end(), message.begin(), message.end());
      offsets.push_back(static_cast<int32_t>(bytes.size()));
    }
  }
  return Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)), Buffer<char>::FromVector(std::move(bytes)),
                             DType::kBytes);
}

}  // namespace

void BindExamples(nb::module_& module) {
  module.def(
      "_parse_examples",
      [](nb::handle serialized, nb::handle features) {
        const FeatureSpecs specs = FeatureSpecsOf(features);
        return ToPython(WithMessages(serialized, [&](auto messages) { return ParseExamples(messages, specs); }));
      },
      "serialized"_a, "features"_a);
  module.def(
      "_parse_sequence_examples",
      [](nb::handle serialized, nb::handle context, nb::handle sequences) {
        const FeatureSpecs context_specs = FeatureSpecsOf(context), sequence_specs = FeatureSpecsOf(sequences);
        ParsedSequenceExamples parsed = WithMessages(
            serialized, [&](auto messages) { return ParseSequenceExamples(messages, context_specs, sequence_specs); });
        return nb::make_tuple(ToPython(std::move(parsed.context)), ToPython(std::move(parsed.sequences)),
                              ToPython(std::move(parsed.lengths)));
      },
      "serialized"_a, "context"_a, "sequences"_a);
  module.def(
      "_infer_features",
      [](nb::handle serialized) {
        return SpecsToPython(WithMessages(serialized, [](auto messages) { return InferFeatures(messages); }));
      },
      "serialized"_a);
  module.def(
      "_infer_sequence_features",
      [](nb::handle serialized) {
        const InferredSequenceFeatures inferred =
            WithMessages(serialized, [](auto messages) { return InferSequenceFeatures(messages); });
        return nb::make_tuple(SpecsToPython(inferred.context), SpecsToPython(inferred.sequences));
      },
      "serialized"_a);
  module.def(
      "_to_examples",
      [](nb::handle rows) {
        const StructuredTensor structured = StructuredOf(rows);
        absl::StatusOr<std::vector<std::string>> encoded = absl::UnknownError("");
        {
          const WithoutInterpreterLock unlocked;
          encoded = EncodeExamples(structured);
        }
        Check(encoded.status(), {.out_of_range = PyExc_ValueError});
        nb::list messages;
        for (const std::string& message : *encoded) messages.append(nb::bytes(message.data(), message.size()));
        return messages;
      },
      "rows"_a);
  module.def(
      "_read_messages",
      [](nb::handle paths, nb::handle framing) {
        std::vector<std::string> files;
        for (nb::handle path : paths) files.push_back(FilePathOf(path, "source"));
        RecordReaderOptions options;
        if (!framing.is_none()) options.format = FramingOf(framing);
        absl::StatusOr<Tensor> messages = absl::UnknownError("");
        {
          const WithoutInterpreterLock unlocked;
          messages = ReadMessages(files, options);
        }
        if (messages.status().code() == absl::StatusCode::kDataLoss) {
          const absl::string_view text = messages.status().message();
          ThrowDecodeError({text.data(), text.size()}, nullptr);
        }
        return ToPython(Unwrap(std::move(messages), {.not_found = PyExc_FileNotFoundError}));
      },
      "paths"_a, "framing"_a.none());
}

}  // namespace structtensor::python
