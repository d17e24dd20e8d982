// A program with the address sanitizer, and with generated code that has it, whose structtensor libraries are built without.
// The first argument names what it does; tests/core/decode/CMakeLists.txt says what the sanitizer must report.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "recipe.structtensor.h"

namespace {

// Each message has a heap block of its own that ends with it, so every read past a message is a read past a block.
class Messages {
 public:
  explicit Messages(const std::string& title) {
    for (size_t i = 0; i < 3; ++i) {
      const std::string bytes = std::string("\x0a") + static_cast<char>(title.size()) + title;
      blocks_.push_back(std::make_unique<char[]>(bytes.size()));
      std::copy(bytes.begin(), bytes.end(), blocks_.back().get());
      views_.emplace_back(blocks_.back().get(), bytes.size());
    }
  }
  const std::vector<std::string_view>& views() const { return views_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::string_view> views_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  cookbook::RecipeDecoder decoder;
  if (mode == "decode") {
    for (const std::string& title :
         {std::string("t"), std::string("toast"), std::string("a title of more than sixteen bytes")}) {
      const Messages messages(title);
      const auto copied = decoder.Decode(messages.views());
      std::cout << (*copied)[2].title() << "\n";
      const auto views = decoder.DecodeViews(messages.views());
      std::cout << (*views)[2].title() << "\n" << std::string_view(views->title().values().bytes(), 3 * title.size()) << "\n";
    }
    std::cout << "done" << std::endl;
  } else if (mode == "freed_input") {
    auto messages = std::make_unique<Messages>("toast");
    const auto batch = decoder.DecodeViews(messages->views());
    messages.reset();
    std::cout << (*batch)[2].title() << std::endl;
  } else if (mode == "copy_of_freed_input") {
    auto messages = std::make_unique<Messages>("toast");
    const auto batch = decoder.DecodeViews(messages->views());
    messages.reset();
    std::cout << batch->title().values().bytes() << std::endl;
  } else if (mode == "row_of_batch_before") {
    const Messages messages("toast"), next("soup");
    auto batch = decoder.Decode(messages.views());
    const auto row = (*batch)[2];
    batch = decoder.Decode(next.views());
    std::cout << row.title() << std::endl;
  } else if (mode == "string_of_batch_before") {
    const Messages messages("toast"), next("soup");
    auto batch = decoder.Decode(messages.views());
    const std::string_view title = (*batch)[2].title();
    batch = decoder.Decode(next.views());
    std::cout << title << std::endl;
  }
}
