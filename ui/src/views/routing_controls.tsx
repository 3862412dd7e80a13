// What can be changed live of a model's routing, and what it comes to.
import { useEffect, useRef, useState } from "preact/hooks";
import { call, modelPath } from "../api";
import { count, dash, duration, percent, plural, signed } from "../format";
import { live } from "../live";
import { Figure, Problem } from "../parts";
import type { Routing as RoutingData, Totals } from "../types";

export function Controls({ routing }: { routing: RoutingData }) {
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
        <Figure label="Sticky" value={percent(totals.sticky_share, 1)} note={`${count(totals.spilled)} spilled, ${count(totals.rehomed)} got another home`} />
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
      <Problem why={error} what="Not changed" />
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
