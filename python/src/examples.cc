// tf.Example and tf.SequenceExample.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "batch.h"
#include "bindings.h"
#include "convert.h"
#include "interpreter_lock.h"
#include "messages.h"
#include "options.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/remote_files/remote_files.h"
#include "structtensor/io/tf_example/encode_examples.h"
#include "structtensor/io/tf_example/example_error.h"
#include "structtensor/io/tf_example/infer_features.h"
#include "structtensor/io/tf_example/parse_examples.h"

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

std::vector<std::string> StringsOf(nb::handle strings, std::string_view what) {
  std::vector<std::string> result;
  for (nb::handle text : strings) result.push_back(TextCopyOf(text, what));
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
      return SparseFeature{.index_keys = StringsOf(spec[2], "index_key"),
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

// All messages of record files, and where they come from.
struct RecordFiles {
  struct Place {
    size_t file;  // index in `paths`
    int64_t record;
  };

  std::vector<std::string> paths = {};
  std::optional<Tensor> messages = {};            // a column of bytes
  std::vector<Place> places = {};                 // of the messages
  std::map<int64_t, BrokenRecord> problems = {};  // of damaged records, in whose place are messages that cannot be parsed

  std::string PathOf(int64_t row) const { return DisplayPath(paths[places[static_cast<size_t>(row)].file]); }
};

// A list of bytes, a column, or a RecordFiles.
void AddExamples(nb::handle serialized, Messages& messages) {
  const auto* const files = InstanceOf<RecordFiles>(serialized);
  AddMessages(files == nullptr ? nb::borrow(serialized) : ToPython(*files->messages), nb::none(), messages);
}

// The error with its place. `row`: of the result, or -1.
BrokenMessage BrokenOf(const ExampleError& error, int64_t row, const RecordFiles* files) {
  if (files == nullptr) return {"", error.row, row, error.byte_offset, error.feature, "example", error.problem};
  const int64_t record = files->places[static_cast<size_t>(error.row)].record;
  const auto damaged = files->problems.find(error.row);
  if (damaged != files->problems.end())
    return {files->PathOf(error.row), record, row, 0, "", std::string(damaged->second.code), damaged->second.problem};
  return {files->PathOf(error.row), record, row, error.byte_offset, error.feature, "example", error.problem};
}

// Throws DecodeError for an error about one message, else the exception of the status.
[[noreturn]] void ThrowExampleError(const absl::Status& status, const RecordFiles* files) {
  const std::optional<ExampleError> error = ExampleErrorOf(status);
  if (!error.has_value()) Throw(status);
  const BrokenMessage broken = BrokenOf(*error, -1, files);
  std::string text(status.message());
  const std::string row = absl::StrCat("row ", error->row);
  if (files != nullptr && text.starts_with(row)) {
    text = absl::StrCat(broken.file, " row ", broken.message, text.substr(row.size()));
  }
  ThrowDecodeError(text, &broken);
}

// Calls `function` with the messages, without the interpreter's lock.
template <typename Function>
auto WithMessages(nb::handle serialized, const Function& function) {
  Messages messages;
  AddExamples(serialized, messages);
  auto result = [&] {
    const WithoutInterpreterLock unlocked;
    return function(std::span<const std::string_view>(messages.views));
  }();
  if (!result.ok()) ThrowExampleError(result.status(), InstanceOf<RecordFiles>(serialized));
  return *std::move(result);
}

// features: tuples, as FeatureSpecOf() takes them, with names; None for the inferred ones.
Batch ParseExamplesOf(nb::handle serialized, nb::handle features, nb::handle on_error) {
  using OnError = ParseExamplesOptions::OnError;
  const ParseExamplesOptions options = {.on_error =
                                            static_cast<OnError>(OneOf("on_error", on_error, {"fail", "skip", "null"}))};
  std::vector<ExampleError> errors;
  FeatureSpecs specs;
  if (features.is_none()) {
    specs = WithMessages(serialized, [&](auto messages) {
      return options.on_error == OnError::kFail ? InferFeatures(messages) : InferFeatures(messages, &errors);
    });
  } else {
    specs = FeatureSpecsOf(features);
  }
  const bool no_fields = features.is_none() && specs.empty();
  if (no_fields) specs.emplace_back("none", VarLenFeature{.dtype = DType::kBytes});  // the messages are checked all the same
  StructuredTensor rows =
      WithMessages(serialized, [&](auto messages) { return ParseExamples(messages, specs, options, &errors); });
  if (no_fields) rows = Unwrap(StructuredTensor::FromFields(rows.nrows(), {}));
  const auto* const files = InstanceOf<RecordFiles>(serialized);
  std::vector<BrokenMessage> broken;
  for (const ExampleError& error : errors) {
    broken.push_back(BrokenOf(error, options.on_error == OnError::kNull ? error.row : -1, files));
  }
  return Batch(std::move(rows), TableOf(broken, files != nullptr), "tensorflow.Example");
}

// Reads all messages. With options.skip_damaged, a message that cannot be parsed takes the place of a damaged record.
absl::Status ReadMessages(const RecordReaderOptions& options, RecordFiles& files) {
  absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::Create(files.paths, options);
  if (!reader.ok()) return reader.status();
  constexpr size_t kBatchBytes = 16 << 20;
  constexpr size_t kMaxBytes = 0x7fffffff;
  std::vector<char> bytes;
  std::vector<int32_t> offsets = {0};
  RecordBatch batch;
  const auto add = [&](std::string_view message, const RecordLocation& location) {
    if (message.size() > kMaxBytes - bytes.size()) {
      return absl::ResourceExhaustedError("the files have more than 2 GiB of messages; read fewer files at a time");
    }
    bytes.insert(bytes.end(), message.begin(), message.end());
    offsets.push_back(static_cast<int32_t>(bytes.size()));
    files.places.push_back({location.input, location.record_number});
    return absl::OkStatus();
  };
  for (;;) {
    const absl::StatusOr<bool> more = (*reader)->NextBatch(static_cast<size_t>(-1), kBatchBytes, &batch);
    if (!more.ok()) return more.status();
    if (!*more) break;
    size_t next_skipped = 0;
    // Adds the damaged records that come before the record of this number in this input.
    const auto add_skipped_before = [&](uint64_t input, int64_t record_number) {
      for (; next_skipped < batch.skipped().size(); ++next_skipped) {
        const BrokenRecord& error = batch.skipped()[next_skipped];
        if (std::pair<uint64_t, int64_t>(error.location.input, error.location.record_number) >=
            std::pair(input, record_number)) {
          break;
        }
        files.problems[static_cast<int64_t>(files.places.size())] = error;
        files.problems.rbegin()->second.bytes = {};  // they are those of the batch
        const absl::Status added = add("\7", error.location);
        if (!added.ok()) return added;
      }
      return absl::OkStatus();
    };
    for (size_t i = 0; i < batch.messages().size(); ++i) {
      const RecordLocation& location = batch.locations()[i];
      absl::Status added = add_skipped_before(location.input, location.record_number);
      if (added.ok()) added = add(batch.messages()[i], location);
      if (!added.ok()) return added;
    }
    const absl::Status added = add_skipped_before(std::numeric_limits<uint64_t>::max(), 0);
    if (!added.ok()) return added;
  }
  files.messages = Tensor::FromStrings(Buffer<int32_t>::FromVector(std::move(offsets)),
                                       Buffer<char>::FromVector(std::move(bytes)), DType::kBytes);
  return absl::OkStatus();
}

}  // namespace

void BindExamples(nb::module_& module) {
  nb::class_<RecordFiles>(module, "_RecordFiles")
      .def("__len__", [](const RecordFiles& self) { return self.places.size(); })
      .def_prop_ro("messages", [](const RecordFiles& self) { return ToPython(*self.messages); })
      // The file and the number of the record in it.
      .def("place", [](const RecordFiles& self, size_t row) {
        return nb::make_tuple(ErrorTextToPython(self.PathOf(static_cast<int64_t>(row))), self.places.at(row).record);
      });
  module.def("_parse_examples", ParseExamplesOf, "serialized"_a, "features"_a.none(), "on_error"_a);
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
      "_read_records",
      [](nb::handle paths, nb::handle format, bool skip_damaged) {
        RecordFiles files;
        for (nb::handle path : paths) files.paths.push_back(FilePathOf(path, "source"));
        RecordReaderOptions options;
        if (!format.is_none()) options.format = FormatOf(format);
        options.skip_damaged = skip_damaged;
        options.name_of_rest_option = "";  // the functions that call this one read whole files only
        absl::Status status;
        {
          const WithoutInterpreterLock unlocked;
          status = ReadMessages(options, files);
        }
        if (status.code() == absl::StatusCode::kDataLoss) {
          const absl::string_view text = status.message();
          ThrowDecodeError({text.data(), text.size()}, nullptr);
        }
        Check(status, {.not_found = PyExc_FileNotFoundError});
        return files;
      },
      "paths"_a, "format"_a.none(), "skip_damaged"_a);
}

}  // namespace structtensor::python
