#include "structtensor/tensor/values/shared/row_pieces.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "structtensor/core/base/shared/new_buffer.h"
#include "structtensor/core/base/shared/status.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::values_internal {
namespace {

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Rows that are chosen at random are not in the cache, and runs are too short for the processor to prefetch by itself. So
// copying loops prefetch the data of the piece that comes this many pieces later. This halves the time of a random gather of
// 100,000 rows.
constexpr size_t kPrefetchPieces = 16;

// Rows as pieces of one row each, of source 0. Copying loops use it like a list of pieces, but no list is made.
class SingleRows {
 public:
  explicit SingleRows(std::span<const int64_t> rows) : rows_(rows) {}

  int64_t nrows() const { return static_cast<int64_t>(rows_.size()); }
  template <typename Prefetch, typename Visit>
  void ForEach(const Prefetch& prefetch, const Visit& visit) const {
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (i + kPrefetchPieces < rows_.size()) prefetch(PieceOf(rows_[i + kPrefetchPieces]));
      visit(PieceOf(rows_[i]));
    }
  }

 private:
  static RowPiece PieceOf(int64_t row) { return {row, row + 1, 0}; }

  std::span<const int64_t> rows_;
};

class ListedPieces {
 public:
  explicit ListedPieces(const RowPieces& pieces) : pieces_(pieces) {}

  int64_t nrows() const { return pieces_.nrows(); }
  template <typename Prefetch, typename Visit>
  void ForEach(const Prefetch& prefetch, const Visit& visit) const {
    const std::span<const RowPiece> pieces = pieces_.span();
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (i + kPrefetchPieces < pieces.size()) prefetch(pieces[i + kPrefetchPieces]);
      visit(pieces[i]);
    }
  }

 private:
  const RowPieces& pieces_;
};

absl::Status TooManyElements(int64_t nrows, int64_t row_size_elements) {
  return absl::ResourceExhaustedError(absl::StrCat("the result would have ", nrows, " rows of ", row_size_elements,
                                                   " elements, which are more than int64 can count"));
}

absl::Status TooManyBytes(DType dtype) {
  return absl::ResourceExhaustedError(absl::StrCat("the ", ToAbsl(DTypeName(dtype)),
                                                   " elements of the result would have more than 2 GiB of text, the most that "
                                                   "one tensor can hold; take fewer rows at a time"));
}

// Copies n bits of `from`, from bit from_bit on, to `to`, from bit to_bit on. Requires: the bits of `to` are 0.
void CopyBits(const uint8_t* from, int64_t from_bit, int64_t n, uint8_t* to, int64_t to_bit) {
  while (n > 0) {
    const int to_shift = static_cast<int>(to_bit & 7);
    const int from_shift = static_cast<int>(from_bit & 7);
    const int count = static_cast<int>(std::min<int64_t>({8 - to_shift, 8 - from_shift, n}));
    const unsigned bits = (static_cast<unsigned>(from[from_bit >> 3]) >> from_shift) & ((1u << count) - 1);
    to[to_bit >> 3] = static_cast<uint8_t>(to[to_bit >> 3] | (bits << to_shift));
    from_bit += count;
    to_bit += count;
    n -= count;
  }
}

void SetBits(int64_t n, uint8_t* to, int64_t to_bit) {
  static constexpr uint8_t kOnes = 0xff;
  for (; n > 0; n -= std::min<int64_t>(n, 8), to_bit += 8) CopyBits(&kOnes, 0, std::min<int64_t>(n, 8), to, to_bit);
}

absl::StatusOr<NewBuffer<uint8_t>> AllocateBits(int64_t n) {
  // At least one byte: an empty buffer would mean that everything is present.
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<uint8_t> bits, NewBuffer<uint8_t>::Allocate(n / 8 + 1));
  std::memset(bits.data(), 0, bits.size_elements());
  return bits;
}

// Pieces of rows of `row_size_elements` elements each.
template <typename Pieces>
absl::StatusOr<Validity> CopyValidity(std::span<const Validity> sources, const Pieces& pieces, int64_t row_size_elements) {
  if (std::none_of(sources.begin(), sources.end(), [](const Validity& source) { return source.has_bits(); })) return Validity();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<uint8_t> bits, AllocateBits(pieces.nrows() * row_size_elements));
  int64_t next = 0;
  pieces.ForEach([](const RowPiece&) {},
                 [&](const RowPiece& piece) {
                   const Validity& source = sources[piece.source];
                   const int64_t count = piece.size() * row_size_elements;
                   if (source.has_bits()) {
                     CopyBits(source.bits().data(), source.bit_offset() + piece.begin * row_size_elements, count, bits.data(),
                              next);
                   } else {
                     SetBits(count, bits.data(), next);
                   }
                   next += count;
                 });
  return Validity(std::move(bits).Finish());
}

// Most runs are short, and their lengths cannot be predicted. So a run of up to kShortBytes is copied as kShortBytes, if the
// source has that many: this needs no loop and no call. Destinations have room for the additional bytes.
constexpr size_t kShortBytes = 32;

// A source of runs: elements [0, size).
template <typename T>
struct Run {
  const T* data;
  int64_t size;
};

// Copies elements [begin, begin + count). Returns the end of the copy.
template <typename T>
T* CopyRun(const Run<T>& from, int64_t begin, int64_t count, T* to) {
  constexpr int64_t kShort = static_cast<int64_t>(kShortBytes / sizeof(T));
  if (count <= kShort && begin + kShort <= from.size) {
    std::memcpy(to, from.data + begin, kShortBytes);
  } else if (count > 0) {
    std::memcpy(to, from.data + begin, static_cast<size_t>(count) * sizeof(T));
  }
  return to + count;
}

// A buffer of this size, with the room after it that CopyRun() needs.
template <typename T>
absl::StatusOr<NewBuffer<T>> AllocateRuns(int64_t size_elements) {
  constexpr int64_t kRoom = static_cast<int64_t>(kShortBytes / sizeof(T));
  if (size_elements > std::numeric_limits<int64_t>::max() - kRoom) return TooManyElements(size_elements, 1);
  return NewBuffer<T>::Allocate(size_elements + kRoom);
}

// The finished buffer, without the room.
template <typename T>
Buffer<T> FinishRuns(NewBuffer<T> buffer, int64_t size_elements) {
  return std::move(buffer).Finish().Slice(0, static_cast<size_t>(size_elements));
}

template <typename Pieces>
absl::StatusOr<Tensor> CopyStrings(std::span<const Tensor> sources, const Pieces& pieces, int64_t row_size_elements,
                                   int64_t size_elements, Validity validity) {
  struct Strings {
    const int32_t* offsets;
    Run<char> bytes;
  };
  absl::InlinedVector<Strings, 2> from;
  for (const Tensor& source : sources) {
    const Buffer<char>& bytes = source.string_bytes();
    from.push_back({source.string_offsets().data(), {bytes.data(), static_cast<int64_t>(bytes.size_elements())}});
  }
  const DType dtype = sources.front().dtype();
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int32_t> offsets, NewBuffer<int32_t>::Allocate(size_elements + 1));
  int32_t* next_offset = offsets.data();
  int64_t size_bytes = 0;
  // Beyond 2 GiB, offsets wrap. They are then thrown away.
  const auto prefetch_offsets = [&](const RowPiece& piece) {
    __builtin_prefetch(from[piece.source].offsets + piece.begin * row_size_elements);
  };
  pieces.ForEach(prefetch_offsets, [&](const RowPiece& piece) {
    const int32_t* piece_offsets = from[piece.source].offsets;
    const int64_t begin = piece.begin * row_size_elements;
    const int64_t end = piece.end * row_size_elements;
    const int64_t shift = size_bytes - piece_offsets[begin];
    for (int64_t i = begin; i < end; ++i) *next_offset++ = static_cast<int32_t>(piece_offsets[i] + shift);
    size_bytes += piece_offsets[end] - piece_offsets[begin];
  });
  if (size_bytes > kMaxInt32) return TooManyBytes(dtype);
  *next_offset = static_cast<int32_t>(size_bytes);
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<char> bytes, AllocateRuns<char>(size_bytes));
  char* next = bytes.data();
  // The offsets are in the cache: they have been read before.
  const auto prefetch_bytes = [&](const RowPiece& piece) {
    const Strings& source = from[piece.source];
    __builtin_prefetch(source.bytes.data + source.offsets[piece.begin * row_size_elements]);
  };
  pieces.ForEach(prefetch_bytes, [&](const RowPiece& piece) {
    const Strings& source = from[piece.source];
    const int32_t begin = source.offsets[piece.begin * row_size_elements];
    next = CopyRun(source.bytes, begin, source.offsets[piece.end * row_size_elements] - begin, next);
  });
  return Tensor::FromStrings(std::move(offsets).Finish(), FinishRuns(std::move(bytes), size_bytes), dtype, std::move(validity));
}

// nrows * row_size_elements, if int64 can count it.
absl::StatusOr<int64_t> CountElements(int64_t nrows, int64_t row_size_elements) {
  int64_t size_elements = 0;
  if (__builtin_mul_overflow(nrows, row_size_elements, &size_elements)) return TooManyElements(nrows, row_size_elements);
  return size_elements;
}

template <typename Pieces>
absl::StatusOr<Tensor> CopyTensor(std::span<const Tensor> sources, const Pieces& pieces) {
  const DType dtype = sources.front().dtype();
  const Shape row_shape = sources.front().shape().DropOuter(1);
  const int64_t row_size_elements = row_shape.num_elements();
  STRUCTTENSOR_ASSIGN_OR_RETURN(const int64_t size_elements, CountElements(pieces.nrows(), row_size_elements));
  Validity validity;
  if (std::any_of(sources.begin(), sources.end(), [](const Tensor& source) { return source.nullable(); })) {
    absl::InlinedVector<Validity, 2> validities;
    for (const Tensor& source : sources) validities.push_back(source.validity());
    STRUCTTENSOR_ASSIGN_OR_RETURN(validity, CopyValidity(validities, pieces, row_size_elements));
  }
  Shape shape = row_shape.Prepend(pieces.nrows());
  if (IsStringLike(dtype)) {
    STRUCTTENSOR_ASSIGN_OR_RETURN(const Tensor copy,
                                  CopyStrings(sources, pieces, row_size_elements, size_elements, std::move(validity)));
    return shape.rank() == 1 ? copy : copy.Reshape(std::move(shape));
  }
  return VisitStoredType(dtype, [&]<typename T>() -> absl::StatusOr<Tensor> {
    absl::InlinedVector<Run<T>, 2> from;
    for (const Tensor& source : sources) from.push_back({source.values<T>().data(), source.size_elements()});
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> values, AllocateRuns<T>(size_elements));
    T* next = values.data();
    const auto prefetch = [&](const RowPiece& piece) {
      __builtin_prefetch(from[piece.source].data + piece.begin * row_size_elements);
    };
    pieces.ForEach(prefetch, [&](const RowPiece& piece) {
      next = CopyRun(from[piece.source], piece.begin * row_size_elements, piece.size() * row_size_elements, next);
    });
    return Tensor::FromBuffer(FinishRuns(std::move(values), size_elements), std::move(shape), dtype, std::move(validity));
  });
}

bool SameLength(std::span<const RowPartition> sources) {
  const std::optional<int64_t> length = sources.front().uniform_row_length();
  return length && std::all_of(sources.begin(), sources.end(),
                               [&](const RowPartition& source) { return source.uniform_row_length() == length; });
}

bool AllOptional(std::span<const RowPartition> sources) {
  return std::all_of(sources.begin(), sources.end(), [](const RowPartition& source) { return source.is_optional(); });
}

// int32 if all sources have it.
DType CommonDtype(std::span<const RowPartition> sources) {
  const bool all_int32 =
      std::all_of(sources.begin(), sources.end(), [](const RowPartition& source) { return source.dtype() == DType::kInt32; });
  return all_int32 ? DType::kInt32 : DType::kInt64;
}

// `counts`: whether int64 can count the values.
absl::Status CheckCount(bool counts, int64_t nvals, DType dtype) {
  if (counts && (dtype == DType::kInt64 || nvals <= kMaxInt32)) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the result's row partition would have more values than ",
                                                   ToAbsl(DTypeName(dtype)), " can count",
                                                   dtype == DType::kInt32 ? "; use row splits of int64" : ""));
}

// A source of rows of values.
struct SourceRows {
  explicit SourceRows(const RowPartition& partition)
      : length(partition.uniform_row_length().value_or(0)),
        splits(partition.uniform_row_length() ? nullptr : partition.unshifted_row_splits().data()) {}

  // Returns the values of the rows in the piece. Appends the ends of these rows, counted from `nvals` on, to `ends`.
  RowRange AppendEnds(const RowPiece& piece, int64_t nvals, int64_t*& ends) const {
    if (splits == nullptr) {
      for (int64_t i = 1; i <= piece.size(); ++i) *ends++ = nvals + i * length;
      return {piece.begin * length, piece.end * length};
    }
    const int64_t first = splits[piece.begin];
    const int64_t shift = nvals - first;
    for (int64_t i = piece.begin + 1; i <= piece.end; ++i) *ends++ = splits[i] + shift;
    return {first - splits[0], splits[piece.end] - splits[0]};
  }

  int64_t length;
  const int64_t* splits;  // null: uniform rows of `length`
};

template <typename Pieces>
absl::StatusOr<RowPartition> CopyPartition(std::span<const RowPartition> sources, const Pieces& pieces, RowPieces& values) {
  const auto optional = AllOptional(sources) ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
  const DType dtype = CommonDtype(sources);
  if (SameLength(sources)) {
    const int64_t length = *sources.front().uniform_row_length();
    int64_t nvals = 0;
    const bool counts = !__builtin_mul_overflow(pieces.nrows(), length, &nvals);
    STRUCTTENSOR_RETURN_IF_ERROR(CheckCount(counts, nvals, dtype));
    pieces.ForEach([](const RowPiece&) {},
                   [&](const RowPiece& piece) { values.Append(piece.begin * length, piece.end * length, piece.source); });
    return RowPartition::FromUniformRowLength(length, pieces.nrows(), optional)->WithDtype(dtype);
  }
  absl::InlinedVector<SourceRows, 2> from;
  for (const RowPartition& source : sources) from.emplace_back(source);
  STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<int64_t> splits, NewBuffer<int64_t>::Allocate(pieces.nrows() + 1));
  int64_t* next = splits.data();
  *next++ = 0;
  int64_t nvals = 0;
  bool counts = true;
  const auto prefetch = [&](const RowPiece& piece) {
    if (from[piece.source].splits != nullptr) __builtin_prefetch(from[piece.source].splits + piece.begin);
  };
  pieces.ForEach(prefetch, [&](const RowPiece& piece) {
    if (!counts) return;
    const RowRange range = from[piece.source].AppendEnds(piece, nvals, next);
    counts = !__builtin_add_overflow(nvals, range.size(), &nvals);
    if (counts) values.Append(range.begin, range.end, piece.source);
  });
  STRUCTTENSOR_RETURN_IF_ERROR(CheckCount(counts, nvals, dtype));
  return RowPartition::FromRowSplitsUnchecked(std::move(splits).Finish(), optional).WithDtype(dtype);
}

}  // namespace

absl::Status RowPieces::TryReserveMore(int64_t pieces) {
  const size_t needed = pieces_.size() + static_cast<size_t>(pieces);
  if (needed <= pieces_.capacity()) return absl::OkStatus();
  try {
    // Doubling keeps many small requests cheap.
    pieces_.reserve(std::max(needed, 2 * pieces_.capacity()));
  } catch (const std::exception&) {  // bad_alloc or length_error
    return absl::ResourceExhaustedError(absl::StrCat("there is no memory to list ", needed, " pieces of rows"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Tensor> CopyPieces(std::span<const Tensor> sources, const RowPieces& pieces) {
  assert(!sources.empty());
  if (pieces.span().empty()) return sources.front().SliceRows(0, 0);
  if (pieces.span().size() == 1) {
    const RowPiece& piece = pieces.span().front();
    return sources[piece.source].SliceRows(piece.begin, piece.end);
  }
  return CopyTensor(sources, ListedPieces(pieces));
}

absl::StatusOr<RowPartition> CopyPieces(std::span<const RowPartition> sources, const RowPieces& pieces, RowPieces& values) {
  assert(!sources.empty());
  if (pieces.span().size() <= 1 && (sources.size() == 1 || !SameLength(sources))) {
    const RowPiece piece = pieces.span().empty() ? RowPiece{0, 0, 0} : pieces.span().front();
    RowRange range{0, 0};
    RowPartition slice = sources[piece.source].SliceRows(piece.begin, piece.end, &range);
    values.Append(range.begin, range.end, piece.source);
    const auto optional = AllOptional(sources) ? RowPartition::Optional::kYes : RowPartition::Optional::kNo;
    // The other sources may have rows of another length.
    if (slice.uniform_row_length() && sources.size() > 1) slice = RowPartition::FromRowSplitsUnchecked(slice.row_splits());
    return slice.WithDtype(CommonDtype(sources)).WithOptional(optional);
  }
  values.Reserve(pieces.span().size());
  return CopyPartition(sources, ListedPieces(pieces), values);
}

absl::StatusOr<Validity> CopyPieces(std::span<const Validity> sources, const RowPieces& pieces) {
  assert(!sources.empty());
  if (pieces.span().size() == 1) {
    const RowPiece& piece = pieces.span().front();
    if (sources[piece.source].has_bits()) return sources[piece.source].Slice(piece.begin);
  }
  return CopyValidity(sources, ListedPieces(pieces), 1);
}

absl::StatusOr<Tensor> CopyRows(const Tensor& tensor, std::span<const int64_t> rows) {
  assert(tensor.rank() >= 1);
  if (tensor.rank() > 1 || tensor.nullable() || IsStringLike(tensor.dtype())) {
    return CopyTensor(std::span(&tensor, 1), SingleRows(rows));
  }
  return VisitStoredType(tensor.dtype(), [&]<typename T>() -> absl::StatusOr<Tensor> {
    STRUCTTENSOR_ASSIGN_OR_RETURN(NewBuffer<T> values, NewBuffer<T>::Allocate(static_cast<int64_t>(rows.size())));
    const T* const from = tensor.values<T>().data();
    T* next = values.data();
    for (int64_t row : rows) *next++ = from[row];
    return Tensor::FromBuffer(std::move(values).Finish(), tensor.dtype());
  });
}

absl::StatusOr<RowPartition> CopyRows(const RowPartition& partition, std::span<const int64_t> rows, RowPieces& values) {
  values.Reserve(rows.size());
  return CopyPartition(std::span(&partition, 1), SingleRows(rows), values);
}

absl::StatusOr<Validity> CopyRows(const Validity& validity, std::span<const int64_t> rows) {
  return CopyValidity(std::span(&validity, 1), SingleRows(rows), 1);
}

}  // namespace structtensor::values_internal
