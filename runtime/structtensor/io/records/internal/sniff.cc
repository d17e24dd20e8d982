#include "structtensor/io/records/internal/sniff.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "structtensor/core/wire/shared/field_reader.h"
#include "structtensor/io/records/confluent_header.h"
#include "structtensor/io/records/internal/crc32c.h"
#include "structtensor/io/records/internal/lengths.h"

namespace structtensor::records_internal {
namespace {

// The result of walking the fields of a message.
struct MessageWalk {
  int64_t fields = 0;
  bool valid = true;   // no impossible field was found
  bool at_end = true;  // the bytes end at the end of a field
};

// Headers of types that are nested less deep are shorter.
constexpr size_t kMaxConfluentHeaderBytes = 64;

// The result of walking records.
struct RecordWalk {
  int64_t messages = 0;  // whole ones with fields
  int64_t empty = 0;
  bool valid = true;   // all records are possible, except for one that the sample cuts off
  bool at_end = true;  // the sample ends at the end of a record
};

// Takes a varint from the front of `bytes`. Nothing if the bytes are not a varint; `cut`: whether the sample ends inside it.
std::optional<uint64_t> TakeLength(std::string_view& bytes, bool& cut) {
  const LengthPrefix prefix = ParseLengthPrefix(bytes);
  if (prefix.size_bytes == 0) {
    cut = bytes.size() < kMaxVarintBytes;
    return std::nullopt;
  }
  bytes.remove_prefix(prefix.size_bytes);
  return prefix.value;
}

// Whether fields follow each other as in a serialized message. Does not look into strings and submessages. Requires:
// kReadableSlackBytes can be read after `bytes`.
MessageWalk WalkMessage(std::string_view bytes) {
  MessageWalk walk;
  wire_internal::Field field;
  for (wire_internal::FieldReader reader(bytes); !reader.AtEnd(); ++walk.fields) {
    if (reader.Next(&field)) continue;
    using wire_internal::DecodeError;
    const bool cut = reader.error() == DecodeError::kTruncated || reader.error() == DecodeError::kUnterminatedGroup;
    // The sample may be the beginning of one long group.
    const bool in_group = cut && (reader.PeekTag() & 7) == wire_internal::kSgroup;
    return {walk.fields + (in_group ? 1 : 0), cut, false};
  }
  return walk;
}

// Walks records, up to the first one that is not a message. `take_length` takes a record's length from the front.
//   confluent_headers  whether each message begins with a Confluent header
template <typename TakeLength>
RecordWalk WalkRecords(std::string_view bytes, TakeLength take_length, bool confluent_headers = false) {
  RecordWalk walk;
  ConfluentHeader header;
  while (!bytes.empty()) {
    bool cut = false;
    const std::optional<uint64_t> length = take_length(bytes, cut);
    if (!length.has_value() || *length > kMaxRecordBytes) {
      walk.valid = cut;
      walk.at_end = false;
      break;
    }
    const bool whole = *length <= bytes.size();
    std::string_view message_bytes = bytes.substr(0, *length);
    if (confluent_headers) {
      if (!ReadConfluentHeader(message_bytes, &header).empty()) {
        walk.valid = !whole && bytes.size() < kMaxConfluentHeaderBytes;  // the sample may end inside the header
        walk.at_end = false;
        break;
      }
      message_bytes.remove_prefix(header.size_bytes);
    }
    const MessageWalk message = WalkMessage(message_bytes);
    if (!message.valid || (whole && !message.at_end)) {
      walk.valid = false;
      break;
    }
    if (!whole) {
      walk.at_end = false;
      break;
    }
    ++(*length == 0 ? walk.empty : walk.messages);
    bytes.remove_prefix(*length);
  }
  return walk;
}

// Whether the whole sample may be of its kind: it is valid, and if the file ends with it, it ends at the end of a record.
bool Fits(bool valid, bool at_end, bool whole) { return valid && (at_end || !whole); }

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view WithoutSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

// Whether all bytes are text in UTF-8. The end of the sample may cut off the last character. Looks at the structure of
// characters, not at their numbers.
bool IsText(std::string_view sample) {
  size_t continued = 0;  // how many bytes of the character are still to come
  for (const char c : sample) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) {
      if (continued-- == 0) return false;
      continue;
    }
    if (continued > 0 || byte == 0x7f || (byte < 0x20 && !IsSpace(c))) return false;
    if (byte >= 0xf8) return false;
    continued = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
  }
  return true;
}

// Whether a text begins like an object with a name ({"name":), an empty object, or a list of objects.
bool IsJson(std::string_view text) {
  text = WithoutSpace(text);
  if (text.starts_with('[')) text = WithoutSpace(text.substr(1));
  if (!text.starts_with('{')) return false;
  text = WithoutSpace(text.substr(1));
  if (text.starts_with('}')) return true;
  if (!text.starts_with('"')) return false;
  size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return end < text.size() && WithoutSpace(text.substr(end + 1)).starts_with(':');
}

// Whether the sample is text with two bytes for each character: it begins with a UTF-16 byte order mark, or every
// other byte is 0.
bool IsUtf16(std::string_view sample) {
  if (sample.starts_with("\xff\xfe") || sample.starts_with("\xfe\xff")) return true;
  constexpr size_t kMinBytes = 16;
  if (sample.size() < kMinBytes) return false;
  const auto is_character = [](char c) { return (c >= ' ' && c <= '~') || IsSpace(c); };
  for (const size_t zeros_at : {size_t{0}, size_t{1}}) {
    bool fits = true;
    for (size_t i = 0; i < kMinBytes && fits; ++i) fits = i % 2 == zeros_at ? sample[i] == '\0' : is_character(sample[i]);
    if (fits) return true;
  }
  return false;
}

// Whether the first line may be a header of field paths, which have no spaces, and the second line has as many commas.
bool IsCsv(std::string_view text) {
  const std::string_view header = text.substr(0, text.find('\n'));
  if (header.size() == text.size() || header.find(' ') != std::string_view::npos) return false;
  const std::string_view rest = text.substr(header.size() + 1);
  const std::string_view row = rest.substr(0, rest.find('\n'));
  const auto commas = std::count(header.begin(), header.end(), ',');
  return commas > 0 && commas == std::count(row.begin(), row.end(), ',');
}

std::string Counted(int64_t count, bool whole) {
  if (count == 0) return whole ? "there is nothing in it" : "the first record is longer than what was looked at";
  return absl::StrCat(count, count == 1 ? " record fits" : " records fit");
}

}  // namespace

SniffedFormat SniffFormat(std::string_view sample, bool whole) {
  std::string padded(sample);
  padded.append(wire_internal::kReadableSlackBytes, '\0');  // as FieldReader requires
  sample = std::string_view(padded).substr(0, sample.size());
  if (sample.size() >= 12) {
    const uint32_t crc = MaskCrc32c(Crc32c(sample.substr(0, 8)));
    if (crc == LoadLittleEndian<uint32_t>(sample.data() + 8)) {
      return {RecordFormat::kTfRecord, "the checksum of the first length is right"};
    }
  }
  const auto fixed = [](size_t skip_bytes, auto load) {
    return [skip_bytes, load](std::string_view& bytes, bool& cut) -> std::optional<uint64_t> {
      if (skip_bytes > 0 && bytes[0] != '\0') return std::nullopt;
      if (bytes.size() < skip_bytes + 4) {
        cut = true;
        return std::nullopt;
      }
      const uint64_t length = load(bytes.data() + skip_bytes);
      bytes.remove_prefix(skip_bytes + 4);
      return length;
    };
  };
  const RecordWalk delimited = WalkRecords(sample, TakeLength);
  const bool delimited_fits = Fits(delimited.valid, delimited.at_end, whole);
  // In varint framing, the zeros of big-endian lengths look like empty messages: three or four before each message.
  const bool zeros_between = delimited.empty >= 3 * std::max<int64_t>(delimited.messages, 1);
  for (const auto& [format, walk] :
       {std::pair(RecordFormat::kGrpc, WalkRecords(sample, fixed(1, LoadBigEndian32))),
        std::pair(RecordFormat::kLength32BigEndian, WalkRecords(sample, fixed(0, LoadBigEndian32))),
        std::pair(RecordFormat::kLength32LittleEndian, WalkRecords(sample, fixed(0, LoadLittleEndian<uint32_t>)))}) {
    // A single whole message may be chance if something else in the file is wrong.
    const bool enough = walk.messages >= (Fits(walk.valid, walk.at_end, whole) ? 1 : 2);
    if (!enough || walk.messages < delimited.messages) continue;
    if (!delimited_fits || zeros_between) return {format, Counted(walk.messages, whole)};
  }
  if (delimited_fits) return {RecordFormat::kDelimited, Counted(delimited.messages + delimited.empty, whole)};

  // A message never begins with a byte 0, which these headers do.
  const RecordWalk confluent = WalkRecords(sample, TakeLength, /*confluent_headers=*/true);
  if (confluent.messages > 0 && Fits(confluent.valid, confluent.at_end, whole)) {
    return {RecordFormat::kDelimited,
            absl::StrCat(Counted(confluent.messages, whole), confluent.messages == 1 ? ", with a" : ", each with a",
                         " Confluent header")};
  }

  const MessageWalk message = WalkMessage(sample);
  if (delimited.messages == 0 && message.fields > 0 && Fits(message.valid, message.at_end, whole)) {
    return {RecordFormat::kMessage,
            absl::StrCat("fields follow each other from its first byte (", message.fields, " of them)")};
  }
  // Text does not begin like this, and a damaged record does not mean that another framing fits.
  if (delimited.messages >= 2) {
    return {RecordFormat::kDelimited, absl::StrCat(Counted(delimited.messages, whole), ", but not what follows them")};
  }
  return {RecordFormat::kDelimited, "nothing speaks for another framing", /*found=*/false};
}

std::string ForeignKindOf(std::string_view sample) {
  constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
      {"PAR1", "a Parquet file, which is read by ColumnFileReader, by structtensor convert and by st.from_parquet"},
      {"ARROW1", "an Arrow file, which is read by ColumnFileReader, by structtensor convert and by st.from_arrow"},
      {"PK\x03\x04", "a ZIP archive, as .npz files are; numpy.load reads .npz files"},
      {"\x1f\x8b\x08", "compressed by gzip, maybe for the second time; decompress it first"},
      {"\x28\xb5\x2f\xfd", "compressed by zstd, maybe for the second time; decompress it first"},
      {"\x04\x22\x4d\x18", "compressed by LZ4, maybe for the second time; decompress it first"}};
  if (IsText(sample)) return "";  // a name in a text may begin like that
  for (const auto& [begin, kind] : kKinds) {
    if (sample.starts_with(begin)) return absl::StrCat("this is ", std::string(kind));
  }
  if (!IsUtf16(sample)) return "";
  return "this is text in UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)";
}

TextKind TextKindOf(std::string_view sample) {
  if (sample.starts_with("\xef\xbb\xbf")) sample.remove_prefix(3);  // the mark that some programs put before UTF-8
  if (!IsText(sample)) return TextKind::kNone;
  if (IsJson(sample)) return TextKind::kJson;
  // A line feed is also the tag of field 1 if that is a string. And fewer bytes than this may be anything.
  constexpr size_t kMinBytes = 8;
  if (sample.size() < kMinBytes || sample.front() == '\n') return TextKind::kNone;
  return IsCsv(sample) ? TextKind::kCsv : TextKind::kOther;
}

absl::Status NotMessages(TextKind kind) {
  return absl::InvalidArgumentError(absl::StrCat(
      kind == TextKind::kJson  ? "this looks like JSON; read it with `format=json`"
      : kind == TextKind::kCsv ? "this looks like CSV; read it with `format=csv`"
                               : "this looks like text; read it with `format=textproto`, a table with `format=csv`, and lines "
                                 "of messages with `format=base64` or `format=hex`",
      " (or, if it does contain serialized messages, set `format` to say how)"));
}

}  // namespace structtensor::records_internal
