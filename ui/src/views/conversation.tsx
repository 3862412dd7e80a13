// One conversation: its last turns on a time-line by replica, what each should have found cached and what it found.
import { useEffect, useState } from "preact/hooks";
import { call, modelPath } from "../api";
import { count, duration, percent, tokens, words } from "../format";
import { live } from "../live";
import { Badge, Empty, Figure, Section, Split, Table } from "../parts";
import { href } from "../route";
import type { ViewProps } from "../shell";
import type { Conversation as Data, TurnRecord } from "../types";
import { where } from "./prompt_breaks";

interface Answer {
  conversation: Data;
  turns: TurnRecord[];
}

export function Conversation({ name, of }: ViewProps) {
  const [answer, set] = useState<Answer | null>(null);
  const [error, setError] = useState("");
  const known = name !== null && of !== null ? live.conversations.get(name)?.byKey.get(of) : undefined;
  const changed = known ? `${known.turns} ${known.in_flight}` : "";
  useEffect(() => {
    if (name === null || of === null) return;
    call<Answer>("GET", modelPath(name, `conversations/${encodeURIComponent(of)}`)).then(
      (data) => {
        set(data);
        setError("");
      },
      (failure: Error) => setError(failure.message),
    );
  }, [name, of, changed]);
  if (error) return <Empty>{error}</Empty>;
  if (!answer || name === null) return <Empty>Waiting for its turns…</Empty>;
  const { conversation: it, turns } = answer;
  return (
    <>
      <p>
        <a href={href("conversations", name)}>All conversations</a>
      </p>
      <Section title={it.key} aside={it.in_flight > 0 ? <Badge tone="good">running</Badge> : <Badge>idle</Badge>}>
        <dl class="figures">
          <Figure label="Home" value={`replica ${it.home}`} />
          <Figure label="Turns" value={count(it.turns)} />
          <Figure label="Context" value={tokens(it.context_tokens)} note="what the next turn would find" />
          <Figure label="Known by" value={<span class="words">{words(it.source)}</span>} note={`session ${it.group.slice(0, 8)}`} />
          {it.parent !== null && (
            <Figure
              label="Parent"
              value={
                <a href={href("conversation", name, it.parent)}>
                  <code>{it.parent.slice(0, 8)}</code>
                </a>
              }
            />
          )}
        </dl>
        {turns.length === 0 ? <Empty>None of its turns is among the last that are remembered.</Empty> : <Turns turns={turns} />}
        <p class="note">
          Expected: what the replica keeps of this conversation, at most the prompt. Cached: what the engine says it
          found. The last {count(4096)} turns of a model are remembered.
        </p>
      </Section>
    </>
  );
}

function Turns({ turns }: { turns: TurnRecord[] }) {
  const widest = Math.max(1, ...turns.map((turn) => turn.prompt_tokens ?? 0));
  return (
    <Table label="Turns, the latest first">
      <thead>
        <tr>
          <th scope="col">Ended</th>
          <th scope="col">Replica</th>
          <th scope="col">Why there</th>
          <th scope="col">Prompt: cached, computed</th>
          <th scope="col">Expected</th>
          <th scope="col">Cached</th>
          <th scope="col">First byte</th>
          <th scope="col">Took</th>
          <th scope="col">Generated</th>
          <th scope="col">Miss</th>
        </tr>
      </thead>
      <tbody>
        {turns.toReversed().map((turn) => (
          <tr>
            <th scope="row">{duration(turn.ended_s)} ago</th>
            <td>{count(turn.replica)}</td>
            <td>{words(turn.outcome)}</td>
            <td>
              <div class="meter">
                <span class="width" style={{ width: `${(8 * (turn.prompt_tokens ?? 0)) / widest}rem` }}>
                  <Split cached={turn.cached_tokens ?? 0} computed={(turn.prompt_tokens ?? 0) - (turn.cached_tokens ?? 0)} />
                </span>
                <span class="meter-text">{tokens(turn.prompt_tokens)}</span>
              </div>
            </td>
            <td>{tokens(turn.account?.expected_tokens)}</td>
            <td>
              {tokens(turn.cached_tokens)}
              {turn.prompt_tokens && turn.cached_tokens !== null
                ? ` (${percent(turn.cached_tokens / turn.prompt_tokens)})`
                : ""}
            </td>
            <td>{duration(turn.ttfb_s)}</td>
            <td>{duration(turn.took_s)}</td>
            <td>{tokens(turn.completion_tokens)}</td>
            <td class="miss">
              <Miss turn={turn} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Miss({ turn }: { turn: TurnRecord }) {
  if (turn.end !== "answered") return <Badge tone="bad">{turn.end}</Badge>;
  const account = turn.account;
  if (!account || account.miss === "none") return <span class="quiet">none</span>;
  if (["first_turn", "unmeasured"].includes(account.miss)) return <span class="quiet">{words(account.miss)}</span>;
  return (
    <>
      <Badge tone="warn">{words(account.miss)}</Badge> <small>{tokens(account.lost_tokens)} computed again</small>
      {account.changed_at && <small> · {where(account.changed_at)}</small>}
    </>
  );
}
