// Varint-delimited messages, read by the shortest means: the tests must not depend on the readers that they do not test.
#ifndef STRUCTTENSOR_TESTS_ORACLE_DELIMITED_FILE_H_
#define STRUCTTENSOR_TESTS_ORACLE_DELIMITED_FILE_H_

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace structtensor::testing {

inline std::string ReadWholeFile(const std::string& path) {
  // In one piece: without optimisation, iterators took about 15 % of the time of the tests on real data.
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  std::string bytes(in ? static_cast<size_t>(in.tellg()) : 0, '\0');
  in.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// Views into `bytes`. Empty if a length does not fit.
inline std::vector<std::string_view> SplitDelimited(std::string_view bytes) {
  std::vector<std::string_view> messages;
  for (size_t position = 0; position < bytes.size();) {
    size_t size_bytes = 0;
    for (int shift = 0; position < bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[position++]);
      size_bytes |= size_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    if (size_bytes > bytes.size() - position) return {};
    messages.push_back(bytes.substr(position, size_bytes));
    position += size_bytes;
  }
  return messages;
}

}  // namespace structtensor::testing

#endif  // STRUCTTENSOR_TESTS_ORACLE_DELIMITED_FILE_H_
