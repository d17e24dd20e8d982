#include "structtensor/io/column_files/internal/remote_for_arrow.h"

#include <arrow/buffer.h>
#include <arrow/status.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::column_files_internal {
namespace {

arrow::Status ToArrow(const absl::Status& status) {
  return status.ok() ? arrow::Status::OK() : arrow::Status::IOError(std::string(status.message()));
}

class RemoteForArrow : public arrow::io::RandomAccessFile {
 public:
  explicit RemoteForArrow(std::unique_ptr<RemoteFile> file) : file_(std::move(file)) {}

  using arrow::io::RandomAccessFile::Read;
  using arrow::io::RandomAccessFile::ReadAt;

  arrow::Result<int64_t> GetSize() override { return file_->size_bytes(); }

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t size_bytes, void* out) override {
    if (position < 0 || size_bytes < 0) return arrow::Status::Invalid("a read in front of the file");
    const int64_t available = std::clamp<int64_t>(file_->size_bytes() - position, 0, size_bytes);
    if (available > 0) {
      ARROW_RETURN_NOT_OK(ToArrow(file_->ReadAt(position, static_cast<size_t>(available), static_cast<char*>(out))));
    }
    return available;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t size_bytes) override {
    // A damaged file may ask for more than there is.
    size_bytes = std::clamp<int64_t>(file_->size_bytes() - position, 0, std::max<int64_t>(size_bytes, 0));
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, arrow::AllocateBuffer(size_bytes));
    ARROW_RETURN_NOT_OK(ReadAt(position, size_bytes, buffer->mutable_data()).status());
    return buffer;
  }

  arrow::Result<int64_t> Read(int64_t size_bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, size_bytes, out));
    position_ += got;
    return got;
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t size_bytes) override {
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer, ReadAt(position_, size_bytes));
    position_ += buffer->size();
    return buffer;
  }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Status Seek(int64_t position) override {
    if (position < 0) return arrow::Status::Invalid("a seek in front of the file");
    position_ = position;
    return arrow::Status::OK();
  }

  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

 private:
  const std::unique_ptr<RemoteFile> file_;
  int64_t position_ = 0;
  bool closed_ = false;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenRemoteForArrow(const std::string& path) {
  const absl::StatusOr<RemoteFiles*> files = FindRemoteFiles();
  ARROW_RETURN_NOT_OK(ToArrow(files.status()));
  absl::StatusOr<std::unique_ptr<RemoteFile>> file = (*files)->Open(path);
  ARROW_RETURN_NOT_OK(ToArrow(file.status()));
  return std::make_shared<RemoteForArrow>(*std::move(file));
}

}  // namespace structtensor::column_files_internal
