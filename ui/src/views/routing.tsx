// Data-parallel routing of one model: what each replica holds, and the two things that can be changed live.
import { useEffect, useRef, useState } from "preact/hooks";
import { call, modelPath } from "../api";
import { count, dash, duration, percent, plural, signed, tokens, words } from "../format";
import { live } from "../live";
import { Badge, Empty, Figure, Meter, ModelTabs, Section, Table, type Tone } from "../parts";
import type { ViewProps } from "../shell";
import type { Replica, Routing as RoutingData, Totals } from "../types";

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

function Controls({ routing }: { routing: RoutingData }) {
  const [error, setError] = useState("");
  const change = async (what: object) => {
    try {
      live.setRouting(await call<RoutingData>("PUT", modelPath(routing.model, "routing"), what));
      setError("");
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  const { totals } = routing;
  return (
    <>
      <dl class="figures">
        <Figure
          label="Affinity"
          value={
            <button
              type="button"
              role="switch"
              class="switch"
              aria-checked={routing.affinity}
              aria-label="Affinity"
              onClick={() => change({ affinity: !routing.affinity })}
            >
              {routing.affinity ? "On" : "Off"}
            </button>
          }
          note={rules[routing.rule]}
        />
        <Threshold routing={routing} change={change} />
        <Admission routing={routing} change={change} />
        <Figure label="Sticky" value={percent(totals.sticky_share, 1)} note={`${count(totals.spilled)} spilled`} />
        <Figure
          label="In flight"
          value={count(totals.in_flight)}
          note={
            totals.held ? `${count(totals.held)} held, for about ${duration(totals.expected_wait_s)}` : "turns, none held"
          }
        />
        <Figure
          label="Cache hit"
          value={percent(totals.cached_share)}
          note={
            totals.unmeasured_turns
              ? `${plural(totals.unmeasured_turns, "turn")} unmeasured, counted as computed`
              : "of prompt tokens, measured"
          }
        />
        <Saved saving={totals.counterfactual} />
      </dl>
      {error && (
        <p class="error" role="alert">
          Not changed: {error}
        </p>
      )}
    </>
  );
}

function Saved({ saving }: { saving: Totals["counterfactual"] }) {
  return (
    <Figure
      label="Saved, estimate"
      value={saving ? signed(saving.saved_tokens) : dash}
      note={
        saving && saving.own_cached_tokens > 0
          ? `tokens: the engine’s balancer would find ${percent(saving.cached_tokens / saving.own_cached_tokens)} of what is found`
          : "tokens, against the engine’s balancer"
      }
    />
  );
}

const rules: Record<RoutingData["rule"], string> = {
  places: "rule: places, turns may wait for room",
  affinity: "rule: affinity, nothing waits",
  off: "the engine balances",
};

const shares: [number, string][] = [
  [0.2, "few long waits"],
  [0.45, "interactive"],
  [0.7, "between"],
  [1, "steady"],
];

// Whether turns may wait for room in the cache, and how many of them.
function Admission({ routing, change }: { routing: RoutingData; change: (what: object) => void }) {
  const known = shares.some(([share]) => share === routing.wait_share);
  return (
    <Figure
      wide
      label="Places"
      value={
        <span class="inline">
          <select
            aria-label="Places: hold turns while their conversations would not fit in the cache"
            value={routing.admission}
            onChange={(event) => change({ admission: event.currentTarget.value })}
          >
            <option value="auto">auto</option>
            <option value="on">on</option>
            <option value="off">off</option>
          </select>
          <select
            aria-label="Wait share: how many of the turns may wait"
            value={String(routing.wait_share)}
            disabled={routing.rule !== "places"}
            onChange={(event) => change({ wait_share: Number(event.currentTarget.value) })}
          >
            {!known && <option value={String(routing.wait_share)}>{percent(routing.wait_share)}</option>}
            {shares.map(([share, title]) => (
              <option value={String(share)}>
                {percent(share)} {title}
              </option>
            ))}
          </select>
        </span>
      }
      note="hold turns when contexts outgrow the cache; how many may wait"
    />
  );
}

// Enter sets it, an empty field makes it automatic.
function Threshold({ routing, change }: { routing: RoutingData; change: (what: object) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const value = routing.spill_threshold === null ? "" : String(routing.spill_threshold);
  useEffect(() => {
    // Never under the hands of somebody who types.
    if (field.current && document.activeElement !== field.current) field.current.value = value;
  }, [value]);
  const submit = (event: Event) => {
    event.preventDefault();
    const text = field.current!.value.trim();
    field.current!.blur();
    if (text !== value || routing.spill_threshold_source === "auto")
      change({ spill_threshold: text === "" ? null : Number(text) });
  };
  const automatic = routing.spill_threshold_source === "auto";
  return (
    <Figure
      label="Spill threshold"
      value={
        <form class="inline" onSubmit={submit}>
          <input
            ref={field}
            type="number"
            min={1}
            max={1000000}
            inputMode="numeric"
            placeholder="auto"
            aria-label="Spill threshold, turns in flight; empty for automatic"
          />
          <button type="submit" class="small">
            Set
          </button>
          {!automatic && (
            <button type="button" class="small" onClick={() => change({ spill_threshold: null })}>
              Auto
            </button>
          )}
        </form>
      }
      note={automatic ? "automatic: a quarter of max_num_seqs" : "set by hand"}
    />
  );
}

const fitTone: Record<Replica["working_set"], Tone> = {
  unknown: "quiet",
  fits: "good",
  tight: "warn",
  thrashing: "bad",
};

// The tone of what is said of all of them.
export function worst(replicas: Replica[]): Tone {
  const fits = replicas.map((each) => each.working_set);
  return fits.includes("thrashing") ? "bad" : fits.includes("tight") ? "warn" : "good";
}

function Replicas({ replicas }: { replicas: Replica[] }) {
  const most = Math.max(1, ...replicas.map((each) => each.in_flight));
  const endpoints = new Set(replicas.map((each) => each.endpoint)).size;
  return (
    <Table label="Replicas" class="replicas">
      <thead>
        <tr>
          <th scope="col">Replica</th>
          <th scope="col">In flight</th>
          <th scope="col">Live contexts of KV capacity</th>
          <th scope="col" class="num">Conver­sations</th>
          <th scope="col" class="num">Placed</th>
          <th scope="col" class="num">Sticky</th>
          <th scope="col" class="num">Spilled in</th>
          <th scope="col" class="num">Pinned</th>
          <th scope="col" class="num">Running</th>
          <th scope="col" class="num">Waiting</th>
          <th scope="col">KV used</th>
          <th scope="col" class="num">Prefix hits, engine</th>
          <th scope="col" class="num">Cached, measured</th>
        </tr>
      </thead>
      <tbody>
        {replicas.map((replica) => (
          <tr key={replica.replica} class={replica.up ? "" : "down"}>
            <th scope="row">
              {replica.replica}
              <small>
                {endpoints > 1 ? `${replica.endpoint.replace(/^http:\/\//, "")} ` : ""}rank {replica.rank}
              </small>
              {!replica.up && <Badge tone="bad">down</Badge>}
            </th>
            <td>
              <Meter share={replica.in_flight / Math.max(most, replica.spill_threshold)} label="turns in flight">
                {count(replica.in_flight)}
              </Meter>
            </td>
            <td>
              <WorkingSet replica={replica} />
            </td>
            <td class="num">{count(replica.conversations)}</td>
            <td class="num">{count(replica.placed)}</td>
            <td class="num">{count(replica.sticky)}</td>
            <td class="num">{count(replica.spilled_in)}</td>
            <td class="num">{count(replica.client_pinned)}</td>
            <td class="num" title={age(replica)}>
              {count(replica.running)}
            </td>
            <td class="num" title={age(replica)}>
              {count(replica.waiting)}
            </td>
            <td>
              <Meter share={replica.kv_used} label={`KV blocks of running turns; ${age(replica)}`}>
                {percent(replica.kv_used)}
              </Meter>
            </td>
            <td class="num">{percent(replica.prefix_hit_rate)}</td>
            <td class="num">{percent(replica.cached_share)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function age(replica: Replica): string {
  return replica.reading_age_s === null ? "no reading yet" : `read ${duration(replica.reading_age_s)} ago`;
}

function WorkingSet({ replica }: { replica: Replica }) {
  const capacity = replica.kv_capacity_tokens;
  const tone = fitTone[replica.working_set];
  const share = capacity ? replica.live_context_tokens / capacity : null;
  return (
    <Meter share={share} tone={tone} label={plural(replica.live_conversations, "live conversation")}>
      {tokens(replica.live_context_tokens)} of {capacity ? tokens(capacity) : dash}{" "}
      {capacity && <Badge tone={tone}>{replica.working_set}</Badge>}
    </Meter>
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
