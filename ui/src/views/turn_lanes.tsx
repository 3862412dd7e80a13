// The turns of a conversation on a time-line: a lane for each replica, a bar for each turn, split into what it found
// cached and what was computed. The table below it says the same in words. `since`: seconds since their ages were right.
import { clock, duration, tokens, words } from "../format";
import { Split } from "../parts";
import type { TurnRecord } from "../types";

export function TurnLanes({ turns, since }: { turns: TurnRecord[]; since: number }) {
  const begin = Math.max(...turns.map((turn) => turn.ended_s + turn.took_s));
  const end = Math.min(...turns.map((turn) => turn.ended_s));
  const span = Math.max(begin - end, 0.001);
  const lanes = [...new Set(turns.map((turn) => turn.replica))].sort((a, b) => (a ?? 1e9) - (b ?? 1e9));
  return (
    <div class="lanes" aria-hidden="true">
      {lanes.map((replica) => (
        <div class="lane" key={String(replica)}>
          <span class="lane-name">{replica === null ? "engine chose" : `replica ${replica}`}</span>
          <div class="lane-track">
            {turns
              .filter((turn) => turn.replica === replica)
              .map((turn) => (
                <Bar turn={turn} left={(begin - turn.ended_s - turn.took_s) / span} width={turn.took_s / span} />
              ))}
          </div>
        </div>
      ))}
      <div class="lane axis">
        <span class="lane-name" />
        <span>{duration(begin + since)} ago</span>
        <span>{end + since < 1 ? clock(Date.now()) : `${duration(end + since)} ago`}</span>
      </div>
    </div>
  );
}

function Bar({ turn, left, width }: { turn: TurnRecord; left: number; width: number }) {
  const cached = turn.cached_tokens ?? 0;
  const prompt = turn.prompt_tokens ?? 0;
  const title = `${words(turn.outcome)}: ${tokens(cached)} of ${tokens(prompt)} cached, took ${duration(turn.took_s)}`;
  return (
    <span
      class={`turn ${turn.end === "answered" ? "" : "broken"}`}
      style={{ left: `${left * 100}%`, width: `max(3px, ${width * 100}%)` }}
      title={title}
    >
      <Split cached={cached} computed={prompt - cached} />
    </span>
  );
}
