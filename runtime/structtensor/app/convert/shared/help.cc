#include "structtensor/app/convert/shared/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "structtensor/core/base/shared/strings.h"

namespace structtensor::convert_internal {
namespace {

// The options that --help shows where a program has many.
constexpr std::string_view kCommonOptions[] = {
    "from",  "output", "to",   "proto", "proto_path", "message", "select",    "drop",     "where", "rows", "number",
    "table", "limit",  "skip", "jobs",  "json",       "quiet",   "overwrite", "on-error", "list",  "help", "help-all",
};
// With as many options or fewer, --help shows all of them.
constexpr size_t kFewOptions = 16;

using Options = std::vector<const CLI::Option*>;

bool IsCommon(const CLI::Option& option) {
  return std::ranges::any_of(option.get_lnames(), [](const std::string& name) {
    return std::ranges::find(kCommonOptions, name) != std::ranges::end(kCommonOptions);
  });
}

// "FILE", without what CLI11 says of the values.
std::string ValueName(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  if (option.get_items_expected_max() == 0) return "";  // a flag
  const std::string name = option.get_type_name();
  return " " + name.substr(0, name.find(':'));
}

// "-o, --output FILE", with room for the short name.
std::string NamesOf(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true, false);
  std::string names = option.get_snames().empty() ? "    " : absl::StrCat("-", option.get_snames()[0], ", ");
  return absl::StrCat(names, "--", option.get_lnames()[0], ValueName(option));
}

std::string DescriptionOf(const CLI::Option& option) {
  std::vector<std::string> facts;
  if (!option.get_positional() && option.get_items_expected_max() > 1) facts.emplace_back("repeatable");
  if (!option.get_default_str().empty()) facts.push_back("default: " + option.get_default_str());
  if (facts.empty()) return option.get_description();
  return absl::StrCat(option.get_description(), " (", absl::StrJoin(facts, "; "), ")");
}

void AppendOptions(const std::string& title, const Options& options, size_t width, std::string& help) {
  if (options.empty()) return;
  absl::StrAppend(&help, "\n", title, ":\n");
  for (const CLI::Option* option : options) {
    std::string line = "  " + NamesOf(*option);
    line.resize(std::max(width, line.size()), ' ');
    absl::StrAppend(&help, line, "  ", DescriptionOf(*option), "\n");
  }
}

void AppendVerbs(const CLI::App& app, std::string& help) {
  const std::vector<const CLI::App*> verbs = app.get_subcommands({});
  if (verbs.empty()) return;
  absl::StrAppend(&help, "\nVerbs:\n");
  for (const CLI::App* verb : verbs) {
    std::string line = "  " + verb->get_name();
    line.resize(std::max(size_t{14}, line.size()), ' ');
    const std::string description = verb->get_description();
    absl::StrAppend(&help, line, "  ", description.substr(0, description.find('\n')), "\n");
  }
}

class HelpPage : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    Options named =
        app->get_options([](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
    const Options positional = app->get_options([](const CLI::Option* option) { return option->get_positional(); });
    const bool details = mode == CLI::AppFormatMode::All;
    const size_t total = named.size();
    if (!details && total > kFewOptions) std::erase_if(named, [](const CLI::Option* option) { return !IsCommon(*option); });
    size_t width = 0;
    for (const Options& options : {positional, named}) {
      for (const CLI::Option* option : options) width = std::max(width, NamesOf(*option).size() + 2);
    }
    std::string help = absl::StrCat(app->get_description(), "\n\n", make_usage(app, name));
    AppendVerbs(*app, help);
    AppendOptions("Arguments", positional, width, help);
    if (details) {
      std::vector<std::string> groups = app->get_groups();
      std::rotate(groups.begin(), groups.begin() + 1, groups.end());  // the options without a subject are the last ones
      for (const std::string& group : groups) {
        Options options = named;
        std::erase_if(options, [&group](const CLI::Option* option) { return option->get_group() != group; });
        AppendOptions(group, options, width, help);
      }
    } else {
      AppendOptions("Options", named, width, help);
    }
    // The first line of a footer is for every reader, the others are details.
    const std::string footer = app->get_footer();
    if (!footer.empty()) absl::StrAppend(&help, "\n", details ? footer : footer.substr(0, footer.find('\n')), "\n");
    if (named.size() < total) absl::StrAppend(&help, "\n", total - named.size(), " more options: ", name, " --help-all\n");
    return help;
  }
};

}  // namespace

void UseHelp(CLI::App& app) {
  app.formatter(std::make_shared<HelpPage>());
  app.set_help_flag("-h,--help", "Print this help");
  app.set_help_all_flag("--help-all", "Print every option");
}

std::string DescriptionWithExample(std::string_view what, std::string_view example) {
  return absl::StrCat(ToAbsl(what), "\n\nExample:\n  ", ToAbsl(example));
}

}  // namespace structtensor::convert_internal
