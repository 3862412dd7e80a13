// The whole box at a glance.
import { count, dash, percent, plural, signed, tokens } from "../format";
import { Badge, Empty, Figure, Section, Split, Table } from "../parts";
import { href } from "../route";
import type { ViewProps } from "../shell";
import { Stats } from "./stats";
import type { Model, Routing, Saving, State } from "../types";

export function Overview({ state }: ViewProps) {
  if (state.routing.length === 0) return <NoModel state={state} />;
  return (
    <>
      <Box routing={state.routing} />
      <Section title="Models">
        <Table label="Models">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Replicas up</th>
              <th scope="col">In flight</th>
              <th scope="col">Conversations</th>
              <th scope="col">Sticky</th>
              <th scope="col">Prompt tokens: cached, computed</th>
            </tr>
          </thead>
          <tbody>
            {state.routing.map((routing) => (
              <ModelRow routing={routing} model={state.models.find((each) => each.name === routing.model)} />
            ))}
          </tbody>
        </Table>
        <Advice routing={state.routing} />
      </Section>
      <Stats models={state.routing.map((each) => each.model)} />
    </>
  );
}

function Box({ routing }: { routing: Routing[] }) {
  const sum = (of: (each: Routing) => number) => routing.reduce((all, each) => all + of(each), 0);
  const prompt = sum((each) => each.totals.prompt_tokens);
  const cached = sum((each) => each.totals.cached_tokens);
  const unmeasured = sum((each) => each.totals.unmeasured_turns);
  const turns = sum((each) => each.totals.answered);
  return (
    <dl class="figures">
      <Figure
        label="Cache hit"
        value={percent(prompt ? cached / prompt : null)}
        note={`of prompt tokens, since the start${unmeasured ? `; ${plural(unmeasured, "turn")} unmeasured, counted as computed` : ""}`}
      />
      <Figure
        label="In flight"
        value={count(sum((each) => each.totals.in_flight))}
        note={`turns, and ${count(sum((each) => each.totals.held))} held`}
      />
      <Figure label="Conversations" value={count(sum((each) => each.totals.conversations))} note="with a home" />
      <Figure label="Prompt" value={tokens(prompt)} note={`${tokens(cached)} cached`} />
      <Figure label="Completion" value={tokens(sum((each) => each.totals.completion_tokens))} note="tokens" />
      <Saved all={routing.map((each) => each.totals.counterfactual)} />
      <Figure
        label="Answered"
        value={count(turns)}
        note={`${count(sum((each) => each.totals.failed))} failed, ${count(sum((each) => each.totals.cancelled))} cancelled`}
      />
    </dl>
  );
}

function Saved({ all }: { all: (Saving | null)[] }) {
  const known = all.filter((each) => each !== null);
  const saved = known.reduce((sum, each) => sum + each.saved_tokens, 0);
  return (
    <Figure
      label="Saved, estimate"
      value={known.length ? signed(saved) : dash}
      note="prompt tokens, against the engine’s balancer"
    />
  );
}

function ModelRow({ routing, model }: { routing: Routing; model: Model | undefined }) {
  const { totals } = routing;
  const down = model ? model.replicas - model.replicas_up : 0;
  return (
    <tr>
      <th scope="row">
        <a href={href("routing", routing.model)}>{routing.model}</a>{" "}
        {!routing.affinity && <Badge tone="warn">affinity off</Badge>}
      </th>
      <td>
        {model ? `${model.replicas_up} of ${model.replicas}` : "–"} {down > 0 && <Badge tone="bad">{down} down</Badge>}
      </td>
      <td>
        {count(totals.in_flight)} {totals.held > 0 && <Badge tone="warn">{count(totals.held)} held</Badge>}
      </td>
      <td>{count(totals.conversations)}</td>
      <td>{percent(totals.sticky_share, 1)}</td>
      <td>
        <div class="meter">
          <Split cached={totals.cached_tokens} computed={totals.computed_tokens} />
          <span class="meter-text">
            {tokens(totals.cached_tokens)}, {tokens(totals.computed_tokens)} · {percent(totals.cached_share)}
          </span>
        </div>
      </td>
    </tr>
  );
}

function Advice({ routing }: { routing: Routing[] }) {
  const worth = routing.filter((each) => each.replicas.some((r) => r.working_set === "thrashing"));
  return (
    <>
      {worth.map((each) => (
        <p class="advice bad">
          <b>{each.model}</b> {each.advice}
        </p>
      ))}
    </>
  );
}

function NoModel({ state }: { state: State }) {
  return (
    <Empty>
      No engine has been found yet; LM Warden keeps looking for{" "}
      {state.engines.map((engine) => engine.url).join(", ") || "engines (none is configured)"}. See{" "}
      <a href={href("engines")}>Engines</a>.
    </Empty>
  );
}
