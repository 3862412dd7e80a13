// Data-parallel routing of one model: what each replica holds, what can be changed live, what turns found cached.
import { count, tokens, words } from "../format";
import { Empty, ModelTabs, Section, Table } from "../parts";
import type { ViewProps } from "../shell";
import type { Totals } from "../types";
import { Replicas, worst } from "./replicas";
import { Controls } from "./routing_controls";

export function Routing({ state, name }: ViewProps) {
  const routing = state.routing.find((each) => each.model === name) ?? state.routing[0];
  if (!routing) return <Empty>No engine has been found yet.</Empty>;
  return (
    <>
      <ModelTabs models={state.models} view="routing" current={routing.model} />
      <Section title="Data-parallel routing" aside={<span class="model-name">{routing.model}</span>}>
        <Controls routing={routing} key={routing.model} />
        <Replicas replicas={routing.replicas} />
        {routing.advice && <p class={`advice ${worst(routing.replicas)}`}>{routing.advice}</p>}
        <p class="note">
          Turns and tokens are counted since {new Date(routing.counting_since).toLocaleString()}. Running, waiting, KV
          used and prefix hits are the engine’s own last reading. Live conversations had a turn in the last 5 minutes.
        </p>
      </Section>
      <Misses totals={routing.totals} />
    </>
  );
}

const reasons: Record<string, string> = {
  none: "found what there was",
  first_turn: "there was nothing to find yet",
  prompt_changed: "the prompt differs from the last one before its end",
  moved: "the turn went where its context is not",
  engine_restarted: "the replica that kept it has started anew",
  not_followed: "the engine chose the replica itself",
  evicted: "the replica kept it once, and has evicted it",
  unmeasured: "the engine does not tell cached tokens",
};

function Misses({ totals }: { totals: Totals }) {
  const rows = Object.entries(totals.misses)
    .filter(([, miss]) => miss.turns > 0)
    .sort(([, a], [, b]) => b.lost_tokens - a.lost_tokens || b.turns - a.turns);
  if (rows.length === 0) return null;
  return (
    <Section title="What turns found in the cache">
      <Table label="Turns by miss reason" class="cards">
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col">Turns</th>
            <th scope="col">Tokens computed again</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, miss]) => (
            <tr key={name}>
              <th scope="row">{name === "none" ? "no miss" : words(name)}</th>
              <td data-label="Turns">{count(miss.turns)}</td>
              <td data-label="Tokens computed again">{tokens(miss.lost_tokens)}</td>
              <td class="text">{reasons[name] ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Section>
  );
}
