// Records that are text: lines of base64 and hex, JSON, and text format.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "records_testutil.h"
#include "structtensor/io/records/record_reader.h"
#include "structtensor/io/records/record_writer.h"

namespace structtensor {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A text with "!" is refused at that character. Any other text is its own message.
std::optional<TextProblem> ReadText(std::string_view text, std::string& message) {
  message += text.substr(0, 3);  // what is left of a failed attempt does no harm
  const size_t wrong = text.find('!');
  if (wrong != std::string_view::npos) return TextProblem{wrong, "an exclamation mark"};
  message += text.substr(std::min<size_t>(3, text.size()));
  return std::nullopt;
}

struct TextContents {
  std::vector<std::string> messages;
  std::vector<std::string> places;  // of the messages
  std::vector<std::string> skipped;
  std::vector<std::string> skipped_bytes;
  std::string error;
};

TextContents ReadTextFile(const std::string& text, RecordReaderOptions options, size_t max_messages = 100,
                          size_t max_bytes = 1 << 30) {
  const TestFile file("text", text);
  options.message_of_json = ReadText;
  options.message_of_textproto = ReadText;
  options.message_of_csv = [](std::string_view header, std::string_view row, std::string& message) {
    message += std::string(header) + ":";
    return ReadText(row, message);
  };
  TextContents contents;
  const absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::Create({file.path()}, options);
  if (!reader.ok()) {
    contents.error = std::string(reader.status().message());
    return contents;
  }
  const auto place = [&](const RecordLocation& location) {
    return (*reader)->Where(location).substr((*reader)->InputName(0).size() + 1);
  };
  RecordBatch batch;
  while (true) {
    const absl::StatusOr<bool> more = (*reader)->NextBatch(max_messages, max_bytes, &batch);
    if (!more.ok()) contents.error = std::string(more.status().message()).substr((*reader)->InputName(0).size());
    if (!more.ok()) {
      EXPECT_EQ((*reader)->NextBatch(1, 1, &batch).status(), more.status());
    }
    if (!more.ok() || !*more) return contents;
    EXPECT_EQ(batch.messages().size(), batch.locations().size());
    for (size_t i = 0; i < batch.messages().size(); ++i) {
      contents.messages.emplace_back(batch.messages()[i]);
      contents.places.push_back(place(batch.locations()[i]));
    }
    for (const BrokenRecord& error : batch.skipped()) {
      contents.skipped.push_back(place(error.location) + ": " + error.problem);
      contents.skipped_bytes.emplace_back(error.bytes);
    }
  }
}

std::vector<std::string> Messages(const std::string& text, RecordFormat format) {
  const TextContents contents = ReadTextFile(text, {.format = format});
  EXPECT_EQ(contents.error, "") << text;
  return contents.messages;
}

TEST(TextRecords, LinesOfBase64AndHex) {
  EXPECT_THAT(Messages("CgFh\r\n\nCgI=\nCgI\n__-_\n//+/", RecordFormat::kBase64),
              ElementsAre("\x0a\x01\x61", "", "\x0a\x02", "\x0a\x02", "\xff\xff\xbf", "\xff\xff\xbf"));
  EXPECT_THAT(Messages("\xef\xbb\xbf"
                       "0a0161\n0x0A02\n\\x0a\n\nff",
                       RecordFormat::kHex),
              ElementsAre("\x0a\x01\x61", "\x0a\x02", "\x0a", "", "\xff"));
  EXPECT_THAT(Messages("", RecordFormat::kHex), IsEmpty());
  EXPECT_THAT(Messages("\n", RecordFormat::kHex), ElementsAre(""));
}

TEST(TextRecords, WhatIsWrittenIsRead) {
  std::mt19937 random(1);
  std::vector<std::string> messages;
  for (size_t i = 0; i < 300; ++i) {
    std::string message(random() % 200 * (i == 7 ? 1000 : 1), '\0');
    for (char& c : message) c = static_cast<char>(random());
    messages.push_back(message);
  }
  for (const RecordFormat format : {RecordFormat::kBase64, RecordFormat::kHex}) {
    std::string text;
    for (const std::string& message : messages) AppendRecord(format, message, text);
    EXPECT_THAT(Messages(text, format), ElementsAreArray(messages));
    EXPECT_THAT(ReadTextFile(text, {.format = format}, 7, 500).messages, ElementsAreArray(messages));
  }
}

TEST(TextRecords, TextFormatBetweenDashes) {
  EXPECT_THAT(Messages("a: 1\n--- \r\nb: 2\n# ---\n ---\n----\n---", RecordFormat::kTextproto),
              ElementsAre("a: 1\n", "b: 2\n# ---\n ---\n----\n"));
  EXPECT_THAT(Messages("\xef\xbb\xbf"
                       "a: 1",
                       RecordFormat::kTextproto),
              ElementsAre("a: 1"));
  EXPECT_THAT(Messages("", RecordFormat::kTextproto), IsEmpty());
  EXPECT_THAT(Messages("\n", RecordFormat::kTextproto), ElementsAre("\n"));
  EXPECT_THAT(Messages("---\n---", RecordFormat::kTextproto), ElementsAre("", ""));
  const TestFile place("written", "");
  for (const std::vector<std::string>& strings :
       {std::vector<std::string>{"a: 1\n", "", "b: 2"}, std::vector<std::string>{""}, std::vector<std::string>{}}) {
    const int fd = open(place.path().c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    RecordWriter writer(RecordFormat::kTextproto, fd);
    for (const std::string& text : strings) ASSERT_TRUE(writer.Write(text).ok());
    ASSERT_TRUE(writer.Finish().ok());
    close(fd);
    std::ifstream file(place.path());
    const std::string written((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(Messages(written, RecordFormat::kTextproto).size(), strings.size()) << written;
  }
  EXPECT_THAT(std::string(RecordReader::Create({"x"}, {.format = RecordFormat::kTextproto}).status().message()),
              HasSubstr("message_of_textproto is needed"));
  for (const char* name : {"a.textproto", "a.txtpb.gz", "a.pbtxt"})
    EXPECT_EQ(RecordFormatOfName(name), RecordFormat::kTextproto);
}

TEST(TextRecords, OfBytesInMemory) {
  const auto reader = RecordReader::OfBytes("{\"a\":1}\n{\"b!\":2}\n{\"c\":3}",
                                            {.format = RecordFormat::kJson, .message_of_json = ReadText, .skip_damaged = true});
  ASSERT_TRUE(reader.ok()) << reader.status();
  RecordBatch batch;
  ASSERT_TRUE(*(*reader)->NextBatch(10, 100, &batch));
  EXPECT_THAT(batch.messages(), ElementsAre("{\"a\":1}", "{\"c\":3}"));
  ASSERT_EQ(batch.skipped().size(), 1u);
  EXPECT_EQ((*reader)->Where(batch.skipped()[0].location), "the buffer line 2, column 4");
  EXPECT_FALSE(*(*reader)->NextBatch(10, 100, &batch));
  EXPECT_FALSE(RecordReader::OfBytes("", {}).ok());
  const auto none = RecordReader::OfBytes("", {.format = RecordFormat::kDelimited});
  EXPECT_FALSE(*(*none)->NextBatch(10, 100, &batch));
}

TEST(TextRecords, RowsOfCsv) {
  EXPECT_THAT(Messages("\xef\xbb\xbf"
                       "a,\"b\nc\"\r\n1,2\r\n\n\"x\ny\"\"\",z\n,\"\"",
                       RecordFormat::kCsv),
              ElementsAre("a,\"b\nc\":1,2", "a,\"b\nc\":\"x\ny\"\"\",z", "a,\"b\nc\":,\"\""));
  EXPECT_THAT(Messages("a\n1\n\n2", RecordFormat::kCsv), ElementsAre("a:1", "a:", "a:2"));
  EXPECT_THAT(Messages("a,b\nc\"d,e\"\n", RecordFormat::kCsv), ElementsAre("a,b:c\"d,e\""));
  for (const char* text : {"", "a,b", "a,b\n"}) EXPECT_THAT(Messages(text, RecordFormat::kCsv), IsEmpty());
  const TextContents cut =
      ReadTextFile("a,b\n1,2\n3,\"4\n5,6\n", {.format = RecordFormat::kCsv, .on_damaged_file = OnDamagedFile::kRest});
  EXPECT_THAT(cut.messages, ElementsAre("a,b:1,2"));
  EXPECT_THAT(cut.skipped, ElementsAre("line 3: a text in quotes has no end"));
  EXPECT_THAT(ReadTextFile("a\n12345\n", {.format = RecordFormat::kCsv, .max_message_bytes = 4}).error,
              HasSubstr("a row of more than 4 bytes"));
  EXPECT_EQ(RecordFormatOfName("a.csv.gz"), RecordFormat::kCsv);
}

TEST(TextRecords, DamagedLinesHaveALineAndAColumn) {
  struct {
    const char* text;
    RecordFormat format;
    const char* problem;
  } const kCases[] = {
      {"CgFh\nCg*h", RecordFormat::kBase64, "line 2, column 3: '*' is not a character of base64"},
      {"CgF h", RecordFormat::kBase64, "line 1, column 4: ' ' is not a character of base64"},
      {"CgFhC", RecordFormat::kBase64, "line 1, column 6: base64 of a length that it cannot have"},
      {"CgF==", RecordFormat::kBase64, "line 1, column 4: base64 of a length that it cannot have"},
      {"=", RecordFormat::kBase64, "line 1, column 1: base64 of a length that it cannot have"},
      {"CgF\xff", RecordFormat::kBase64, "line 1, column 4: '\\xff' is not a character of base64"},
      {"0a\n0g", RecordFormat::kHex, "line 2, column 2: 'g' is not a hexadecimal digit"},
      {"0a0", RecordFormat::kHex, "line 1, column 4: an odd number of hexadecimal digits"},
      {"0x", RecordFormat::kHex, nullptr},
  };
  for (const auto& each : kCases) {
    const TextContents kept = ReadTextFile(each.text, {.format = each.format, .skip_damaged = true});
    EXPECT_EQ(kept.error, "");
    const TextContents failed = ReadTextFile(each.text, {.format = each.format});
    if (each.problem == nullptr) {
      EXPECT_THAT(kept.skipped, IsEmpty());
      continue;
    }
    EXPECT_THAT(kept.skipped, ElementsAre(HasSubstr(each.problem))) << each.text;
    EXPECT_THAT(failed.error, HasSubstr(each.problem)) << each.text;
  }
}

TEST(TextRecords, DamagedLinesTakeNothingFromOthers) {
  std::string text;
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = "{\"a\": " + std::to_string(i) + (i == 577 ? "!" : i == 600 ? ", \"b\": [\"}!" : "}");
    text += line + "\n";
    if (line.find('!') == std::string::npos) expected.push_back(line);
  }
  for (const size_t max_messages : {size_t{1}, size_t{10}, size_t{100'000}}) {
    const TextContents contents = ReadTextFile(text, {.format = RecordFormat::kJson, .skip_damaged = true}, max_messages);
    EXPECT_THAT(contents.messages, ElementsAreArray(expected));
    EXPECT_THAT(contents.skipped,
                ElementsAre("line 578, column 10: an exclamation mark", "line 601, column 20: an exclamation mark"));
    EXPECT_THAT(contents.skipped_bytes, ElementsAre("{\"a\": 577!", "{\"a\": 600, \"b\": [\"}!"));
    const TextContents failed = ReadTextFile(text, {.format = RecordFormat::kJson}, max_messages);
    EXPECT_EQ(failed.messages.size(), 577u);
    EXPECT_THAT(failed.error, HasSubstr(" line 578, column 10: an exclamation mark"));
  }
}

TEST(TextRecords, LayoutsOfJson) {
  const auto json = [](const std::string& text) { return Messages(text, RecordFormat::kJson); };
  // Lines.
  EXPECT_THAT(json("{\"a\": \"}\"}\n\n  {}\t\r\n3\nnull"), ElementsAre("{\"a\": \"}\"}", "{}\t", "3", "null"));
  EXPECT_THAT(json("\n \n{}"), ElementsAre("{}"));
  // One after the other.
  EXPECT_THAT(json("{\n  \"a\": [\n1]}\n{\"b\":\n\"\\\"}\"} {}"),
              ElementsAre("{\n  \"a\": [\n1]}", "{\"b\":\n\"\\\"}\"}", "{}"));
  EXPECT_THAT(json("{ \"a\": 1\n, \"b\": 2}"), ElementsAre("{ \"a\": 1\n, \"b\": 2}"));
  // A list.
  EXPECT_THAT(json("\xef\xbb\xbf [ {\"a\": [1, \"]\"]} ,\n{},3 , \"x,]\" ,[[]]]\n"),
              ElementsAre("{\"a\": [1, \"]\"]}", "{}", "3", "\"x,]\"", "[[]]"));
  EXPECT_THAT(json("[]"), IsEmpty());
  EXPECT_THAT(json(" [ ] \n"), IsEmpty());
  EXPECT_THAT(json(""), IsEmpty());
  EXPECT_THAT(json(" \n\n"), IsEmpty());
  // The first of many lines is damaged.
  EXPECT_THAT(json("{\"a\": 1\n{\"a\": 2}\n{\"a\": 3}"), ElementsAre("{\"a\": 1", "{\"a\": 2}", "{\"a\": 3}"));
  for (const std::string first : {"{\"a\": 1},", "{\"a\": 1,", "{", "[", "}", "# log", "{\"a\": \"x", "[{\"a\": 1},"}) {
    EXPECT_THAT(json(first + "\n{\"a\": 2}\n{\"a\": 3}"), ElementsAre(first, "{\"a\": 2}", "{\"a\": 3}")) << first;
  }
  // A value over several lines, and others in one line each.
  EXPECT_THAT(json("{\n\"a\": 1}\n{}\n{}\n{}"), ElementsAre("{\n\"a\": 1}", "{}", "{}", "{}"));
  EXPECT_THAT(json("[\n{}\n,\n{}\n]"), ElementsAre("{}", "{}"));
}

TEST(TextRecords, PlacesInJson) {
  EXPECT_THAT(ReadTextFile("{}\n\n{}", {.format = RecordFormat::kJson}).places, ElementsAre("line 1", "line 3"));
  EXPECT_THAT(ReadTextFile("[\n{\n\"a\": 1\n},\n{}, {}]", {.format = RecordFormat::kJson}, 1).places,
              ElementsAre("line 2", "line 5", "line 5"));
  const TextContents wrong =
      ReadTextFile("[\n{\n\"a\": 1!\n},\n{}, {!}]", {.format = RecordFormat::kJson, .skip_damaged = true}, 1);
  EXPECT_THAT(wrong.skipped, ElementsAre("line 3, column 7: an exclamation mark", "line 5, column 6: an exclamation mark"));
  EXPECT_THAT(wrong.messages, ElementsAre("{}"));
}

TEST(TextRecords, JsonThatIsCutOffLosesNothingInFrontOfIt) {
  struct {
    const char* text;
    const char* problem;
  } const kCases[] = {
      {"[{}, {\"a\": 1", "line 1: the text ends inside of a value"},
      {"[{}, {\"a\": \"\\", "line 1: the text ends inside of a value"},
      {"[{}", "line 1: the list is not closed"},
      {"[{},\n", "line 2: the list is not closed"},
      {"[{} {}]", "line 1: expected ',' or ']'"},
      {"[{}, ]", "line 1: found ']' where a value is expected"},
      {"[{},,{}]", "line 1: found ',' where a value is expected"},
      {"[{}]\n{}", "line 2: expected nothing after the list"},
      {"{}{\n", nullptr},
      {"{\n}\n{\n\"a\":", "line 3: the text ends inside of a value"},
      {"{\n}\n}", "line 3: found '}' where a value is expected"},
  };
  for (const auto& each : kCases) {
    const TextContents contents =
        ReadTextFile(each.text, {.format = RecordFormat::kJson, .skip_damaged = true, .on_damaged_file = OnDamagedFile::kRest});
    EXPECT_EQ(contents.error, "") << each.text;
    EXPECT_EQ(contents.messages.size(), 1u) << each.text;
    if (each.problem == nullptr) continue;
    EXPECT_THAT(contents.skipped, ElementsAre(HasSubstr(each.problem))) << each.text;
    EXPECT_THAT(ReadTextFile(each.text, {.format = RecordFormat::kJson}).error, HasSubstr(each.problem)) << each.text;
  }
}

TEST(TextRecords, CompressedStringsThatAreCutOffLoseNothingInFrontOfIt) {
  for (const RecordFormat format : {RecordFormat::kJson, RecordFormat::kTextproto, RecordFormat::kHex}) {
    const std::string packed = Gzip(format == RecordFormat::kHex ? "0a\n0b\n" : "{\"a\":1}\n{\"a\":2}\n");
    const TestFile file("cut.gz", packed.substr(0, packed.size() - 8));
    const RecordReaderOptions options = {.format = format,
                                         .message_of_json = TextAsMessage,
                                         .message_of_textproto = TextAsMessage,
                                         .on_damaged_file = OnDamagedFile::kRest};
    const std::unique_ptr<RecordReader> reader = *RecordReader::Create({file.path()}, options);
    RecordBatch batch;
    ASSERT_TRUE(*reader->NextBatch(10, 1 << 20, &batch));
    EXPECT_EQ(batch.messages().size(), format == RecordFormat::kTextproto ? 0u : 2u) << static_cast<int>(format);
    ASSERT_EQ(batch.skipped().size(), 1u);
    EXPECT_EQ(batch.skipped()[0].location.line, format == RecordFormat::kTextproto ? 1 : 3);
    EXPECT_EQ(batch.skipped()[0].problem, "the gzip stream ends early");
  }
}

// Values across the ends of what is read at a time, with brackets, quotes and backslashes in their strings.
TEST(TextRecords, LargeJsonIsTakenApartWhereItsValuesEnd) {
  std::mt19937 random(2);
  std::vector<std::string> values;
  for (int i = 0; i < 200; ++i) {
    std::string value = "{\"a\":\"";
    const size_t size = i % 20 == 3 ? 70'000 + random() % 100 : random() % 900;
    while (value.size() < size) {
      static constexpr const char* kParts[] = {"\\\"", "\\\\", "}", "{", "]", "[", ",", "x", " ", "\\n"};
      value += kParts[random() % std::size(kParts)];
    }
    values.push_back(value + "\",\"b\":[{},[]]}");
  }
  std::string lines;
  std::string list = "[";
  std::string documents = "{\n}";
  for (const std::string& value : values) {
    lines += value + "\n";
    list += (list.size() > 1 ? "," : "") + value;
    documents += value;
  }
  EXPECT_THAT(Messages(lines, RecordFormat::kJson), ElementsAreArray(values));
  EXPECT_THAT(Messages(list + "]", RecordFormat::kJson), ElementsAreArray(values));
  std::vector<std::string> with_first = {"{\n}"};
  with_first.insert(with_first.end(), values.begin(), values.end());
  EXPECT_THAT(Messages(documents, RecordFormat::kJson), ElementsAreArray(with_first));
  EXPECT_THAT(ReadTextFile(list + "]", {.format = RecordFormat::kJson}, 3, 1000).messages, ElementsAreArray(values));
  EXPECT_THAT(ReadTextFile(documents, {.format = RecordFormat::kJson}, 3, 1000).messages, ElementsAreArray(with_first));
}

// However a text is damaged and read, nothing is lost in between: what is read one by one is what is read together.
TEST(TextRecords, DamagedStringsAreReadTheSameInAnyPieces) {
  std::mt19937 random(3);
  const std::string strings[] = {"{\"a\":[1,{}]}\n{\"b\":\"]}\\\"\"}\n\n{}\n",
                                 "[{\"a\": 1},\n {\"b\": [\"x\"]}, 3]",
                                 "{\n \"a\": {}\n}\n{\"b\": 2}",
                                 "0a01\n\n0x0b\nCgFh\n__8=\n",
                                 "a: 1\n---\nb {\n}\n---\n",
                                 "a,b\n\"1\",2\n\n3,4\r\n"};
  constexpr std::string_view kParts = "{}[]\",:\\\n !0a\xff\r-";
  for (int round = 0; round < 3000; ++round) {
    std::string text = strings[random() % std::size(strings)];
    for (size_t damages = random() % 4; damages > 0; --damages) {
      const size_t at = random() % (text.size() + 1);
      const char part = kParts[random() % kParts.size()];
      const uint32_t kind = static_cast<uint32_t>(random() % 3);
      if (kind == 0) text.insert(at, 1, part);
      if (kind == 1 && at < text.size()) text[at] = part;
      if (kind == 2) text.resize(at);
    }
    for (const RecordFormat format :
         {RecordFormat::kJson, RecordFormat::kHex, RecordFormat::kBase64, RecordFormat::kTextproto, RecordFormat::kCsv}) {
      const RecordReaderOptions options = {.format = format, .max_message_bytes = 30, .skip_damaged = true};
      const TextContents together = ReadTextFile(text, options);
      const TextContents one_by_one = ReadTextFile(text, options, 1, 1);
      ASSERT_EQ(together.messages, one_by_one.messages) << text;
      ASSERT_EQ(together.places, one_by_one.places) << text;
      ASSERT_EQ(together.skipped, one_by_one.skipped) << text;
      ASSERT_EQ(together.skipped_bytes, one_by_one.skipped_bytes) << text;
      ASSERT_EQ(together.error, one_by_one.error) << text;
    }
  }
}

TEST(TextRecords, StringsThatAreTooLong) {
  for (const char* text : {"{\"a\":1}\n{\"a\":123456}", "[{\"a\":1},{\"a\":123456}]", "{\n},{}"}) {
    for (const size_t limit : {size_t{1}, size_t{7}, size_t{8}}) {
      const TextContents contents =
          ReadTextFile(text, {.format = RecordFormat::kJson, .max_message_bytes = limit, .skip_damaged = true});
      if (text[1] == '\n') continue;
      EXPECT_THAT(contents.error, HasSubstr("bytes, the limit of a text")) << text << limit;
      EXPECT_EQ(contents.messages.size(), limit >= 7 ? 1u : 0u);
    }
    EXPECT_EQ(
        ReadTextFile(text, {.format = RecordFormat::kJson, .max_message_bytes = 12, .on_damaged_file = OnDamagedFile::kRest})
            .error,
        "");
  }
  EXPECT_THAT(ReadTextFile("0a0a\n0a0a0a", {.format = RecordFormat::kHex, .max_message_bytes = 4}).error,
              HasSubstr(" line 2: a line of more than 4 bytes"));
}

// /dev/zero has no line end, and no end.
TEST(TextRecords, AnInputWithoutLineEndsHasALimitByDefault) {
  for (const RecordFormat format : {RecordFormat::kHex, RecordFormat::kCsv, RecordFormat::kJson, RecordFormat::kTextproto}) {
    RecordReaderOptions options = {.format = format, .message_of_json = TextAsMessage, .message_of_textproto = TextAsMessage};
    options.message_of_csv = [](std::string_view, std::string_view, std::string&) { return std::optional<TextProblem>(); };
    RecordBatch batch;
    const absl::Status status = (*RecordReader::Create({"/dev/zero"}, options))->NextBatch(10, 1 << 20, &batch).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("of more than 268435456 bytes, the limit of a text"));
  }
}

TEST(TextRecords, JsonIsFoundByNameAndByContents) {
  EXPECT_EQ(RecordFormatOfName("a.json"), RecordFormat::kJson);
  EXPECT_EQ(RecordFormatOfName("a.json.gz"), RecordFormat::kJson);
  EXPECT_EQ(RecordFormatOfName("a.jsonl"), RecordFormat::kJson);
  EXPECT_EQ(RecordFormatOfName("a.ndjson.gz"), RecordFormat::kJson);
  EXPECT_EQ(RecordFormatOfName("a.jsonl.txt"), std::nullopt);
  EXPECT_THAT(ReadTextFile("{\"a\": 1}\n{\"b\": 2}\n", {}).messages, ElementsAre("{\"a\": 1}", "{\"b\": 2}"));
  // Without a function that reads JSON, it is still an error.
  const TestFile file("text", "{\"a\": 1}\n{\"b\": 2}\n");
  RecordBatch batch;
  const absl::Status status = (*RecordReader::Create({file.path()}))->NextBatch(1, 1, &batch).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("this looks like JSON; read it with `format=json`"));
  EXPECT_THAT(std::string(RecordReader::Create({file.path()}, {.format = RecordFormat::kJson}).status().message()),
              HasSubstr("message_of_json is needed"));
}

TEST(TextRecords, ConfluentHeaders) {
  const std::string record("\0\0\0\0\7\0ab", 8);
  std::string text;
  AppendRecord(RecordFormat::kBase64, record, text);
  AppendRecord(RecordFormat::kBase64, "no header", text);
  const TextContents contents =
      ReadTextFile(text, {.format = RecordFormat::kBase64, .confluent_headers = true, .skip_damaged = true});
  EXPECT_THAT(contents.messages, ElementsAre("ab"));
  EXPECT_THAT(contents.skipped, ElementsAre(HasSubstr("line 2, column 1: the message does not begin with a Confluent header")));
  EXPECT_THAT(ReadTextFile("{}", {.format = RecordFormat::kJson, .confluent_headers = true}).error,
              HasSubstr("no Confluent headers"));
}

}  // namespace
}  // namespace structtensor
