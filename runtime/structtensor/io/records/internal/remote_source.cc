#include "structtensor/io/records/internal/remote_source.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "structtensor/core/base/shared/ordered_pool.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/io/remote_files/remote_files.h"

namespace structtensor::records_internal {
namespace {

constexpr size_t kRangesAhead = 4;
constexpr size_t kFirstRangeBytes = size_t{256} << 10;
constexpr size_t kMaxRangeBytes = size_t{4} << 20;

struct Range {
  int64_t offset = 0;  // in the file
  size_t size_bytes = 0;
  std::unique_ptr<char[]> bytes;
  absl::Status status;
};

class RemoteSource : public ByteSource {
 public:
  RemoteSource(std::unique_ptr<RemoteFile> file, int64_t begin, int64_t end)
      : file_(std::move(file)), end_(end), next_offset_(begin), pool_(kRangesAhead, [this](size_t, Range& range) {
          range.status = file_->ReadAt(range.offset, range.size_bytes, range.bytes.get());
        }) {}

  absl::StatusOr<size_t> Read(char* to, size_t capacity_bytes) override {
    STRUCTTENSOR_RETURN_IF_ERROR(failure_);
    if (range_ == nullptr || taken_bytes_ == range_->size_bytes) {
      range_.reset();
      AddRanges();
      if (pool_.size() == 0) return size_t{0};
      range_ = pool_.TakeFirst();
      taken_bytes_ = 0;
      failure_ = range_->status;
      STRUCTTENSOR_RETURN_IF_ERROR(failure_);
    }
    const size_t size_bytes = std::min(capacity_bytes, range_->size_bytes - taken_bytes_);
    std::memcpy(to, range_->bytes.get() + taken_bytes_, size_bytes);
    taken_bytes_ += size_bytes;
    return size_bytes;
  }

 private:
  // Reads one range first. The further the file is read, the more ranges are read ahead.
  void AddRanges() {
    for (; pool_.size() < ranges_ahead_ && next_offset_ < end_;) {
      auto range = std::make_unique<Range>();
      range->offset = next_offset_;
      range->size_bytes = static_cast<size_t>(std::min(static_cast<int64_t>(next_range_bytes_), end_ - next_offset_));
      range->bytes = std::make_unique_for_overwrite<char[]>(range->size_bytes);
      next_offset_ += static_cast<int64_t>(range->size_bytes);
      next_range_bytes_ = std::min(2 * next_range_bytes_, kMaxRangeBytes);
      pool_.Add(std::move(range));
    }
    ranges_ahead_ = std::min(ranges_ahead_ + 1, kRangesAhead);
  }

  const std::unique_ptr<RemoteFile> file_;
  const int64_t end_;
  std::unique_ptr<Range> range_;  // the range that is being taken
  size_t taken_bytes_ = 0;        // of it
  int64_t next_offset_;           // of the first byte that was not requested yet
  size_t next_range_bytes_ = kFirstRangeBytes;
  size_t ranges_ahead_ = 1;
  absl::Status failure_;
  base_internal::OrderedPool<Range> pool_;  // last: its threads use the rest
};

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> OpenRemoteSource(const std::string& path) {
  STRUCTTENSOR_ASSIGN_OR_RETURN(RemoteFiles* const files, FindRemoteFiles());
  STRUCTTENSOR_ASSIGN_OR_RETURN(std::unique_ptr<RemoteFile> file, files->Open(path));
  const int64_t size_bytes = file->size_bytes();
  return MakeRemoteSource(std::move(file), 0, size_bytes);
}

std::unique_ptr<ByteSource> MakeRemoteSource(std::unique_ptr<RemoteFile> file, int64_t begin, int64_t end) {
  return std::make_unique<RemoteSource>(std::move(file), begin, end);
}

}  // namespace structtensor::records_internal
