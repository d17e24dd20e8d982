// Messages in memory to rows, and rows to messages.
#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "arrow.h"
#include "batch.h"
#include "bindings.h"
#include "convert.h"
#include "interpreter_lock.h"
#include "messages.h"
#include "options.h"
#include "schema.h"
#include "structtensor/app/scan/message_decoder.h"
#include "structtensor/app/scan/scan.h"
#include "structtensor/core/base/shared/strings.h"
#include "structtensor/core/decode/decoder.h"
#include "structtensor/io/json/message_json.h"
#include "structtensor/io/records/confluent_header.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/records/record_writer.h"
#include "structtensor/tensor/messages/tensor_encoder.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

// --- Decoding

// Why a message is never decoded: its text cannot be parsed, for example.
struct Problem {
  std::string_view code;
  std::string text;
};

class Decoder {
 public:
  Decoder(const BoundSchema& schema, nb::handle message, const ScanOptions& options)
      : Decoder(schema.PlanOf(message), options.row_options) {
    schema_ = schema.schema;
    ignore_extra_fields_ = options.json.ignore_extra_fields;
  }
  Decoder(std::shared_ptr<const plan::MessagePlan> plan, RowOptions options)
      : plan_(std::move(plan)), options_(std::move(options)), decoder_(Unwrap(MessageDecoder::Create(plan_, options_))) {}

  const plan::MessagePlan& plan() const { return *plan_; }
  // A batch without messages. Its spec without sizes is the spec of all batches.
  const StructuredTensor& empty() const { return decoder_.empty(); }

  // Frees the memory that no batch uses. If another thread is decoding, it does that when it is done.
  void Shrink() {
    const WithoutInterpreterLock unlocked;
    shrink_ = true;
    ShrinkIfAsked();
  }

  // Decodes messages in a text format, like files in this format. Text that is not a message is a broken message.
  Batch DecodeText(RecordFormat format, std::string_view strings) {
    const bool skip = options_.decode.on_error != DecodeOptions::OnError::kFail;
    RecordReaderOptions options = {.format = format,
                                   .max_message_bytes = options_.decode.max_message_bytes,
                                   .skip_damaged = skip,
                                   .on_damaged_file = skip ? OnDamagedFile::kRest : OnDamagedFile::kFail,
                                   .name_of_rest_option = "`on_error=kSkip`"};
    options.message_of_json = MessageOfTextBy(std::make_shared<MessageJson>(
        *plan_, MessageJsonOptions{.ignore_extra_fields = ignore_extra_fields_, .resolve = schema_->PlanFinder()}));
    options.message_of_textproto = MessageOfTextBy(std::make_shared<TextFormat>(
        Unwrap(schema_->TextFormatOf(std::string(plan_->full_name), {.ignore_extra_fields = ignore_extra_fields_}))));
    std::vector<std::string> messages;
    std::map<int64_t, Problem> problems;  // by the number of the message
    absl::Status status;
    {
      const WithoutInterpreterLock unlocked;
      status = ReadText(strings, options, messages, problems);
    }
    if (status.code() == absl::StatusCode::kDataLoss) {
      const absl::string_view text = status.message();
      ThrowDecodeError({text.data(), text.size()}, nullptr);
    }
    Check(status);
    return Decode(std::vector<std::string_view>(messages.begin(), messages.end()), problems);
  }

  // Decodes messages that begin with Confluent headers, like scans. A message whose header is wrong is a broken message.
  Batch DecodeConfluent(std::span<const std::string_view> messages) {
    const std::string name(plan_->full_name);
    const auto check = CheckOfConfluentHeaders(name, Unwrap(schema_->TypesOfIndexes(name)));
    std::vector<std::string_view> inner;
    inner.reserve(messages.size());
    std::map<int64_t, Problem> problems;
    ConfluentHeader header;
    for (const std::string_view message : messages) {
      std::string problem = ReadConfluentHeader(message, &header);
      if (problem.empty()) problem = check(header);
      if (problem.empty()) {
        inner.push_back(message.substr(header.size_bytes));
        continue;
      }
      const auto index = static_cast<int64_t>(inner.size());
      if (options_.decode.on_error == DecodeOptions::OnError::kFail) {
        Decode(inner);  // throws if one of the messages before is broken
        const BrokenMessage broken{"", index, -1, 0, "", "confluent_header", problem};
        ThrowDecodeError(absl::StrCat("message ", index, ", byte 0: ", problem), &broken);
      }
      problems[index] = {"confluent_header", std::move(problem)};
      inner.push_back(kBrokenMessage);
    }
    return Decode(inner, problems);
  }

  // `messages` must stay alive: the interpreter's lock is released while they are decoded. `problems`: of messages that are
  // broken for other reasons than their bytes.
  Batch Decode(std::span<const std::string_view> messages, const std::map<int64_t, Problem>& problems = {}) {
    std::vector<MessageError> errors;
    Lost lost;
    absl::StatusOr<StructuredTensor> rows = absl::UnknownError("");
    {
      const WithoutInterpreterLock unlocked;
      rows = Rows(messages, &errors, &lost);
    }
    std::vector<BrokenMessage> broken;
    std::string text(rows.ok() ? "" : rows.status().message());
    for (const MessageError& error : errors) {
      if (const auto problem = problems.find(error.message_index); problem != problems.end()) {
        broken.push_back({"", error.message_index, error.row, 0, "", std::string(problem->second.code), problem->second.text});
        if (rows.ok()) continue;
        // Replaces the error of the placeholder that was decoded instead of the message.
        const absl::string_view of_bytes = error.status.message();
        absl::StrReplaceAll({{of_bytes, absl::StrCat("message ", error.message_index, ", byte 0: ", problem->second.text)}},
                            &text);
        continue;
      }
      broken.push_back({"", error.message_index, error.row, static_cast<int64_t>(error.byte_offset), error.field_path,
                        std::string(error.code), error.problem});
    }
    if (!rows.ok()) {
      if (!broken.empty()) ThrowDecodeError(text, &broken.front());
      Throw(rows.status());
    }
    return Batch(*std::move(rows), TableOf(broken, false),
                 {TableOf(DroppedValuesOf(lost.unknown_values)), TableOf(lost.inexact_times)}, plan_, options_.tensor.enums);
  }

 private:
  // What one call of Decode() reports beside its rows.
  struct Lost {
    std::vector<UnknownValues> unknown_values;
    std::vector<InexactTimes> inexact_times;
  };

  // Bytes that are no message of any type.
  static constexpr std::string_view kBrokenMessage = "\7";

  static std::vector<DroppedValues> DroppedValuesOf(const std::vector<UnknownValues>& unknown_values) {
    std::vector<DroppedValues> dropped;
    for (const UnknownValues& unknown : unknown_values) {
      dropped.push_back({unknown.message_type, unknown.fields, unknown.enum_numbers, unknown.first_field_path,
                         absl::StrCat("message ", unknown.first_message_index)});
    }
    return dropped;
  }

  // A text that is not a message is replaced by a message that cannot be decoded.
  static absl::Status ReadText(std::string_view strings, const RecordReaderOptions& options, std::vector<std::string>& messages,
                               std::map<int64_t, Problem>& problems) {
    absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::OfBytes(strings, options);
    if (!reader.ok()) return reader.status();
    RecordBatch batch;
    while (true) {
      constexpr size_t kMaxMessages = 1 << 16, kMaxBytes = 16 << 20;
      const absl::StatusOr<bool> more = (*reader)->NextBatch(kMaxMessages, kMaxBytes, &batch);
      if (!more.ok()) return more.status();
      if (!*more) return absl::OkStatus();
      size_t next = 0;
      const auto add_messages_before = [&](int64_t record_number) {
        for (; next < batch.messages().size() && batch.locations()[next].record_number < record_number; ++next) {
          messages.emplace_back(batch.messages()[next]);
        }
      };
      for (const BrokenRecord& error : batch.skipped()) {
        add_messages_before(error.location.record_number);
        problems[static_cast<int64_t>(messages.size())] = {error.code,
                                                           absl::StrCat((*reader)->Where(error.location), ": ", error.problem)};
        messages.emplace_back(kBrokenMessage);
      }
      add_messages_before(std::numeric_limits<int64_t>::max());
    }
  }

  // Several Python threads may share a decoder. A thread that finds it in use makes another one and does not wait: in a child
  // of fork(), the thread that would give it back does not exist.
  absl::StatusOr<StructuredTensor> Rows(std::span<const std::string_view> messages, std::vector<MessageError>* errors,
                                        Lost* lost) {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      absl::StatusOr<MessageDecoder> another = MessageDecoder::Create(plan_, options_);
      if (!another.ok()) return another.status();
      return RowsOf(*another, messages, errors, lost);
    }
    absl::StatusOr<StructuredTensor> rows = RowsOf(decoder_, messages, errors, lost);
    lock.unlock();
    ShrinkIfAsked();
    return rows;
  }

  static absl::StatusOr<StructuredTensor> RowsOf(MessageDecoder& decoder, std::span<const std::string_view> messages,
                                                 std::vector<MessageError>* errors, Lost* lost) {
    absl::StatusOr<StructuredTensor> rows = decoder.Decode(messages, errors);
    *lost = {decoder.unknown_values(), decoder.inexact_times()};
    return rows;
  }

  // Looks again after each unlocking: a thread that asks while another one has the lock leaves it to that one.
  void ShrinkIfAsked() {
    while (shrink_) {
      const std::unique_lock lock(mutex_, std::try_to_lock);
      if (!lock.owns_lock()) return;
      if (shrink_.exchange(false)) decoder_.Shrink();
    }
  }

  std::shared_ptr<const plan::MessagePlan> plan_;
  bool ignore_extra_fields_ = false;  // when messages are parsed from text
  std::optional<Schema> schema_;      // the schema of the plan
  RowOptions options_;
  MessageDecoder decoder_;
  std::mutex mutex_;
  std::atomic<bool> shrink_{false};  // the thread that uses decoder_ shrinks it when it is done
};

// The strings of a list, one in each line.
nb::str Joined(nb::handle strings) {
  std::string text;
  for (nb::handle string : nb::borrow<nb::list>(strings)) {
    text.append(TextOf(string, "a JSON message in the list")).push_back('\n');
  }
  return TextToPython(text);
}

Batch DecodeOf(Decoder& decoder, nb::handle object, nb::handle name_of_format, nb::handle confluent) {
  if (!PyBool_Check(confluent.ptr())) ThrowError(PyExc_TypeError, "confluent: expected True or False");
  const bool has_headers = confluent.ptr() == Py_True;
  if (!name_of_format.is_none()) {
    const RecordFormat format = FormatOf(name_of_format);
    if (format == RecordFormat::kJson || format == RecordFormat::kTextproto || format == RecordFormat::kBase64 ||
        format == RecordFormat::kHex) {
      if (has_headers) {
        ThrowError(PyExc_ValueError, absl::StrCat("format = \"", std::string(RecordFormatName(format)),
                                                  "\": text has no Confluent headers, which are for serialized messages"));
      }
      // to_protobuf_json() gives a list of strings, one for each message.
      if (PyList_Check(object.ptr()) && format == RecordFormat::kJson)
        return DecodeOf(decoder, Joined(object), name_of_format, confluent);
      std::vector<nb::object> kept = {nb::borrow(object)};
      const bool is_text = PyUnicode_Check(object.ptr());
      return decoder.DecodeText(format, is_text ? TextOf(object, "messages") : BytesOf(object, "messages with a format", kept));
    }
  }
  Messages messages;
  AddMessages(object, name_of_format, messages);
  return has_headers ? decoder.DecodeConfluent(messages.views) : decoder.Decode(messages.views);
}

// --- Encoding

nb::object EncodeRows(const std::shared_ptr<const plan::MessagePlan>& plan, const StructuredTensor& rows,
                      nb::handle name_of_format, const TensorEncodeOptions& options) {
  std::optional<RecordFormat> format;
  if (!name_of_format.is_none()) format = FormatOf(name_of_format);
  if (format == RecordFormat::kJson) ThrowError(PyExc_ValueError, "format = \"json\": use to_protobuf_json() instead");
  if (format == RecordFormat::kTextproto) {
    ThrowError(PyExc_ValueError,
               "format = \"textproto\": writing it is not supported; use structtensor convert --to textproto");
  }
  if (format == RecordFormat::kCsv) {
    ThrowError(PyExc_ValueError,
               "format = \"csv\": CSV cannot hold messages; write the rows as a table with rows.to_pandas().to_csv()");
  }
  if (format == RecordFormat::kMessage && rows.nrows() != 1) {
    ThrowError(PyExc_ValueError, absl::StrCat("format = \"message\" is for one row; there are ", rows.nrows()));
  }
  TensorEncoder encoder = Unwrap(TensorEncoder::Create(*plan, options));
  absl::StatusOr<EncodedBatch> encoded = absl::UnknownError("");
  std::string framed;
  {
    const WithoutInterpreterLock unlocked;
    encoded = encoder.Encode(rows);
    if (encoded.ok() && format.has_value()) {
      for (const std::string_view message : *encoded) AppendRecord(*format, message, framed);
    }
  }
  Check(encoded.status(), {.out_of_range = PyExc_ValueError});
  if (format.has_value()) return nb::bytes(framed.data(), framed.size());
  nb::list messages;
  for (const std::string_view message : *encoded) messages.append(nb::bytes(message.data(), message.size()));
  return messages;
}

// The plan of the message type that rows are encoded as.
std::shared_ptr<const plan::MessagePlan> PlanOfMessages(nb::handle rows, nb::handle schema, nb::handle message,
                                                        const char* function) {
  if (!schema.is_none()) return SchemaOf(schema).PlanOf(message);
  const auto* const batch = InstanceOf<Batch>(rows);
  if (batch == nullptr || batch->plan == nullptr) {
    ThrowError(PyExc_TypeError,
               absl::StrCat(function, ": pass schema=; only a batch that a decoder returned has a message type"));
  }
  if (!message.is_none()) ThrowError(PyExc_TypeError, absl::StrCat(function, ": message= needs schema="));
  return batch->plan;
}

nb::object ToMessageJson(const StructuredTensor& rows, nb::handle self, nb::handle schema, nb::handle message,
                         MessageJsonOptions json_options, bool ignore_extra_fields) {
  const std::shared_ptr<const plan::MessagePlan> plan = PlanOfMessages(self, schema, message, "to_protobuf_json");
  if (!schema.is_none()) json_options.resolve = SchemaOf(schema).schema.PlanFinder();
  TensorEncoder encoder =
      Unwrap(TensorEncoder::Create(*plan, {.unknown_fields = false, .ignore_extra_fields = ignore_extra_fields}));
  MessageJson json(*plan, std::move(json_options));
  absl::StatusOr<EncodedBatch> encoded = absl::UnknownError("");
  absl::Status written;
  std::string text;  // of all messages, one after the other
  std::vector<size_t> ends;
  {
    const WithoutInterpreterLock unlocked;
    encoded = encoder.Encode(rows);
    if (encoded.ok()) {
      for (const std::string_view each : *encoded) {
        written = json.AppendJson(each, text);
        if (!written.ok()) break;
        ends.push_back(text.size());
      }
    }
  }
  Check(encoded.status(), {.out_of_range = PyExc_ValueError});
  if (!written.ok()) {
    ThrowError(PyExc_ValueError, absl::StrCat("row ", ends.size(), " cannot be written as JSON: ", written.message()));
  }
  nb::list strings;
  size_t begin = 0;
  for (const size_t end : ends) {
    strings.append(TextToPython(std::string_view(text).substr(begin, end - begin)));
    begin = end;
  }
  return strings;
}

TensorEncodeOptions EncodeOptionsOf(bool sort_map_keys, bool unknown_fields, bool ignore_extra_fields,
                                    bool allow_missing_required) {
  return {.sort_map_keys = sort_map_keys,
          .unknown_fields = unknown_fields,
          .ignore_extra_fields = ignore_extra_fields,
          .allow_missing_required = allow_missing_required};
}

nb::object ToProtobuf(const StructuredTensor& rows, nb::handle self, nb::handle schema, nb::handle message, nb::handle format,
                      const TensorEncodeOptions& options) {
  return EncodeRows(PlanOfMessages(self, schema, message, "to_protobuf"), rows, format, options);
}

// The names in the dictionaries of columns, by the paths of the columns. Paths are tuples of names.
void AddDictionaries(const std::vector<ArrowLayout>& layouts, const nb::tuple& path, nb::dict& names) {
  for (const ArrowLayout& layout : layouts) {
    const auto here = nb::tuple(path + nb::make_tuple(TextToPython(layout.name)));
    nb::list strings;
    for (const std::string& name : layout.dictionary_names) strings.append(TextToPython(name));
    if (!layout.dictionary_names.empty()) names[here] = strings;
    AddDictionaries(layout.fields, here, names);
  }
}

}  // namespace

void BindDecode(nb::module_& module) {
  DocumentedClass<Batch, StructuredTensor>(module, "Batch")
      .DefineNoConstructor("Decoder.decode() and read() make batches")
      .def("__arrow_c_schema__", [](const Batch& self) { return ArrowSchemaOf(self.spec(), self.ArrowLayouts()); })
      .def(
          "__arrow_c_array__",
          [](const Batch& self, nb::handle /*requested_schema*/) {
            std::vector<ArrowLayout> layouts = self.ArrowLayouts();
            return Unwrap(ArrowBatchOf(self, self.spec(), layouts), {.out_of_range = PyExc_ValueError});
          },
          "requested_schema"_a = nb::none())
      .def(
          "__arrow_c_stream__",
          [](const Batch& self, nb::handle /*requested_schema*/) { return ArrowStreamOfOne(self, self.ArrowLayouts()); },
          "requested_schema"_a = nb::none())
      .def("_dictionaries",
           [](const Batch& self) {
             nb::dict names;
             AddDictionaries(self.ArrowLayouts(), nb::tuple(), names);
             return names;
           })
      .def_prop_ro("errors", [](const Batch& self) { return self.errors; })
      .def_prop_ro("dropped_values", [](const Batch& self) { return self.lost.dropped_values; })
      .def_prop_ro("inexact_times", [](const Batch& self) { return self.lost.inexact_times; })
      .def_prop_ro("damaged_files", [](const Batch& self) { return ListOf(self.damaged_files); })
      .def_prop_ro("message", [](const Batch& self) { return TextToPython(self.message); });
  DocumentedClass<Decoder>(module, "Decoder")
      .DefineConstructor("def __init__(self, schema: object, message: object | None, options: dict) -> None",
                         [](const nb::tuple& arguments) {
                           return Decoder(SchemaOf(arguments[0]), arguments[1],
                                          ScanOptionsOf(nb::borrow<nb::dict>(arguments[2])));
                         })
      .def_prop_ro("message", [](const Decoder& self) { return TextToPython(self.plan().full_name); })
      .def_prop_ro("spec", [](const Decoder& self) { return SpecToPython(TypeSpec(self.empty().spec()).WithUnknownSizes()); })
      .def("decode", DecodeOf, "messages"_a, "format"_a = nb::none(), "confluent"_a = false)
      .def("shrink", &Decoder::Shrink)
      .def("__repr__", [](const Decoder& self) {
        constexpr size_t kShown = 10;
        std::vector<std::string> names = self.empty().field_names();
        const size_t count = names.size();
        if (count > kShown) names.resize(kShown);
        return TextToPython(absl::StrCat("<Decoder of ", ToAbsl(self.plan().full_name), ": ", absl::StrJoin(names, ", "),
                                         count > kShown ? ", ..." : "", ">"));
      });
  module.def(
      "_to_protobuf_json",
      [](nb::handle rows, nb::handle schema, nb::handle message, bool proto_field_names, bool enums_as_numbers,
         bool always_print_fields_with_no_presence, bool ignore_extra_fields) {
        MessageJsonOptions options;
        options.proto_field_names = proto_field_names;
        options.enums_as_numbers = enums_as_numbers;
        options.always_print_fields_with_no_presence = always_print_fields_with_no_presence;
        return ToMessageJson(StructuredOf(rows), rows, schema, message, std::move(options), ignore_extra_fields);
      },
      "rows"_a, "schema"_a.none(), "message"_a.none(), "proto_field_names"_a, "enums_as_numbers"_a,
      "always_print_fields_with_no_presence"_a, "ignore_extra_fields"_a);
  module.def(
      "_to_protobuf",
      [](nb::handle rows, nb::handle schema, nb::handle message, nb::handle format, bool sort_map_keys, bool unknown_fields,
         bool ignore_extra_fields, bool allow_missing_required) {
        return ToProtobuf(StructuredOf(rows), rows, schema, message, format,
                          EncodeOptionsOf(sort_map_keys, unknown_fields, ignore_extra_fields, allow_missing_required));
      },
      "rows"_a, "schema"_a.none(), "message"_a.none(), "format"_a.none(), "sort_map_keys"_a, "unknown_fields"_a,
      "ignore_extra_fields"_a, "allow_missing_required"_a);
}

}  // namespace structtensor::python
