// Files of messages as batches of rows.
#include "structtensor/app/scan/scan.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "arrow.h"
#include "batch.h"
#include "bindings.h"
#include "convert.h"
#include "interpreter_lock.h"
#include "option_names.h"
#include "options.h"
#include "schema.h"
#include "structtensor/app/sinks/message_columns.h"
#include "structtensor/core/base/shared/temporaries.h"
#include "structtensor/io/records/record_index.h"
#include "structtensor/io/remote_files/remote_files.h"
#include "structtensor/tensor/ops/join.h"

namespace structtensor::python {
namespace {

using namespace nanobind::literals;  // NOLINT: "name"_a

ErrorTypes OfInputs() { return {.not_found = PyExc_FileNotFoundError}; }

// The problems found in a scan's messages and files, and the values that its rows lack.
struct Findings {
  std::vector<BrokenMessage> broken;  // only the first ones if there are very many
  std::vector<DroppedValues> dropped_values;
  std::vector<InexactTimes> inexact_times;
  std::vector<DamagedFile> damaged_files;
};

struct ScannedRows {
  StructuredTensor rows;
  Findings findings;  // since the rows before
};

// A running scan. It holds no Python objects, so that Arrow's consumers can read it in their own threads.
class RunningScan {
 public:
  // Throws errors of the arguments: FileNotFoundError for paths, KeyError for names.
  static std::shared_ptr<RunningScan> Start(const std::shared_ptr<const plan::MessagePlan>& plan, ScanOptions options) {
    auto running = std::make_shared<RunningScan>();
    const Enums enums = options.row_options.tensor.enums;
    RunningScan* const self = running.get();  // outlives the scan, which it owns
    options.on_broken_record = [self](const BrokenRecord& record) { self->Keep(record); };
    options.damaged_file_found = [self](const DamagedFile& file) {
      const std::lock_guard lock(self->broken_mutex_);
      self->damaged_files_.push_back(file);
      self->unclaimed_.damaged_files.push_back(file);
    };
    options.on_fatal_record = [self](const BrokenRecord& record) {
      const std::lock_guard lock(self->broken_mutex_);
      self->fatal_ = self->BrokenOf(record);
    };
    absl::StatusOr<std::vector<std::string>> inputs;
    {
      const WithoutInterpreterLock unlocked;  // listing a folder of a remote file system takes time
      inputs = ExpandInputs(options.inputs);
    }
    running->inputs_ = Unwrap(std::move(inputs), OfInputs());
    options.inputs = running->inputs_;
    options.make_columns = options.row_options.threads > 1;
    running->scan_ = Unwrap(Scan::Create(plan, std::move(options)));
    running->plan_ = {plan, &running->scan_->message()};
    running->enums_ = enums;
    return running;
  }

  RunningScan() = default;
  RunningScan(const RunningScan&) = delete;
  RunningScan& operator=(const RunningScan&) = delete;
  // Waits for threads that fetch remote files. They want the interpreter's lock, which the thread that destroys the scan may
  // have.
  ~RunningScan() {
    if (scan_ == nullptr || !remote()) return;
    const nb::gil_scoped_acquire lock;
    const WithoutInterpreterLock unlocked;
    scan_.reset();
  }

  const StructuredTensor& empty() const { return scan_->empty(); }
  // Whether the scan reads files that are not on this machine.
  bool remote() const { return std::any_of(inputs_.begin(), inputs_.end(), IsRemotePath); }
  // The message type of rows.
  const std::shared_ptr<const plan::MessagePlan>& plan() const { return plan_; }
  Enums enums() const { return enums_; }

  // What Next() returns.
  using Result = absl::StatusOr<std::optional<ScannedRows>>;

  // The next rows, or nothing at the end. After an error the scan is at its end. If a limit cuts the messages that are read
  // together into several pieces, the first piece has the findings of all.
  Result Next() {
    const std::lock_guard lock(mutex_);
    if (!put_back_error_.ok()) return std::exchange(put_back_error_, absl::OkStatus());
    while (pieces_.empty() && !done_) {
      const absl::StatusOr<bool> more = scan_->Next([this](const ScanBatch& batch) {
        pieces_.push_back({batch.rows, {}});
        return absl::OkStatus();
      });
      KeepLostValues();
      if (!pieces_.empty()) pieces_.front().findings = TakeUnclaimed();
      if (more.ok() && *more) continue;
      done_ = true;
      const absl::Status closed = scan_->Close();
      if (!more.ok()) return more.status();
      if (!closed.ok()) return closed;
    }
    if (pieces_.empty()) return std::optional<ScannedRows>();
    std::optional<ScannedRows> rows(std::move(pieces_.front()));
    pieces_.pop_front();
    return rows;
  }

  // Puts back what Next() has returned: the next call returns it again.
  void PutBack(Result result) {
    const std::lock_guard lock(mutex_);
    if (!result.ok()) {
      put_back_error_ = result.status();
    } else if (result->has_value()) {
      pieces_.push_front(**std::move(result));
    }
  }

  // The messages without rows so far; only the first ones if there are very many. These functions do not wait for a batch that
  // is being read.
  std::vector<BrokenMessage> broken() const {
    const std::lock_guard lock(broken_mutex_);
    return broken_;
  }
  int64_t broken_count() const {
    const std::lock_guard lock(broken_mutex_);
    return broken_count_;
  }
  LostValues lost_values() const {
    const std::lock_guard lock(broken_mutex_);
    return {TableOf(dropped_values_), TableOf(inexact_times_)};
  }
  std::vector<DamagedFile> damaged_files() const {
    const std::lock_guard lock(broken_mutex_);
    return damaged_files_;
  }
  bool has_new_damaged_files() const {
    const std::lock_guard lock(broken_mutex_);
    return taken_damaged_files_ < damaged_files_.size();
  }
  // The first damaged file that no call has returned yet, or nothing.
  std::optional<DamagedFile> TakeDamagedFile() {
    const std::lock_guard lock(broken_mutex_);
    if (taken_damaged_files_ == damaged_files_.size()) return std::nullopt;
    return damaged_files_[taken_damaged_files_++];
  }
  // The message that has ended the scan, or the place of the damage that has, if there is one.
  std::optional<BrokenMessage> fatal() const {
    const std::lock_guard lock(broken_mutex_);
    return fatal_;
  }

 private:
  static constexpr size_t kMaxBroken = 100'000;

  BrokenMessage BrokenOf(const BrokenRecord& record) const {
    const size_t input = record.location.input;
    return {input < inputs_.size() ? DisplayPath(inputs_[input]) : "",
            record.location.record_number,
            -1,
            record.byte_offset - static_cast<int64_t>(record.header_bytes),
            record.field_path,
            std::string(record.code),
            record.problem};
  }
  void KeepLostValues() {
    const std::lock_guard lock(broken_mutex_);
    dropped_values_ = scan_->dropped_values();
    inexact_times_ = scan_->inexact_times();
  }
  // The findings since the last call.
  Findings TakeUnclaimed() {
    const std::lock_guard lock(broken_mutex_);
    Findings findings = std::exchange(unclaimed_, {});
    findings.dropped_values = scan_->TakeDroppedValues();
    findings.inexact_times = scan_->TakeInexactTimes();
    return findings;
  }
  void Keep(const BrokenRecord& record) {
    const std::lock_guard lock(broken_mutex_);
    ++broken_count_;
    if (broken_.size() < kMaxBroken) broken_.push_back(BrokenOf(record));
    if (unclaimed_.broken.size() < kMaxBroken) unclaimed_.broken.push_back(BrokenOf(record));
  }

  std::shared_ptr<const plan::MessagePlan> plan_;
  Enums enums_ = Enums::kNumbers;  // TensorOptions::enums of the rows
  std::vector<std::string> inputs_;
  std::unique_ptr<Scan> scan_;
  std::mutex mutex_;
  std::deque<ScannedRows> pieces_;
  absl::Status put_back_error_;
  bool done_ = false;
  mutable std::mutex broken_mutex_;  // guards the members below
  int64_t broken_count_ = 0;
  std::vector<BrokenMessage> broken_;
  std::vector<DroppedValues> dropped_values_;
  std::vector<InexactTimes> inexact_times_;
  std::vector<DamagedFile> damaged_files_;
  size_t taken_damaged_files_ = 0;
  Findings unclaimed_;  // broken messages and damaged files since the last rows
  std::optional<BrokenMessage> fatal_;
};

// Throws DecodeError for a broken message, else the exception of the status.
[[noreturn]] void ThrowScanError(const absl::Status& status, const RunningScan& scan) {
  if (status.code() == absl::StatusCode::kDataLoss) {
    const absl::string_view text = status.message();
    const std::optional<BrokenMessage> fatal = scan.fatal();
    if (fatal.has_value()) ThrowDecodeError({text.data(), text.size()}, &*fatal);
    const std::vector<BrokenMessage> broken = scan.broken();
    ThrowDecodeError({text.data(), text.size()}, broken.empty() ? nullptr : &broken.back());
  }
  Throw(status, OfInputs());
}

// Warns of damaged files that are not read completely. Throws if warnings are errors. Requires: the interpreter's lock.
void WarnOfDamagedFiles(RunningScan& scan) {
  while (const std::optional<DamagedFile> file = scan.TakeDamagedFile()) {
    if (PyErr_WarnEx(PyExc_RuntimeWarning, WithPythonNames(file->text).c_str(), 1) != 0) throw nb::python_error();
  }
}

struct ScanReader {
  std::shared_ptr<RunningScan> scan;

  std::optional<ScannedRows> Next() {
    RunningScan::Result rows = absl::UnknownError("");
    {
      const WithoutInterpreterLock unlocked;
      rows = scan->Next();
    }
    try {
      WarnOfDamagedFiles(*scan);
    } catch (...) {  // warnings may be errors
      const WithoutInterpreterLock unlocked;
      scan->PutBack(std::move(rows));
      throw;
    }
    if (!rows.ok()) ThrowScanError(rows.status(), *scan);
    return *std::move(rows);
  }

  // The columns of all batches.
  StructuredTensorSpec Columns() const { return *TypeSpec(scan->empty().spec()).WithUnknownSizes().structured(); }
  std::vector<ArrowLayout> ArrowLayouts() const { return ArrowLayoutsOf(*scan->plan(), Columns(), {}, scan->enums()); }

  // All remaining rows, in one batch.
  Batch ReadAll() {
    std::vector<Value> pieces;
    while (std::optional<ScannedRows> next = Next()) {
      pieces.push_back(std::move(next->rows));
      if (PyErr_CheckSignals() != 0) throw nb::python_error();  // Ctrl-C
    }
    if (pieces.empty()) pieces.push_back(scan->empty());
    return Batch(*Unwrap(Concat(pieces, 0)).structured(), TableOf(scan->broken(), true), scan->lost_values(), scan->plan(),
                 scan->enums(), scan->damaged_files());
  }
};

// The next rows of an Arrow stream. Its reader may have the interpreter's lock, which threads that fetch remote files need.
RunningScan::Result NextOfStream(RunningScan& scan) {
  if (!scan.remote()) return scan.Next();
  const nb::gil_scoped_acquire lock;
  const WithoutInterpreterLock unlocked;
  return scan.Next();
}

RecordMark MarkOf(nb::handle mark) {
  const auto [byte_offset, record_number, checksum] = nb::cast<std::tuple<int64_t, int64_t, uint32_t>>(mark);
  return {byte_offset, record_number, checksum};
}

// A part of a file: (format, bytes of the file, where it begins, where it ends or None).
InputPart PartOf(nb::handle object) {
  const auto part = nb::cast<nb::tuple>(object);
  InputPart result = {.format = FormatOf(part[0]), .file_bytes = nb::cast<int64_t>(part[1]), .begin = MarkOf(part[2])};
  if (!part[3].is_none()) result.end = MarkOf(part[3]);
  return result;
}

template <typename T>
nb::bytes BytesOf(const std::vector<T>& numbers) {
  return nb::bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

// Where a file can be cut: (format, bytes of the file, byte offsets, record numbers, checksums), the last three as bytes of
// int64s, int64s and uint32s. every_bytes: None reads the index beside the file, and returns None if there is none; a number
// looks through the file itself.
nb::object RecordMarks(nb::handle path_object, nb::handle format, nb::handle every_bytes) {
  const std::string path = FilePathOf(path_object, "path");
  RecordIndexOptions options;
  if (!format.is_none()) options.format = FormatOf(format);
  if (!every_bytes.is_none()) options.every_bytes = IntegerOf(every_bytes, "every_bytes");
  const bool make = !every_bytes.is_none();
  absl::StatusOr<std::optional<RecordIndex>> index = absl::UnknownError("");
  {
    const WithoutInterpreterLock unlocked;
    if (make) {
      absl::StatusOr<RecordIndex> made = MakeRecordIndex(path, options);
      index = made.ok() ? absl::StatusOr<std::optional<RecordIndex>>(*std::move(made)) : made.status();
    } else {
      index = ReadRecordIndex(path, options);
    }
  }
  const std::optional<RecordIndex> marks = Unwrap(std::move(index), OfInputs());
  if (!marks.has_value()) return nb::none();
  std::vector<int64_t> byte_offsets;
  std::vector<int64_t> record_numbers;
  std::vector<uint32_t> checksums;
  for (const RecordMark& mark : marks->marks) {
    byte_offsets.push_back(mark.byte_offset);
    record_numbers.push_back(mark.record_number);
    checksums.push_back(mark.checksum);
  }
  return nb::make_tuple(TextToPython(RecordFormatName(marks->format)), marks->file_bytes, BytesOf(byte_offsets),
                        BytesOf(record_numbers), BytesOf(checksums));
}

// The full name of the message type that the Confluent headers of the files name, or None.
nb::object ConfluentMessage(nb::handle inputs, nb::handle schema, nb::handle format) {
  ScanOptions options;
  options.inputs.clear();  // of the default, standard input
  for (nb::handle input : nb::list(inputs)) options.inputs.push_back(FilePathOf(input, "paths"));
  if (!format.is_none()) options.format = FormatOf(format);
  options.confluent_headers = true;
  options.types_of_indexes = Unwrap(SchemaOf(schema).schema.TypesOfIndexes());
  absl::StatusOr<std::string> name = absl::UnknownError("");
  {
    const WithoutInterpreterLock unlocked;
    name = FindConfluentMessage(options);
  }
  const std::string found = Unwrap(std::move(name), OfInputs());
  if (found.empty()) return nb::none();
  return TextToPython(found);
}

// `arguments`: options by the names of the library.
ScanReader StartScan(nb::handle inputs, nb::handle schema, nb::handle message, nb::dict arguments, nb::handle parts) {
  ScanOptions options = ScanOptionsOf(arguments);
  options.inputs.clear();  // of the default, standard input
  for (nb::handle input : nb::list(inputs)) options.inputs.push_back(FilePathOf(input, "paths"));
  // If a number of rows is given, it alone determines the size of batches.
  const auto given = [&arguments](const char* name) { return arguments.contains(name) && !arguments[name].is_none(); };
  if (given("batch_size") && !given("batch_bytes")) options.batch_bytes = size_t{1} << 30;
  options.overwrite = true;  // dead letters
  for (const auto [input, part] : nb::cast<nb::dict>(parts)) options.parts[nb::cast<size_t>(input)] = PartOf(part);
  options.also_read = SchemaOf(schema).schema.SourceFiles();
  options.json.resolve = SchemaOf(schema).schema.PlanFinder();
  const std::shared_ptr<const plan::MessagePlan> plan = SchemaOf(schema).PlanOf(message);
  if (options.confluent_headers) options.types_of_indexes = Unwrap(SchemaOf(schema).schema.TypesOfIndexes(plan->full_name));
  options.message_of_textproto = MessageOfTextBy(std::make_shared<TextFormat>(Unwrap(SchemaOf(schema).schema.TextFormatOf(
      std::string(plan->full_name), {.ignore_extra_fields = options.json.ignore_extra_fields}))));
  return {RunningScan::Start(plan, std::move(options))};
}

}  // namespace

void BindScan(nb::module_& module) {
  module.def(
      "_is_temporary_name", [](nb::handle name) { return base_internal::IsTemporaryName(FilePathOf(name, "name")); }, "name"_a);
  nb::class_<ScanReader>(module, "ScanReader")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__",
           [](ScanReader& self) {
             std::optional<ScannedRows> next = self.Next();
             if (!next.has_value()) throw nb::stop_iteration();
             Findings& findings = next->findings;
             return Batch(std::move(next->rows), TableOf(findings.broken, true),
                          {TableOf(findings.dropped_values), TableOf(findings.inexact_times)}, self.scan->plan(),
                          self.scan->enums(), std::move(findings.damaged_files));
           })
      .def("read_all", [](ScanReader& self) { return self.ReadAll(); })
      .def_prop_ro("errors", [](const ScanReader& self) { return TableOf(self.scan->broken(), true); })
      .def_prop_ro("dropped_values", [](const ScanReader& self) { return self.scan->lost_values().dropped_values; })
      .def_prop_ro("inexact_times", [](const ScanReader& self) { return self.scan->lost_values().inexact_times; })
      .def_prop_ro("broken_messages", [](const ScanReader& self) { return self.scan->broken_count(); })
      .def_prop_ro("damaged_files", [](const ScanReader& self) { return ListOf(self.scan->damaged_files()); })
      .def_prop_ro("spec", [](const ScanReader& self) { return SpecToPython(self.Columns()); })
      .def("_arrow_schema", [](const ScanReader& self) { return ArrowSchemaOf(self.Columns(), self.ArrowLayouts()); })
      .def("_arrow_stream", [](const ScanReader& self) {
        const std::shared_ptr<RunningScan> scan = self.scan;
        return ArrowStream(
            self.Columns(),
            [scan]() -> absl::StatusOr<std::optional<StructuredTensor>> {
              RunningScan::Result next = NextOfStream(*scan);
              absl::Status warned;
              if (scan->has_new_damaged_files()) {
                const nb::gil_scoped_acquire lock;
                try {
                  WarnOfDamagedFiles(*scan);
                } catch (const nb::python_error& error) {  // warnings may be errors
                  warned = absl::DataLossError(error.what());
                }
              }
              if (!warned.ok()) {
                scan->PutBack(std::move(next));
                return warned;
              }
              if (!next.ok()) return next.status();
              if (!next->has_value()) return std::optional<StructuredTensor>();
              return std::optional<StructuredTensor>(std::move((*next)->rows));
            },
            self.ArrowLayouts());
      });
  module.def("_options", OptionTable);
  module.def("_start_scan", StartScan, "inputs"_a, "schema"_a, "message"_a.none(), "arguments"_a, "parts"_a);
  module.def("_confluent_message", ConfluentMessage, "paths"_a, "schema"_a, "format"_a.none());
  module.def("_record_marks", RecordMarks, "path"_a, "format"_a.none(), "every_bytes"_a.none());
}

}  // namespace structtensor::python
