#include "workload/trace.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "base/random.hpp"
#include "workload/trace_row.hpp"

namespace lmw::workload {

namespace {

// A turn as read, before it is known what follows it.
struct Recorded {
  int parent = -1;  // index in its agent
  std::vector<BlockRun> prompt;
  int input_tokens = 0;
  int output_tokens = 0;
  Duration at{}, end{};
  std::optional<Duration> think;
};

struct RecordedAgent {
  std::map<int, int> index;  // by the turn's number
  std::vector<Recorded> turns;
};

struct RecordedSession {
  std::int64_t number = 0;
  std::map<int, RecordedAgent> agents;
};

class Reader {
 public:
  Reader(TraceHeader header, const TraceOptions& options) : header_(std::move(header)), options_(options) {}

  Result<void> take(const TraceRow& row) {
    const auto place = places_.try_emplace(row.session, sessions_.size());
    if (place.second) sessions_.push_back({.number = row.session});
    auto& agent = sessions_[place.first->second].agents[row.agent];
    Recorded turn{.input_tokens = row.input_tokens,
                  .output_tokens = std::max(1, row.output_tokens),
                  .at = row.at,
                  .end = row.at + row.api,
                  .think = row.think};
    if (row.parent >= 0) {
      const auto parent = agent.index.find(row.parent);
      if (parent == agent.index.end())
        return failure(fmt::format("there is no turn {} before it", row.parent));
      turn.parent = parent->second;
      const auto& from = agent.turns[static_cast<std::size_t>(turn.parent)].prompt;
      if (row.keep > count_blocks(from))
        return failure(fmt::format("it keeps {} hashes of {}", row.keep, count_blocks(from)));
      append_part(turn.prompt, from, 0, row.keep);
    }
    const auto base = base_of(row);
    for (const auto& run : row.add) append(turn.prompt, {base + run.first, run.count});
    if (!agent.index.emplace(row.turn, static_cast<int>(agent.turns.size())).second)
      return failure(fmt::format("turn {} is there already", row.turn));
    agent.turns.push_back(std::move(turn));
    return {};
  }

  // All that was taken, as sessions to send.
  std::vector<Session> sessions() const {
    std::vector<Session> made;
    for (const auto& recorded : sessions_) {
      const auto main = recorded.agents.find(0);
      if (main == recorded.agents.end() || main->second.turns.empty()) continue;
      made.push_back(session(recorded, main->second));
    }
    return made;
  }

 private:
  // Ids of different sessions, and of different models, are of different content.
  std::uint64_t base_of(const TraceRow& row) const {
    const auto scope = header_.ids_are_global ? 0 : static_cast<std::uint64_t>(row.session) + 1;
    return mix64(mix64(scope + 0x51ed270b) + std::hash<std::string>{}(row.model));
  }

  Session session(const RecordedSession& recorded, const RecordedAgent& main) const {
    Session made{.id = mix64(static_cast<std::uint64_t>(recorded.number) + 1),
                 .start = header_.is_clocked ? main.turns.front().at : Duration{}};
    made.agents.push_back(agent(main, made.start));
    if (options_.main_agents_only) return made;
    for (const auto& [number, sub] : recorded.agents) {
      if (number == 0 || sub.turns.empty()) continue;
      made.agents.push_back(agent(sub, made.start));
      if (!header_.is_clocked) attach(made.agents.back(), sub, main);
    }
    wait_for_joined(made, recorded, main);
    return made;
  }

  Agent agent(const RecordedAgent& recorded, Duration start) const {
    Agent made;
    for (std::size_t i = 0; i < recorded.turns.size(); ++i) {
      const auto& turn = recorded.turns[i];
      made.turns.push_back({.prompt_tokens = turn.input_tokens,
                            .output_tokens = turn.output_tokens,
                            .gap = i == 0 ? Duration{} : pause(recorded.turns[i - 1], turn),
                            .recorded_at = turn.at - start,
                            .content = content(recorded, i)});
    }
    return made;
  }

  static Duration pause(const Recorded& before, const Recorded& turn) {
    return turn.think.value_or(std::max(Duration{}, turn.at - before.end));
  }

  // The full blocks of prompt and output. What the output is shows in the next turn's prompt, where that goes
  // on from this one's; else it is content of its own.
  std::vector<BlockRun> content(const RecordedAgent& recorded, std::size_t index) const {
    const auto& turn = recorded.turns[index];
    const int prompt = std::min(count_blocks(turn.prompt), turn.input_tokens / header_.block_size);
    const int end = (turn.input_tokens + turn.output_tokens) / header_.block_size;
    std::vector<BlockRun> runs;
    append_part(runs, turn.prompt, 0, prompt);
    for (std::size_t i = index + 1; i < recorded.turns.size(); ++i) {
      if (recorded.turns[i].parent != static_cast<int>(index)) continue;
      const auto& next = recorded.turns[i].prompt;
      std::vector<BlockRun> kept;
      append_part(kept, next, 0, prompt);
      if (block_numbers(kept) == block_numbers(runs)) append_part(runs, next, prompt, end);
      break;
    }
    const auto own = mix64(turn.prompt.empty() ? index : turn.prompt.front().first + index);
    append(runs, {own, end - count_blocks(runs)});
    return runs;
  }

  // A sub-agent starts after the main agent's turn that ended last before it, and the main agent's first turn
  // after its end waits for it. Recorded times are whole seconds.
  static void attach(Agent& sub, const RecordedAgent& recorded, const RecordedAgent& main) {
    constexpr Duration slack = std::chrono::seconds(1);
    const auto begin = recorded.turns.front().at;
    const auto end = recorded.turns.back().end;
    for (std::size_t i = 0; i < main.turns.size() && main.turns[i].end <= begin + slack; ++i) {
      sub.after = static_cast<int>(i);
    }
    const auto after = static_cast<std::size_t>(sub.after);
    sub.delay = std::max(Duration{}, begin - main.turns[after].end);
    for (std::size_t i = after + 1; i < main.turns.size() && sub.joined_by == 0; ++i) {
      if (main.turns[i].at + slack >= end) sub.joined_by = static_cast<int>(i);
    }
  }

  // A turn that waits for sub-agents pauses only after the last of them.
  void wait_for_joined(Session& made, const RecordedSession& recorded, const RecordedAgent& main) const {
    std::size_t index = 1;
    for (const auto& [number, sub] : recorded.agents) {
      if (number == 0 || sub.turns.empty()) continue;
      const auto joined_by = static_cast<std::size_t>(made.agents[index++].joined_by);
      if (joined_by == 0 || header_.is_clocked) continue;
      auto& gap = made.agents.front().turns[joined_by].gap;
      gap = std::min(gap, std::max(Duration{}, main.turns[joined_by].at - sub.turns.back().end));
    }
  }

  TraceHeader header_;
  TraceOptions options_;
  std::map<std::int64_t, std::size_t> places_;
  std::vector<RecordedSession> sessions_;
};

void note_skipped(std::vector<std::string>& skipped, std::size_t count, std::string why) {
  if (count <= max_skipped_texts) {
    skipped.push_back(std::move(why));
  } else {
    skipped.back() = fmt::format("and {} lines more", count - max_skipped_texts + 1);
  }
}

}  // namespace

Result<Trace> read_trace(std::string_view text, const TraceOptions& options) {
  std::size_t number = 0, skipped = 0;
  const auto next_line = [&] {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    return line;
  };
  const auto header = read_trace_header(next_line());
  if (!header) return failure("line 1: " + header.error().message);
  if (header->block_size == 0) return failure("it has no block hashes: nothing could be found in a cache");
  Trace trace{.name = header->name,
              .source = header->source,
              .licence = header->licence,
              .block_size = header->block_size,
              .is_clocked = header->is_clocked};
  Reader reader(*header, options);
  while (!text.empty()) {
    const auto line = next_line();
    if (line.empty() || line == "\r") continue;
    const auto row = read_trace_row(line);
    const auto taken = row ? reader.take(*row) : Result<void>(std::unexpected(row.error()));
    if (taken) continue;
    auto why = fmt::format("line {}: {}", number, taken.error().message);
    if (options.strict) return failure(std::move(why));
    note_skipped(trace.skipped, ++skipped, std::move(why));
  }
  trace.sessions = reader.sessions();
  if (trace.sessions.empty()) return failure("it has no session that can be read");
  return trace;
}

}  // namespace lmw::workload
