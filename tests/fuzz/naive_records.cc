#include "naive_records.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <utility>

namespace structtensor::testing {
namespace {

constexpr int kGzipWindowBits = 15 + 16;

struct Uncompressed {
  std::string bytes;
  bool damaged = false;  // after the bytes
  bool refused = false;  // also after the bytes: the file is valid, but it asks for too much memory, or for a dictionary
};

Uncompressed Gunzip(std::string_view file) {
  Uncompressed all;
  while (!file.empty()) {
    z_stream stream = {};
    inflateInit2(&stream, kGzipWindowBits);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.data()));
    stream.avail_in = static_cast<uInt>(file.size());
    int result = Z_OK;
    while (result == Z_OK) {
      char piece[1000];
      stream.next_out = reinterpret_cast<Bytef*>(piece);
      stream.avail_out = sizeof(piece);
      result = inflate(&stream, Z_NO_FLUSH);
      all.bytes.append(piece, sizeof(piece) - stream.avail_out);
    }
    inflateEnd(&stream);
    all.damaged = result != Z_STREAM_END;
    if (all.damaged) break;
    file.remove_prefix(file.size() - stream.avail_in);
    file.remove_prefix(std::min(file.find_first_not_of('\0'), file.size()));  // zeros may be between members
  }
  return all;
}

// How many bytes to hand over next: a block by itself, then the header of the next one by itself. The libraries do not give
// back what they made of bytes in which they then find damage.
size_t NextBytes(size_t wanted_bytes, size_t header_bytes, size_t left_bytes) {
  const size_t next = wanted_bytes > header_bytes ? wanted_bytes - header_bytes : std::max<size_t>(wanted_bytes, 1);
  return std::min(next, left_bytes);
}

// Room for what is made of a block, however large.
std::string& Room() {
  static auto* const room = new std::string(size_t{8} << 20, '\0');
  return *room;
}

Uncompressed Unzstd(std::string_view file) {
  Uncompressed all;
  std::string& piece = Room();
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  size_t wanted_bytes = 0;
  while (!file.empty()) {
    ZSTD_inBuffer in = {file.data(), NextBytes(wanted_bytes, 3, file.size()), 0};
    bool flushed = false;
    while (!flushed) {
      ZSTD_outBuffer out = {piece.data(), piece.size(), 0};
      wanted_bytes = ZSTD_decompressStream(context, &out, &in);
      if (ZSTD_isError(wanted_bytes)) {
        ZSTD_freeDCtx(context);
        switch (ZSTD_getErrorCode(wanted_bytes)) {
          case ZSTD_error_frameParameter_windowTooLarge:
          case ZSTD_error_dictionary_wrong:
          case ZSTD_error_version_unsupported:
          case ZSTD_error_frameParameter_unsupported:
            return {std::move(all.bytes), true, true};
          default:
            return {std::move(all.bytes), true};
        }
      }
      all.bytes.append(piece, 0, out.pos);
      flushed = in.pos == in.size && out.pos < out.size;
    }
    file.remove_prefix(in.size);
  }
  ZSTD_freeDCtx(context);
  all.damaged = wanted_bytes != 0;
  return all;
}

Uncompressed Unlz4(std::string_view file) {
  Uncompressed all;
  std::string& piece = Room();
  LZ4F_dctx* context = nullptr;
  LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
  size_t wanted_bytes = 0;
  while (!file.empty()) {
    size_t left_bytes = NextBytes(wanted_bytes, 4, file.size());
    while (left_bytes > 0) {
      size_t taken_bytes = left_bytes;
      size_t made_bytes = piece.size();
      wanted_bytes = LZ4F_decompress(context, piece.data(), &made_bytes, file.data(), &taken_bytes, nullptr);
      if (LZ4F_isError(wanted_bytes)) {
        LZ4F_freeDecompressionContext(context);
        return {std::move(all.bytes), true};
      }
      all.bytes.append(piece, 0, made_bytes);
      file.remove_prefix(taken_bytes);
      left_bytes -= taken_bytes;
    }
  }
  LZ4F_freeDecompressionContext(context);
  all.damaged = wanted_bytes != 0;
  return all;
}

// RFC 1952: magic, the method that is deflate, no reserved flag.
bool IsGzip(std::string_view file) { return file.size() >= 4 && file.starts_with("\x1f\x8b\x08") && (file[3] & 0xe0) == 0; }

Uncompressed Uncompress(std::string_view file) {
  if (IsGzip(file)) return Gunzip(file);
  if (file.starts_with("\x28\xb5\x2f\xfd") || file.starts_with("\x50\x2a\x4d\x18")) return Unzstd(file);
  if (file.starts_with("\x04\x22\x4d\x18")) return Unlz4(file);
  return {std::string(file), false};
}

uint32_t MaskedCrc32c(std::string_view bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
}

std::string LittleEndian(uint64_t value, int size_bytes) {
  std::string bytes;
  for (int i = 0; i < size_bytes; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

uint64_t TakeLittleEndian(std::string_view& bytes, size_t size_bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < size_bytes; ++i) value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  bytes.remove_prefix(size_bytes);
  return value;
}

// Reads the records one by one.
class Reading {
 public:
  Reading(Uncompressed bytes, size_t max_message_bytes)
      : bytes_(std::move(bytes)), rest_(bytes_.bytes), max_message_bytes_(max_message_bytes) {}

  NaiveFile Delimited() {
    while (!AtEnd()) {
      const size_t frame = Offset();
      uint64_t size_bytes = 0;
      int shift = 0;
      bool complete = false;
      while (!complete && shift < 70 && !rest_.empty()) {
        const uint64_t byte = TakeLittleEndian(rest_, 1);
        if (shift == 63 && byte > 1) break;
        size_bytes |= (byte & 0x7f) << shift;
        shift += 7;
        complete = byte < 0x80;
      }
      if (!complete && Offset() - frame < 10) return Tail(frame);
      if (!complete || size_bytes > max_message_bytes_) return Damaged(frame);
      if (rest_.size() < size_bytes) return Tail(frame);
      Add(size_bytes);
    }
    return file_;
  }

  NaiveFile TfRecords() {
    while (!AtEnd()) {
      const size_t frame = Offset();
      if (rest_.size() < 12) return Tail(frame);
      const std::string_view length = rest_.substr(0, 8);
      const uint64_t size_bytes = TakeLittleEndian(rest_, 8);
      if (TakeLittleEndian(rest_, 4) != MaskedCrc32c(length) || size_bytes > max_message_bytes_) return Damaged(frame);
      if (rest_.size() < size_bytes + 4) return Tail(frame);
      Add(size_bytes);
      NaiveRecord& record = file_.records.back();
      if (TakeLittleEndian(rest_, 4) != MaskedCrc32c(record.message)) record = {true, frame, ""};
    }
    return file_;
  }

  // Of gRPC, with a byte in front of the length.
  NaiveFile Length32(bool big_endian, bool grpc) {
    while (!AtEnd()) {
      const size_t frame = Offset();
      if (rest_.size() < (grpc ? 5 : 4)) return Tail(frame);
      if (grpc && TakeLittleEndian(rest_, 1) != 0) return Damaged(frame);
      uint64_t size_bytes = 0;
      for (int i = 0; i < 4; ++i) size_bytes |= TakeLittleEndian(rest_, 1) << (8 * (big_endian ? 3 - i : i));
      if (size_bytes > max_message_bytes_) return Damaged(frame);
      if (rest_.size() < size_bytes) return Tail(frame);
      Add(size_bytes);
    }
    return file_;
  }

  NaiveFile OneMessage() {
    if (rest_.size() > max_message_bytes_) return Damaged(0);
    if (bytes_.damaged) return Tail(0);
    Add(rest_.size());
    return file_;
  }

 private:
  size_t Offset() const { return bytes_.bytes.size() - rest_.size(); }
  bool AtEnd() const { return rest_.empty() && !bytes_.damaged; }
  void Add(size_t size_bytes) {
    file_.records.push_back({false, Offset(), std::string(rest_.substr(0, size_bytes))});
    rest_.remove_prefix(size_bytes);
  }
  NaiveFile Tail(size_t frame) {
    if (!bytes_.refused) return Damaged(frame);
    file_.unreadable = true;
    return file_;
  }
  NaiveFile Damaged(size_t frame) {
    file_.records.push_back({true, frame, ""});
    file_.damaged = true;
    return file_;
  }

  const Uncompressed bytes_;
  std::string_view rest_;
  const size_t max_message_bytes_;
  NaiveFile file_;
};

}  // namespace

NaiveFile ReadNaively(std::string_view file, RecordFormat format, size_t max_message_bytes) {
  Reading reading(Uncompress(file), max_message_bytes);
  switch (format) {
    case RecordFormat::kDelimited:
      return reading.Delimited();
    case RecordFormat::kTfRecord:
      return reading.TfRecords();
    case RecordFormat::kMessage:
      return reading.OneMessage();
    case RecordFormat::kLength32BigEndian:
      return reading.Length32(/*big_endian=*/true, /*grpc=*/false);
    case RecordFormat::kLength32LittleEndian:
      return reading.Length32(/*big_endian=*/false, /*grpc=*/false);
    case RecordFormat::kGrpc:
      return reading.Length32(/*big_endian=*/true, /*grpc=*/true);
    case RecordFormat::kBase64:
    case RecordFormat::kHex:
    case RecordFormat::kJson:
    case RecordFormat::kTextproto:
    case RecordFormat::kCsv:
      break;  // text formats, which tests/io/records/text_records_test.cc damages
  }
  return {};
}

std::string WriteRecords(const std::vector<std::string>& messages, RecordFormat format) {
  std::string file;
  for (const std::string& message : messages) {
    if (format == RecordFormat::kTfRecord) {
      const std::string length = LittleEndian(message.size(), 8);
      file += length + LittleEndian(MaskedCrc32c(length), 4) + message + LittleEndian(MaskedCrc32c(message), 4);
      continue;
    }
    if (format == RecordFormat::kLength32LittleEndian) file += LittleEndian(message.size(), 4);
    if (format == RecordFormat::kGrpc) file += '\0';
    if (format == RecordFormat::kLength32BigEndian || format == RecordFormat::kGrpc) {
      const std::string length = LittleEndian(message.size(), 4);
      file.append(length.rbegin(), length.rend());
    }
    if (format == RecordFormat::kDelimited) {
      uint64_t size_bytes = message.size();
      for (; size_bytes >= 0x80; size_bytes >>= 7) file += static_cast<char>(size_bytes | 0x80);
      file += static_cast<char>(size_bytes);
    }
    file += message;
  }
  return file;
}

std::string Gzip(std::string_view bytes) {
  z_stream stream = {};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindowBits, 8, Z_DEFAULT_STRATEGY);
  std::string compressed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  stream.avail_out = static_cast<uInt>(compressed.size());
  deflate(&stream, Z_FINISH);
  compressed.resize(stream.total_out);
  deflateEnd(&stream);
  return compressed;
}

std::string ZstdFrame(std::string_view bytes) {
  std::string compressed(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  compressed.resize(ZSTD_compress2(context, compressed.data(), compressed.size(), bytes.data(), bytes.size()));
  ZSTD_freeCCtx(context);
  return compressed;
}

std::string Lz4Frame(std::string_view bytes) {
  LZ4F_preferences_t preferences = {};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  std::string compressed(LZ4F_compressFrameBound(bytes.size(), &preferences), '\0');
  compressed.resize(LZ4F_compressFrame(compressed.data(), compressed.size(), bytes.data(), bytes.size(), &preferences));
  return compressed;
}

}  // namespace structtensor::testing
