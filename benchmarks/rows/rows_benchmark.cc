// Typed batches: reading by rows compared with reading by spans, building compared with libprotobuf's messages, and decoding
// one message a call compared with libprotobuf's parser.
//
//   build/bench/bin/rows_benchmark [ROUNDS]
//
// Both readers visit the same values in the same order, row by row, and add up numbers and lengths of strings. Both writers
// make the same messages from the same application data. Results are compared first. Contenders take turns; the median of the
// rounds counts. OpenTelemetry's spans and GoogleMessage1 are measured if CMake was given -DSTRUCTTENSOR_DATA=FOLDER, which
// names the folder with the real data sets.
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "delimited_file.h"
#include "recipe.pb.h"
#include "recipe.structtensor.h"
#include "structtensor/tensor/messages/to_structured_tensor.h"
#ifdef STRUCTTENSOR_GOOGLE_MESSAGE1
#include "benchmark_message1_proto2.pb.h"
#include "benchmark_message1_proto2.structtensor.h"
#endif
#ifdef STRUCTTENSOR_OTLP_MESSAGES
#include "opentelemetry/proto/trace/v1/trace.structtensor.h"
#endif

namespace {

struct Contender {
  const char* name;
  std::function<uint64_t()> run;  // returns a digest of the values that it read or made
};

double Seconds(const std::function<uint64_t()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  volatile uint64_t digest = run();
  (void)digest;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Prints the median of each contender, and its time divided by the time of the first contender. `unit_count`: the number of
// things that a run visits.
bool Compare(const char* title, const char* unit, size_t unit_count, const std::vector<Contender>& contenders, int rounds) {
  const uint64_t expected = contenders[0].run();
  for (const Contender& contender : contenders) {
    if (contender.run() != expected) {
      std::printf("%s: %s and %s differ\n", title, contenders[0].name, contender.name);
      return false;
    }
  }
  std::vector<std::vector<double>> seconds(contenders.size());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < contenders.size(); ++i) seconds[i].push_back(Seconds(contenders[i].run));
  }
  double first = 0;
  for (size_t i = 0; i < contenders.size(); ++i) {
    std::sort(seconds[i].begin(), seconds[i].end());
    const double median = seconds[i][seconds[i].size() / 2];
    if (i == 0) first = median;
    std::printf("%-28s %-22s %8.2f ns/%s  x%.2f\n", title, contenders[i].name, median / static_cast<double>(unit_count) * 1e9,
                unit, median / first);
  }
  return true;
}

struct Ingredient {
  std::string name;
  double amount;
  int32_t unit;
};
struct Recipe {
  std::string title;
  int32_t minutes;
  std::vector<Ingredient> ingredients;
  std::vector<std::pair<std::string, int32_t>> ratings;
};

std::vector<Recipe> MakeRecipes(size_t count) {
  uint64_t state = 1;
  const auto next = [&state] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  std::vector<Recipe> recipes(count);
  for (Recipe& recipe : recipes) {
    recipe.title = std::string(5 + next() % 30, 't');
    recipe.minutes = static_cast<int32_t>(next() % 120) - 20;
    for (uint64_t i = next() % 8; i > 0; --i) {
      recipe.ingredients.push_back(
          {std::string(3 + next() % 12, 'n'), static_cast<double>(next() % 100) / 4, static_cast<int32_t>(next() % 5)});
    }
    for (uint64_t i = next() % 4; i > 0; --i)
      recipe.ratings.emplace_back("rater" + std::to_string(i), static_cast<int32_t>(next() % 5));
  }
  return recipes;
}

uint64_t Add(uint64_t digest, uint64_t value) { return digest * 31 + value; }

uint64_t ReadByRows(const cookbook::RecipeBatch& batch) {
  uint64_t digest = 0;
  for (const cookbook::RecipeRow recipe : batch) {
    digest = Add(digest, recipe.title().size());
    if (recipe.has_minutes()) digest = Add(digest, static_cast<uint64_t>(recipe.minutes()));
    for (const cookbook::IngredientRow ingredient : recipe.ingredients()) {
      digest = Add(digest, ingredient.name().size());
      if (ingredient.has_amount()) digest = Add(digest, static_cast<uint64_t>(ingredient.amount()));
      digest = Add(digest, static_cast<uint64_t>(ingredient.unit()));
    }
    for (const auto [name, stars] : recipe.ratings()) digest = Add(digest, name.size() + static_cast<uint64_t>(stars));
  }
  return digest;
}

uint64_t ReadBySpans(const cookbook::RecipeBatch& batch) {
  uint64_t digest = 0;
  const auto title = batch.title().values();
  const auto minutes = batch.minutes();
  const auto minutes_values = minutes.values();
  const auto ingredients = batch.ingredients();
  const auto ingredient_splits = ingredients.row_splits();
  const auto name = ingredients.name().values();
  const auto amount = ingredients.amount();
  const auto amounts = amount.values();
  const auto unit = ingredients.unit().values();
  const auto ratings = batch.ratings();
  const auto rating_splits = ratings.row_splits();
  const auto key = ratings.key().values();
  const auto value = ratings.value().values();
  for (size_t row = 0; row < static_cast<size_t>(batch.nrows()); ++row) {
    digest = Add(digest, title[row].size());
    if (minutes.has(row)) digest = Add(digest, static_cast<uint64_t>(minutes_values[row]));
    for (auto i = static_cast<size_t>(ingredient_splits[row]); i < static_cast<size_t>(ingredient_splits[row + 1]); ++i) {
      digest = Add(digest, name[i].size());
      if (amount.has(i)) digest = Add(digest, static_cast<uint64_t>(amounts[i]));
      digest = Add(digest, static_cast<uint64_t>(unit[i]));
    }
    for (auto i = static_cast<size_t>(rating_splits[row]); i < static_cast<size_t>(rating_splits[row + 1]); ++i) {
      digest = Add(digest, key[i].size() + static_cast<uint64_t>(value[i]));
    }
  }
  return digest;
}

class Building {
 public:
  explicit Building(const std::vector<Recipe>& recipes) : recipes_(recipes) {}

  // Whether the builder's messages are equal to libprotobuf's, as libprotobuf reads them, except the order of map entries.
  bool MakesTheSame() {
    Fill();
    const auto batch = builder_.Build();
    if (!batch.ok()) return false;
    const auto encoded = encoder_.Encode(*batch);
    if (!encoded.ok()) return false;
    for (size_t i = 0; i < recipes_.size(); ++i) {
      cookbook::Recipe read;
      cookbook::Recipe written;
      if (!read.ParseFromArray((*encoded)[i].data(), static_cast<int>((*encoded)[i].size()))) return false;
      if (!written.ParseFromString(Serialized(recipes_[i]))) return false;
      if (!google::protobuf::util::MessageDifferencer::Equals(read, written)) return false;
    }
    return true;
  }
  uint64_t ByBuilder() {
    Fill();
    const auto batch = builder_.Build();
    if (!batch.ok()) return 0;
    const auto encoded = encoder_.Encode(*batch);
    if (!encoded.ok()) return 0;
    uint64_t digest = 0;
    for (const std::string_view message : *encoded) digest = Add(digest, message.size());
    return digest;
  }
  // Only the columns, without the messages, because many programs only need columns.
  uint64_t ColumnsByBuilder() {
    Fill();
    const auto batch = builder_.Build();
    return batch.ok() ? static_cast<uint64_t>(batch->nrows()) : 0;
  }
  uint64_t ColumnsByLibprotobuf() {
    std::vector<std::string> messages;
    for (const Recipe& recipe : recipes_) messages.push_back(Serialized(recipe));
    const auto batch = decoder_.Decode(messages);
    return batch.ok() ? static_cast<uint64_t>(batch->nrows()) : 0;
  }
  uint64_t ByLibprotobuf() {
    uint64_t digest = 0;
    for (const Recipe& recipe : recipes_) {
      digest = Add(digest, Serialized(recipe).size());
    }
    return digest;
  }
  std::vector<std::string> Messages() {
    std::vector<std::string> messages;
    for (const Recipe& recipe : recipes_) messages.push_back(Serialized(recipe));
    return messages;
  }

 private:
  void Fill() {
    for (const Recipe& recipe : recipes_) {
      const cookbook::RecipeRowBuilder row = builder_.AppendRow();
      row.set_title(recipe.title);
      if (recipe.minutes >= 0) row.set_minutes(recipe.minutes);
      for (const Ingredient& ingredient : recipe.ingredients) {
        const cookbook::IngredientRowBuilder out = row.add_ingredients();
        out.set_name(ingredient.name);
        out.set_amount(ingredient.amount);
        out.set_unit(static_cast<cookbook::UnitEnum>(ingredient.unit));
      }
      for (const auto& [name, stars] : recipe.ratings) row.add_ratings(name, stars);
    }
  }
  const std::string& Serialized(const Recipe& recipe) {
    message_.Clear();
    message_.set_title(recipe.title);
    if (recipe.minutes >= 0) message_.set_minutes(recipe.minutes);
    for (const Ingredient& ingredient : recipe.ingredients) {
      cookbook::Ingredient* out = message_.add_ingredients();
      out->set_name(ingredient.name);
      out->set_amount(ingredient.amount);
      out->set_unit(static_cast<cookbook::Unit>(ingredient.unit));
    }
    for (const auto& [name, stars] : recipe.ratings) (*message_.mutable_ratings())[name] = stars;
    message_.SerializeToString(&bytes_);
    return bytes_;
  }

  const std::vector<Recipe>& recipes_;
  cookbook::RecipeBatchBuilder builder_;
  cookbook::RecipeEncoder encoder_;
  cookbook::RecipeDecoder decoder_;
  cookbook::Recipe message_;
  std::string bytes_;
};

#ifdef STRUCTTENSOR_OTLP_MESSAGES
namespace trace = opentelemetry::proto::trace::v1;
namespace common = opentelemetry::proto::common::v1;

uint64_t ReadByRows(const trace::TracesDataBatch& batch) {
  uint64_t digest = 0;
  for (const trace::TracesDataRow traces : batch) {
    for (const trace::ResourceSpansRow resource : traces.resource_spans()) {
      for (const trace::ScopeSpansRow scope : resource.scope_spans()) {
        for (const trace::SpanRow span : scope.spans()) {
          digest = Add(digest, span.name().size() + span.trace_id().size());
          digest = Add(digest, span.end_time_unix_nano() - span.start_time_unix_nano());
          for (const common::KeyValueRow attribute : span.attributes()) {
            digest = Add(digest, attribute.key().size());
            const common::AnyValueRow value = attribute.value();
            switch (value.value_case()) {
              case common::AnyValueRow::ValueCase::kStringValue:
                digest = Add(digest, value.string_value().size());
                break;
              case common::AnyValueRow::ValueCase::kIntValue:
                digest = Add(digest, static_cast<uint64_t>(value.int_value()));
                break;
              default:
                break;
            }
          }
        }
      }
    }
  }
  return digest;
}

uint64_t ReadBySpans(const trace::TracesDataBatch& batch) {
  uint64_t digest = 0;
  const auto resources = batch.resource_spans();
  const auto scopes = resources.scope_spans();
  const auto spans = scopes.spans();
  const auto attributes = spans.attributes();
  const auto value = attributes.value();
  const auto resource_splits = resources.row_splits();
  const auto scope_splits = scopes.row_splits();
  const auto span_splits = spans.row_splits();
  const auto attribute_splits = attributes.row_splits();
  const auto name = spans.name().values();
  const auto trace_id = spans.trace_id().values();
  const auto begin = spans.start_time_unix_nano().values();
  const auto end = spans.end_time_unix_nano().values();
  const auto key = attributes.key().values();
  const auto value_case = value.value_case().values();
  const auto string_value = value.string_value().values();
  const auto int_value = value.int_value().values();
  for (size_t t = 0; t < static_cast<size_t>(batch.nrows()); ++t) {
    for (auto r = static_cast<size_t>(resource_splits[t]); r < static_cast<size_t>(resource_splits[t + 1]); ++r) {
      for (auto s = static_cast<size_t>(scope_splits[r]); s < static_cast<size_t>(scope_splits[r + 1]); ++s) {
        for (auto i = static_cast<size_t>(span_splits[s]); i < static_cast<size_t>(span_splits[s + 1]); ++i) {
          digest = Add(digest, name[i].size() + trace_id[i].size());
          digest = Add(digest, end[i] - begin[i]);
          for (auto a = static_cast<size_t>(attribute_splits[i]); a < static_cast<size_t>(attribute_splits[i + 1]); ++a) {
            digest = Add(digest, key[a].size());
            switch (value_case[a]) {
              case 1:
                digest = Add(digest, string_value[a].size());
                break;
              case 3:
                digest = Add(digest, static_cast<uint64_t>(int_value[a]));
                break;
              default:
                break;
            }
          }
        }
      }
    }
  }
  return digest;
}
#endif

// Decodes each of `messages` in a call of its own, as services do. `size_of(batch)` and `size_of(message)` return the size of
// one string, and `column` is its column in tensors.
template <typename Decoder, typename Message, typename SizeOf>
bool CompareOneACall(const char* title, const std::vector<std::string_view>& messages, const char* column,
                     const SizeOf& size_of, int rounds) {
  Decoder decoder;
  Message parsed;
  const auto decode = [&](const auto& digest_of) {
    uint64_t digest = 0;
    for (const std::string_view message : messages) {
      const auto batch = decoder.Decode(std::span(&message, 1));
      if (!batch.ok()) std::abort();
      digest = Add(digest, digest_of(*batch));
    }
    return digest;
  };
  const auto parse = [&] {
    uint64_t digest = 0;
    for (const std::string_view message : messages) {
      if (!parsed.ParseFromArray(message.data(), static_cast<int>(message.size()))) std::abort();
      digest = Add(digest, size_of(parsed));
    }
    return digest;
  };
  const auto size_in_tensor = [&](const auto& batch) -> uint64_t {
    const absl::StatusOr<structtensor::StructuredTensor> tensor = ToStructuredTensor(batch);
    if (!tensor.ok()) std::abort();
    return tensor->FindFlatField(column)->tensor()->string_at(0).size();
  };
  return Compare(title, "message", messages.size(),
                 {{"libprotobuf, reused message", parse},
                  {"decoder", [&] { return decode(size_of); }},
                  {"decoder and tensor", [&] { return decode(size_in_tensor); }}},
                 rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
  if (argc > 2 || rounds < 1) {
    std::fprintf(stderr, "usage: rows_benchmark [ROUNDS]; ROUNDS is 1 or more, by default 9\n");
    return 2;
  }
  const std::vector<Recipe> recipes = MakeRecipes(20'000);
  Building building(recipes);
  if (!building.MakesTheSame()) {
    std::printf("the builder and libprotobuf make different messages\n");
    return 1;
  }
  bool equal = Compare("data to messages", "recipe", recipes.size(),
                       {{"builder and encoder", [&] { return building.ByBuilder(); }},
                        {"libprotobuf", [&] { return building.ByLibprotobuf(); }}},
                       rounds);
  equal &= Compare("data to columns", "recipe", recipes.size(),
                   {{"builder", [&] { return building.ColumnsByBuilder(); }},
                    {"libprotobuf and decoder", [&] { return building.ColumnsByLibprotobuf(); }}},
                   rounds);
  cookbook::RecipeBatchBuilder builder;
  for (const Recipe& recipe : recipes) {
    const auto row = builder.AppendRow();
    row.set_title(recipe.title);
    if (recipe.minutes >= 0) row.set_minutes(recipe.minutes);
    for (const Ingredient& ingredient : recipe.ingredients) {
      const auto out = row.add_ingredients();
      out.set_name(ingredient.name);
      out.set_amount(ingredient.amount);
      out.set_unit(static_cast<cookbook::UnitEnum>(ingredient.unit));
    }
    for (const auto& [name, stars] : recipe.ratings) row.add_ratings(name, stars);
  }
  const auto batch = builder.Build();
  if (!batch.ok()) return 1;
  equal &= Compare("reading recipes", "recipe", batch->nrows(),
                   {{"spans", [&] { return ReadBySpans(*batch); }}, {"rows", [&] { return ReadByRows(*batch); }}}, rounds);
  const std::vector<std::string> serialized = building.Messages();
  const auto title_size = [](const auto& from) -> uint64_t {
    if constexpr (requires { from.SerializeAsString(); }) {
      return from.title().size();
    } else {
      return from.title().values()[0].size();
    }
  };
  equal &= CompareOneACall<cookbook::RecipeDecoder, cookbook::Recipe>(
      "one recipe a call", {serialized.begin(), serialized.end()}, "title", title_size, rounds);
#ifdef STRUCTTENSOR_GOOGLE_MESSAGE1
  const std::string message1 = structtensor::testing::ReadWholeFile(STRUCTTENSOR_GOOGLE_MESSAGE1);
  const std::vector<std::string_view> same(20'000, structtensor::testing::SplitDelimited(message1)[0]);
  const auto field1_size = [](const auto& from) -> uint64_t {
    if constexpr (requires { from.SerializeAsString(); }) {
      return from.field1().size();
    } else {
      return from.field1().values()[0].size();
    }
  };
  equal &= CompareOneACall<benchmarks::proto2::GoogleMessage1Decoder, benchmarks::proto2::GoogleMessage1>(
      "one GoogleMessage1 a call", same, "field1", field1_size, rounds);
#endif
#ifdef STRUCTTENSOR_OTLP_MESSAGES
  const std::string file = structtensor::testing::ReadWholeFile(STRUCTTENSOR_OTLP_MESSAGES);
  const auto traces = trace::TracesDataDecoder().Decode(structtensor::testing::SplitDelimited(file));
  if (!traces.ok()) return 1;
  const size_t spans = traces->resource_spans().scope_spans().spans().nrows();
  equal &= Compare("reading OpenTelemetry spans", "span", spans,
                   {{"spans", [&] { return ReadBySpans(*traces); }}, {"rows", [&] { return ReadByRows(*traces); }}}, rounds);
#else
  std::printf("reading OpenTelemetry spans: not measured, because CMake found no otlp_traces_astronomy in STRUCTTENSOR_DATA\n");
#endif
  return equal ? 0 : 1;
}
