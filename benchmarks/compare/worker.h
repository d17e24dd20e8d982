// What the C++ workers have in common: the messages, their contenders, and the commands. A worker obeys commands on standard
// input, one a line, and answers each with a line:
//
//   load BATCH AT_LEAST FILE   the messages, length-delimited, to be taken BATCH at a time; repeated until there are AT_LEAST
//                              -> messages NUMBER BYTES
//   contenders                 -> contenders NAME...
//   run NAME PASSES            passes over all messages -> ran NANOSECONDS
//   digest NAME                what the contender makes of the messages -> digest PATH COUNT SUM... (tabs between)
//   dump NAME FILE             instead of digest: the contender's messages, serialized again and length-delimited -> dumped
//
// or `error TEXT`. worker_process.py and rust_worker have the same commands, in Python and in Rust.
#ifndef STRUCTTENSOR_BENCHMARKS_COMPARE_WORKER_H_
#define STRUCTTENSOR_BENCHMARKS_COMPARE_WORKER_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "digest.h"

namespace structtensor::benchmark {

using MessageBatch = std::span<const std::string_view>;

// Commands that fail throw this, since their answer is then another one.
inline void Require(bool condition, const std::string& problem) {
  if (!condition) throw std::runtime_error(problem);
}

struct Input {
  std::string bytes;
  std::vector<std::string_view> messages;
  std::vector<MessageBatch> batches;
  size_t payload_bytes = 0;

  void Load(const std::string& path, size_t batch_size, size_t at_least) {
    std::ifstream file(path, std::ios::binary);
    Require(file.good(), path + " cannot be read");
    bytes.assign(std::istreambuf_iterator<char>(file), {});
    messages.clear();
    for (size_t position = 0; position < bytes.size();) {
      size_t size_bytes = 0;
      for (int shift = 0;; shift += 7) {
        Require(position < bytes.size() && shift < 35, path + " is not a sequence of length-delimited messages");
        const auto byte = static_cast<uint8_t>(bytes[position++]);
        size_bytes |= static_cast<size_t>(byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      Require(size_bytes <= bytes.size() - position, path + " ends within a message");
      messages.emplace_back(bytes.data() + position, size_bytes);
      position += size_bytes;
    }
    Require(!messages.empty(), path + " has no message");
    for (size_t i = 0; messages.size() < at_least; ++i) messages.push_back(messages[i]);
    batches.clear();
    payload_bytes = 0;
    for (const std::string_view message : messages) payload_bytes += message.size();
    for (size_t i = 0; i < messages.size(); i += batch_size) {
      batches.push_back(std::span(messages).subspan(i, std::min(batch_size, messages.size() - i)));
    }
  }
};

// One way to do it. `run` makes the given number of passes over the input. `digest` or `dump` gives the results of one pass; a
// worker has one of them.
struct Contender {
  std::string name;
  std::function<void(size_t)> run;
  std::function<Digests()> digest;
  std::function<void(std::ostream&)> dump;
};

// Passes of something that handles one batch.
inline std::function<void(size_t)> EachBatch(const Input& input, std::function<void(MessageBatch)> handle) {
  return [&input, handle = std::move(handle)](size_t passes) {
    for (size_t pass = 0; pass < passes; ++pass) {
      for (const MessageBatch batch : input.batches) handle(batch);
    }
  };
}

inline void Answer(const Digests& digests, std::ostream& answer) {
  answer << "digest";
  for (const auto& [path, digest] : digests) {
    if (digest.count > 0) answer << '\t' << path << '\t' << digest.count << '\t' << digest.sum;
  }
}

// A command that only one worker has. Returns false if it does not know the command.
using OwnCommand = std::function<bool(const std::string& command, std::istream& words, std::ostream& answer)>;

inline std::string Obey(const std::string& line, Input* input, const std::vector<Contender>& contenders,
                        const OwnCommand& own) {
  std::istringstream words(line);
  std::ostringstream answer;
  std::string command, name, path;
  const auto contender = [&]() -> const Contender& {
    words >> name >> std::ws;
    const auto it = std::find_if(contenders.begin(), contenders.end(), [&](const auto& c) { return c.name == name; });
    Require(it != contenders.end(), "no contender " + name);
    return *it;
  };
  words >> command;
  if (command == "load") {
    size_t batch_size = 0, at_least = 0;
    words >> batch_size >> at_least >> std::ws;
    std::getline(words, path);
    input->Load(path, batch_size, at_least);
    answer << "messages " << input->messages.size() << ' ' << input->payload_bytes;
  } else if (command == "contenders") {
    answer << command;
    for (const Contender& each : contenders) answer << ' ' << each.name;
  } else if (command == "run") {
    const Contender& chosen = contender();
    size_t passes = 0;
    words >> passes;
    const auto begin = std::chrono::steady_clock::now();
    chosen.run(passes);
    answer << "ran " << std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
  } else if (command == "digest") {
    Answer(contender().digest(), answer);
  } else if (command == "dump") {
    const Contender& chosen = contender();
    std::getline(words, path);
    std::ofstream file(path, std::ios::binary);
    chosen.dump(file);
    file.close();
    Require(file.good(), path + " cannot be written");
    answer << "dumped";
  } else {
    Require(own && own(command, words, answer), "unknown command: " + line);
  }
  return answer.str();
}

// Obeys commands until standard input ends.
inline void Serve(Input* input, const std::vector<Contender>& contenders, const OwnCommand& own = nullptr) {
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      answer = Obey(line, input, contenders, own);
    } catch (const std::exception& error) {
      answer = std::string("error ") + error.what();
    }
    std::replace(answer.begin(), answer.end(), '\n', ' ');
    std::cout << answer << std::endl;
  }
}

}  // namespace structtensor::benchmark

#endif  // STRUCTTENSOR_BENCHMARKS_COMPARE_WORKER_H_
