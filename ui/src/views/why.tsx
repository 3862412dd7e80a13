// Why a turn went where it went, in words, with the loads that were compared; and what the engine's own balancer
// would have come to.
import { count, duration, percent, plural, tokens, words } from "../format";
import type { TurnRecord, Why } from "../types";

export function WhyThere({ turn }: { turn: TurnRecord }) {
  return (
    <div class="why">
      <div>
        <p>
          {sentence(turn)}
          {turn.why.source !== "none" && ` The conversation was known by ${known(turn.why.source)}.`}
        </p>
        <Engine turn={turn} />
      </div>
      {turn.why.loads.length > 1 && <Loads why={turn.why} taken={turn.replica} />}
    </div>
  );
}

function known(source: string): string {
  if (source === "content") return "its prompt: its client sends no id";
  return `its id (${words(source)})`;
}

function sentence({ outcome, replica, why }: TurnRecord): string {
  const home = why.loads.find((each) => each.replica === why.home);
  const waited = why.held_s === null ? "" : ` It waited ${duration(why.held_s)} for room.`;
  switch (outcome) {
    case "rehomed":
      return `Its home, replica ${why.home}, could no longer take it or had nothing left for it, so it got a new one.${waited}`;
    case "placed":
      if (why.home !== null) return `Its prompt began anew, and its home, replica ${why.home}, was still the best one.${waited}`;
      if (why.rule === "places") return `A new conversation: placed where there was room for it.${waited}`;
      return "A new conversation: placed where the load was lowest.";
    case "sticky":
      if (why.rule === "places") return `Its home, replica ${replica}, keeps its context.${waited}`;
      return `Its home, replica ${replica}, had ${plural(home?.in_flight ?? 0, "turn")} in flight, under the threshold of ${count(why.spill_threshold)}.`;
    case "spilled":
      return `Its home, replica ${why.home}, had ${plural(home?.in_flight ?? 0, "turn")} in flight, and the threshold is ${count(why.spill_threshold)}: this turn alone went to the least loaded replica.`;
    case "client_pinned":
      return "The client named the rank.";
    case "balanced":
      return "No conversation could be told, so it went to the least loaded replica.";
    case "side":
      return "A small request beside the conversation: it went to the least loaded replica and left no home.";
    case "unrouted":
      return "Affinity was off: the engine chose.";
    case "not_followed":
      return "This engine ignores the rank on /v1/responses and chose by itself.";
    default:
      return "It came with a rank header that is no rank of this engine, and was passed on.";
  }
}

function Loads({ why, taken }: { why: Why; taken: number | null }) {
  const hidden = why.replicas - why.loads.length;
  return (
    <table class="loads">
      <caption>Loads compared, before this turn</caption>
      <thead>
        <tr>
          <th scope="col">Replica</th>
          <th scope="col" class="num">
            In flight
          </th>
          <th scope="col" class="num">
            + 8 × KV used
          </th>
          <th scope="col" class="num">
            + recent
          </th>
          <th scope="col" class="num">
            = load
          </th>
        </tr>
      </thead>
      <tbody>
        {why.loads.map((each) => (
          <tr class={each.replica === taken ? "taken" : ""}>
            <th scope="row">
              {each.replica}
              {each.replica === why.home && " (home)"}
              {each.replica === taken && <span class="hidden"> taken</span>}
            </th>
            <td class="num">{each.in_flight}</td>
            <td class="num">{each.kv_used === null ? "unread" : percent(each.kv_used)}</td>
            <td class="num">{each.recent_conversations}</td>
            <td class="num">{each.load.toFixed(1)}</td>
          </tr>
        ))}
      </tbody>
      {hidden > 0 && (
        <tfoot>
          <tr>
            <td colSpan={5}>and {plural(hidden, "more replica")}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

function Engine({ turn: { counterfactual, cached_tokens } }: { turn: TurnRecord }) {
  if (!counterfactual) return null;
  const { replica, saved_tokens: saved } = counterfactual;
  const went = `Estimate: the engine’s own balancer would have sent it to replica ${replica}`;
  const found = `found ${tokens(counterfactual.cached_tokens)} tokens cached, not ${tokens(cached_tokens)}`;
  if (saved === 0) return <p class="estimate">{went} and found as much.</p>;
  return (
    <p class="estimate">
      {went} and {found}: {saved > 0 ? `${tokens(saved)} saved` : `${tokens(-saved)} lost`}.
    </p>
  );
}
