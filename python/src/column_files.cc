// Parquet, Arrow and CSV files by pyarrow. structtensor/io/column_files does the same by Arrow C++, which the package does
// not have. Batches go to and from the module structtensor._column_files through the Arrow C data interface.
//
// The command runs without the interpreter's lock. Each call here holds the lock until it returns.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "arrow.h"
#include "bindings.h"
#include "convert.h"
#include "python_calls.h"
#include "structtensor/io/column_files/column_file.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/io/column_files/shared/batched_reader.h"
#include "structtensor/io/column_files/shared/fd_output.h"
#include "structtensor/io/column_files/shared/file_kind.h"
#include "structtensor/io/column_files/shared/read_size.h"
#include "structtensor/io/column_files/shared/written_columns.h"

namespace structtensor {
namespace {

namespace nb = nanobind;

using column_files_internal::BatchedReader;
using column_files_internal::FdOutput;
using column_files_internal::OpenedFile;
using column_files_internal::OpenedFileOf;
using column_files_internal::ReadSize;
using column_files_internal::WrittenColumns;
using python::Held;
using python::WithPython;

const char* NameOf(FileFormat format) {
  switch (format) {
    case FileFormat::kParquet:
      return "parquet";
    case FileFormat::kArrowFile:
      return "arrow";
    case FileFormat::kArrowStream:
      return "arrows";
    case FileFormat::kCsv:
      break;
  }
  return "csv";
}

std::string_view NameOf(FileCompression compression) {
  return compression == FileCompression::kDefault ? "default" : CodecOf(compression).name;
}

nb::object Helpers() { return nb::module_::import_("structtensor._column_files"); }

// FdOutput as a Python file.
struct PythonOutput {
  explicit PythonOutput(int fd) : output(fd) {}

  void Check(const absl::Status& status) const {
    // The status itself is in output.status(); the exception only ends the work of pyarrow. No exception for an abandoned file:
    // pyarrow ends files when their writers are destroyed, and would then print the error.
    if (!status.ok() && !abandoned) python::ThrowError(PyExc_OSError, std::string(status.message()));
  }
  // From here on nothing is written.
  void Abandon() {
    abandoned = true;
    output.Abandon();
  }

  FdOutput output;
  bool abandoned = false;
  bool closed = false;
};

nb::list IdsToPython(const std::vector<ColumnId>& ids) {
  nb::list list;
  for (const ColumnId& id : ids) list.append(nb::make_tuple(python::TextToPython(id.name), id.id, IdsToPython(id.fields)));
  return list;
}

std::vector<ColumnId> IdsOf(nb::handle list) {
  std::vector<ColumnId> ids;
  for (const nb::handle each : list) {
    const auto id = nb::borrow<nb::tuple>(each);
    ids.push_back(
        {.name = std::string(python::TextOf(id[0], "a name")), .id = nb::cast<int32_t>(id[1]), .fields = IdsOf(id[2])});
  }
  return ids;
}

class Writer : public ColumnFileWriter {
 public:
  Writer(std::shared_ptr<PythonOutput> output, std::unique_ptr<Held> writer, WrittenColumns columns,
         std::vector<ArrowLayout> layouts)
      : output_(std::move(output)), writer_(std::move(writer)), columns_(std::move(columns)), layouts_(std::move(layouts)) {}
  // Data that pyarrow still writes does not reach the file.
  ~Writer() override { output_->Abandon(); }

  absl::Status Write(const StructuredTensor& batch) override {
    return Do("cannot write the batch", [&]() -> absl::Status {
      absl::StatusOr<nb::object> rows = python::ArrowBatchOf(columns_.Of(batch), columns_.spec(), layouts_);
      if (!rows.ok()) return rows.status();
      (*writer_)->attr("write")(*std::move(rows));
      return absl::OkStatus();
    });
  }

  absl::Status Flush() override {
    return Do("cannot write the rows", [&] {
      (*writer_)->attr("flush")();
      return output_->output.Flush();
    });
  }

  int64_t buffered_bytes() const override {
    return Number("buffered_bytes") + output_->output.position_bytes() - output_->output.bytes_written();
  }
  int64_t retained_bytes() const override { return Number("retained_bytes"); }

  absl::Status Close() override {
    return Do("cannot write the end of the file", [&] {
      (*writer_)->attr("close")();
      return output_->output.Flush();
    });
  }

  int64_t bytes_written() const override { return output_->output.bytes_written(); }

 private:
  int64_t Number(const char* attribute) const {
    int64_t number = 0;
    const absl::Status read = WithPython("", false, [&] {
      number = nb::cast<int64_t>((*writer_)->attr(attribute));
      return absl::OkStatus();
    });
    return number;
  }

  // After an error, nothing more is written: a partly written batch would make a file that looks complete.
  template <typename Call>
  absl::Status Do(std::string_view doing, Call call) {
    if (!output_->output.status().ok()) return output_->output.status();
    const absl::Status status = WithPython(doing, false, call);
    if (status.ok()) return status;
    if (!output_->output.status().ok()) return output_->output.status();
    output_->Abandon();
    return status;
  }

  const std::shared_ptr<PythonOutput> output_;
  const std::unique_ptr<Held> writer_;
  const WrittenColumns columns_;
  std::vector<ArrowLayout> layouts_;  // dictionaries grow
};

class Reader : public BatchedReader {
 public:
  Reader(std::unique_ptr<Held> reader, std::vector<ColumnId> ids, int64_t size_bytes, const ColumnFileReaderOptions& options)
      : BatchedReader(options), reader_(std::move(reader)), ids_(std::move(ids)), size_bytes_(size_bytes) {}

  absl::StatusOr<StructuredTensor> Empty() const override {
    absl::StatusOr<StructuredTensor> empty = absl::InternalError("");
    const absl::Status made = WithPython(kDamaged, true, [&] {
      empty = python::BatchOfArrow((*reader_)->attr("empty")());
      return absl::OkStatus();
    });
    if (!made.ok()) return made;
    return empty;
  }

  std::optional<std::string> Metadata(const std::string& key) const override {
    std::optional<std::string> value;
    const absl::Status read = WithPython("", false, [&] {
      const nb::object found = (*reader_)->attr("metadata")(nb::bytes(key.data(), key.size()));
      if (!found.is_none()) {
        const auto bytes = nb::cast<nb::bytes>(found);
        value.emplace(bytes.c_str(), bytes.size());
      }
      return absl::OkStatus();
    });
    return read.ok() ? value : std::nullopt;
  }

  absl::StatusOr<int64_t> CountRows() override {
    int64_t rows = 0;
    const absl::Status counted = WithPython(kDamaged, true, [&] {
      rows = nb::cast<int64_t>((*reader_)->attr("count_rows")());
      return absl::OkStatus();
    });
    if (!counted.ok()) return counted;
    return rows;
  }

  std::vector<ColumnId> ids() const override { return ids_; }
  int64_t size_bytes() const override { return size_bytes_; }

  static constexpr std::string_view kDamaged = "the file is damaged";

 protected:
  absl::StatusOr<std::optional<int64_t>> ReadBatch(int64_t max_rows) override {
    std::optional<int64_t> rows;
    const absl::Status read = WithPython(kDamaged, true, [&] {
      const nb::object found = (*reader_)->attr("next")(max_rows);
      if (!found.is_none()) rows = nb::cast<int64_t>(found);
      return absl::OkStatus();
    });
    if (!read.ok()) return read;
    return rows;
  }
  absl::StatusOr<StructuredTensor> Import(int64_t begin, int64_t end, int64_t max_dictionary_bytes) override {
    absl::StatusOr<StructuredTensor> rows = absl::InternalError("");
    const absl::Status read = WithPython(kDamaged, true, [&] {
      rows = python::BatchOfArrow((*reader_)->attr("rows")(begin, end), max_dictionary_bytes);
      return absl::OkStatus();
    });
    if (!read.ok()) return read;
    return rows;
  }

 private:
  const std::unique_ptr<Held> reader_;
  const std::vector<ColumnId> ids_;
  const int64_t size_bytes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ColumnFileWriter>> OpenColumnFile(FileFormat format, int fd, const StructuredTensorSpec& spec,
                                                                 const ColumnFileOptions& options) {
  absl::Status compression = CheckCompressionValue("compression", options.compression);
  if (compression.ok()) compression = CheckCompression(format, options.compression, options.compression_level);
  if (!compression.ok()) return compression;
  absl::StatusOr<WrittenColumns> columns = WrittenColumns::Of(format, spec);
  if (!columns.ok()) return columns.status();
  const std::vector<ArrowLayout> layouts = format == FileFormat::kCsv ? std::vector<ArrowLayout>() : options.layouts;
  auto output = std::make_shared<PythonOutput>(fd);
  std::unique_ptr<Held> writer;
  const absl::Status opened = WithPython("cannot begin the file", false, [&] {
    nb::dict metadata;
    for (const auto& [key, value] : options.metadata) {
      metadata[nb::bytes(key.data(), key.size())] = nb::bytes(value.data(), value.size());
    }
    nb::object level = nb::none();
    if (options.compression_level.has_value()) level = nb::int_(*options.compression_level);
    writer = std::make_unique<Held>(
        Helpers().attr("Writer")(NameOf(format), output, python::ArrowSchemaOf(columns->spec(), layouts), metadata,
                                 IdsToPython(options.ids), python::TextToPython(NameOf(options.compression)), level,
                                 options.max_row_group_rows, options.max_row_group_bytes, options.threads));
    return absl::OkStatus();
  });
  if (!opened.ok()) {
    const absl::Status failed_write = output->output.status();
    output->Abandon();
    return failed_write.ok() ? opened : failed_write;
  }
  return std::make_unique<Writer>(std::move(output), std::move(writer), *std::move(columns), layouts);
}

absl::StatusOr<std::string> ParquetSchemaText(const StructuredTensorSpec& spec, const std::vector<ColumnId>& ids,
                                              const std::vector<ArrowLayout>& layouts) {
  absl::StatusOr<WrittenColumns> columns = WrittenColumns::Of(FileFormat::kParquet, spec);
  if (!columns.ok()) return columns.status();
  std::string text;
  absl::Status made = WithPython("Parquet does not take the schema", false, [&] {
    const nb::object schema = python::ArrowSchemaOf(columns->spec(), layouts);
    const nb::object printed = Helpers().attr("parquet_schema_text")(schema, IdsToPython(ids));
    text = python::TextOf(printed, "a schema");
    return absl::OkStatus();
  });
  if (!made.ok()) return made;
  return text;
}

absl::StatusOr<std::unique_ptr<ColumnFileReader>> ColumnFileReader::Open(const std::string& path,
                                                                         const ColumnFileReaderOptions& options) {
  absl::StatusOr<OpenedFile> file = OpenedFileOf(path, options);
  if (!file.ok()) return file.status();
  std::unique_ptr<Held> reader;
  std::vector<ColumnId> ids;
  absl::Status opened = WithPython(Reader::kDamaged, true, [&] {
    const nb::object path_object =
        nb::steal(PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
    if (!path_object.is_valid()) throw nb::python_error();
    reader = std::make_unique<Held>(Helpers().attr("Reader")(path_object, NameOf(file->format), options.max_memory_bytes));
    ids = IdsOf((**reader).attr("ids")());
    return absl::OkStatus();
  });
  if (!opened.ok()) return opened;
  return std::unique_ptr<ColumnFileReader>(new Reader(std::move(reader), std::move(ids), file->size_bytes, options));
}

namespace python {

void BindColumnFiles(nb::module_& module) {
  nb::class_<ReadSize>(module, "_ReadSize")
      .def(nb::init<int64_t>())
      .def("begin_group", &ReadSize::BeginGroup)
      .def("rows", &ReadSize::Rows)
      .def("took", &ReadSize::Took);
  nb::class_<PythonOutput>(module, "_Output")
      .def("write",
           [](PythonOutput& self, nb::handle bytes) {
             std::vector<nb::object> kept;
             const std::string_view data = BytesOf(bytes, "write", kept);
             self.Check(self.output.Write(data.data(), data.size()));
             return data.size();
           })
      .def("flush", [](PythonOutput& self) { self.Check(self.output.Flush()); })
      .def("tell", [](const PythonOutput& self) { return self.output.position_bytes(); })
      .def("close", [](PythonOutput& self) { self.closed = true; })
      .def("readable", [](const PythonOutput&) { return false; })
      .def("writable", [](const PythonOutput&) { return true; })
      .def("seekable", [](const PythonOutput&) { return false; })
      .def_ro("closed", &PythonOutput::closed);
}

}  // namespace python
}  // namespace structtensor
