// One conversation: its last turns on a time-line by replica, what each should have found cached and what it found.
import { useEffect, useState } from "preact/hooks";
import { call, modelPath } from "../api";
import { count, duration, percent, signed, tokens, words } from "../format";
import { live } from "../live";
import { Badge, Empty, Figure, Section, Split, Table } from "../parts";
import { href } from "../route";
import type { ViewProps } from "../shell";
import type { Conversation as Data, TurnRecord } from "../types";
import { where } from "./prompt_breaks";
import { TurnLanes } from "./turn_lanes";
import { WhyThere } from "./why";

interface Answer {
  conversation: Data;
  turns: TurnRecord[];
}

// With the time at which its ages were right.
type Known = Answer & { at: number };

export function Conversation({ name, of }: ViewProps) {
  const [answer, set] = useState<Known | null>(null);
  const [error, setError] = useState("");
  const known = name !== null && of !== null ? live.conversations.get(name)?.byKey.get(of) : undefined;
  const changed = known ? `${known.turns} ${known.in_flight}` : "";
  useEffect(() => {
    if (name === null || of === null) return;
    call<Answer>("GET", modelPath(name, `conversations/${encodeURIComponent(of)}`)).then(
      (data) => {
        set({ ...data, at: Date.now() });
        setError("");
      },
      (failure: Error) => setError(failure.message),
    );
  }, [name, of, changed]);
  if (error) return <Empty>{error}</Empty>;
  if (!answer || name === null) return <Empty>Waiting for its turns…</Empty>;
  const { conversation: it, turns, at } = answer;
  const since = (Date.now() - at) / 1000;
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
          <Figure
            label="Saved, estimate"
            value={signed(it.estimated_saved_tokens)}
            note="tokens, against the engine’s balancer"
          />
          <Figure wide label="Known by" value={<span class="words">{words(it.source)}</span>} note={`session ${it.group.slice(0, 8)}`} />
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
        {turns.length === 0 ? (
          <Empty>None of its turns is among the last that are remembered.</Empty>
        ) : (
          <>
            <TurnLanes turns={turns} since={since} />
            <Turns turns={turns} since={since} />
          </>
        )}
        <p class="note">
          Expected: what the replica keeps of this conversation, at most the prompt. Cached: what the engine says it
          found. Saved: how much more that is than the engine’s own balancer would have found, an estimate. The last{" "}
          {count(4096)} turns of a model are remembered.
        </p>
      </Section>
    </>
  );
}

// `since`: seconds since their ages were right.
function Turns({ turns, since }: { turns: TurnRecord[]; since: number }) {
  const widest = Math.max(1, ...turns.map((turn) => turn.prompt_tokens ?? 0));
  return (
    <Table label="Turns, the latest first" class="turns">
      <thead>
        <tr>
          <th scope="col">Ended</th>
          <th scope="col">Replica</th>
          <th scope="col">Why there</th>
          <th scope="col">Prompt: cached, computed</th>
          <th scope="col" class="num">
            Expected
          </th>
          <th scope="col" class="num">
            Cached
          </th>
          <th scope="col" class="num">
            Saved, estimate
          </th>
          <th scope="col" class="num">
            First byte
          </th>
          <th scope="col" class="num">
            Took
          </th>
          <th scope="col" class="num">
            Generated
          </th>
          <th scope="col">Miss</th>
        </tr>
      </thead>
      <tbody>
        {turns.map((turn, i) => <Turn key={i} turn={turn} ago={turn.ended_s + since} widest={widest} />).toReversed()}
      </tbody>
    </Table>
  );
}

// A second row says why it went there.
function Turn({ turn, ago, widest }: { turn: TurnRecord; ago: number; widest: number }) {
  const [open, setOpen] = useState(false);
  const prompt = turn.prompt_tokens ?? 0;
  const cached = turn.cached_tokens;
  return (
    <>
      <tr>
        <th scope="row">{duration(ago)} ago</th>
        <td>{count(turn.replica)}</td>
        <td>
          <button type="button" class="unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
            {words(turn.outcome)}
            <span class="hidden">, why there</span>
          </button>
        </td>
        <td>
          <div class="meter">
            <span class="width" style={{ width: `${(8 * prompt) / widest}rem` }}>
              <Split cached={cached ?? 0} computed={prompt - (cached ?? 0)} />
            </span>
            <span class="meter-text">{tokens(turn.prompt_tokens)}</span>
          </div>
        </td>
        <td class="num">{tokens(turn.account?.expected_tokens)}</td>
        <td class="num">
          {tokens(cached)}
          {prompt && cached !== null ? ` (${percent(cached / prompt)})` : ""}
        </td>
        <td class="num">{signed(turn.counterfactual?.saved_tokens)}</td>
        <td class="num">{duration(turn.ttfb_s)}</td>
        <td class="num">{duration(turn.took_s)}</td>
        <td class="num">{tokens(turn.completion_tokens)}</td>
        <td class="miss">
          <Miss turn={turn} />
        </td>
      </tr>
      {open && (
        <tr class="unfolded">
          <td colSpan={11}>
            <WhyThere turn={turn} />
          </td>
        </tr>
      )}
    </>
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
