// The conversations of a model, as a tree of agents and their sub-agents, or as a sorted list.
import { Component } from "preact";
import { useMemo, useState } from "preact/hooks";
import { count, duration, percent, tokens, words } from "../format";
import { type Known, age, live } from "../live";
import { Badge, Empty, ModelTabs, Section, Spark, Split, Table } from "../parts";
import { href } from "../route";
import type { ViewProps } from "../shell";
import { type Order, type Row, arrange, orders } from "../tree";
import { useRowsOnScreen } from "../window";

export function Conversations({ state, name }: ViewProps) {
  const model = state.models.find((each) => each.name === name)?.name ?? state.models[0]?.name;
  const [order, setOrder] = useState<Order>("tree");
  const [search, setSearch] = useState("");
  const [only, setOnly] = useState("all");
  const known = model === undefined ? undefined : live.conversations.get(model);
  const held = new Set(state.in_flight.filter((turn) => turn.phase === "held").map((turn) => turn.conversation));
  const rows = useMemo(
    () => (known ? arrange([...known.byKey.values()].filter((each) => fits(each, search, only)), order) : []),
    [known?.changes, model, order, search, only],
  );
  if (model === undefined || !known) return <Empty>No engine has been found yet.</Empty>;
  return (
    <>
      <ModelTabs models={state.models} view="conversations" current={model} />
      <Section title={`${count(rows.length)} of ${count(known.total)}`}>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <label>
            Search
            <input
              type="search"
              placeholder="key, session, client"
              value={search}
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
          </label>
          <label>
            Show
            <select value={only} onChange={(event) => setOnly(event.currentTarget.value)}>
              <option value="all">all</option>
              <option value="running">running</option>
              <option value="missed">last turn missed</option>
            </select>
          </label>
          <label>
            Order
            <select value={order} onChange={(event) => setOrder(event.currentTarget.value as Order)}>
              {Object.entries(orders).map(([id, { title }]) => (
                <option value={id}>{title}</option>
              ))}
            </select>
          </label>
        </form>
        {rows.length === 0 ? (
          <Empty>{known.total === 0 ? "No conversation yet." : "None of them matches."}</Empty>
        ) : (
          <List rows={rows} model={model} held={held} />
        )}
        <p class="note">
          Keys are keyed hashes of the ids that clients send, new with each start of LM Warden. No text of a prompt is
          kept.
        </p>
      </Section>
    </>
  );
}

function fits(each: Known, search: string, only: string): boolean {
  if (only === "running" && each.in_flight === 0) return false;
  if (only === "missed" && !missed(each)) return false;
  const wanted = search.trim().toLowerCase();
  if (!wanted) return true;
  return [each.key, each.group, each.source, `replica ${each.home}`].some((text) => text.includes(wanted));
}

function missed(each: Known): boolean {
  return !!each.last_turn && !["none", "first_turn", "unmeasured"].includes(each.last_turn.miss);
}

function List({ rows, model, held }: { rows: Row[]; model: string; held: Set<string | null> }) {
  const { box, from, to, style } = useRowsOnScreen(rows.length);
  return (
    <div ref={box} style={style}>
    <Table label="Conversations" class="conversations" rows={rows.length + 1}>
      <thead>
        <tr>
          <th scope="col">Conversation</th>
          <th scope="col">Known by</th>
          <th scope="col" class="num">Home</th>
          <th scope="col" class="num">Turns</th>
          <th scope="col" class="num">Context</th>
          <th scope="col">Last turn cached</th>
          <th scope="col">Last turns</th>
          <th scope="col">Miss</th>
          <th scope="col" class="num">Last seen</th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(from, to).map((row, i) => (
          <Line
            key={row.it.key}
            number={from + i + 2}
            it={row.it}
            depth={row.depth}
            model={model}
            held={held.has(row.it.key)}
            seen={duration(age(row.it, row.it.at))}
          />
        ))}
      </tbody>
    </Table>
    </div>
  );
}

interface LineProps {
  number: number; // of the row, the one of the titles counted
  it: Known;
  depth: number;
  model: string;
  held: boolean; // a turn of it waits for room
  seen: string;
}

// Only lines that have changed are drawn anew.
class Line extends Component<LineProps> {
  override shouldComponentUpdate(next: LineProps) {
    return (Object.keys(next) as (keyof LineProps)[]).some((name) => next[name] !== this.props[name]);
  }

  override render({ number, it, depth, model, held, seen }: LineProps) {
    return (
      <tr aria-rowindex={number}>
        <th scope="row">
          <span style={{ paddingLeft: `${Math.min(depth, 5) * 1.1}rem` }} class={depth ? "child" : ""}>
            <a href={href("conversation", model, it.key)}>
              <code>{it.key.slice(0, 8)}</code>
            </a>
            {depth > 0 && <span class="hidden">, sub-agent at depth {depth}</span>}{" "}
            {it.in_flight > 0 && <Badge tone="good">running{it.in_flight > 1 ? ` ${it.in_flight}` : ""}</Badge>}
            {held && <Badge tone="warn">held</Badge>}
          </span>
        </th>
        <td>{it.source === "none" ? "–" : words(it.source)}</td>
        <td class="num">{it.home}</td>
        <td class="num">{count(it.turns)}</td>
        <td class="num">{tokens(it.context_tokens)}</td>
        <td>
          <LastTurn it={it} />
        </td>
        <td>
          <Spark percents={it.cached_percents} />
        </td>
        <td>{missed(it) ? <Badge tone="warn">{words(it.last_turn!.miss)}</Badge> : <Quiet of={it} />}</td>
        <td class="num">{seen}</td>
      </tr>
    );
  }
}

function LastTurn({ it: { last_prompt_tokens: prompt, last_cached_tokens: cached } }: { it: Known }) {
  if (prompt === null || cached === null) return <span class="quiet">{prompt === null ? "–" : "unmeasured"}</span>;
  return (
    <div class="meter">
      <Split cached={cached} computed={prompt - cached} />
      <span class="meter-text">
        {percent(prompt ? cached / prompt : null)} of {tokens(prompt)}
      </span>
    </div>
  );
}

function Quiet({ of }: { of: Known }) {
  const miss = of.last_turn?.miss;
  return <span class="quiet">{miss === "first_turn" ? "first turn" : miss === "none" ? "none" : "–"}</span>;
}
