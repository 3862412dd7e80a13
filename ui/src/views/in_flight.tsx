// The turns under way, and a way to cancel one.
import { useState } from "preact/hooks";
import { call } from "../api";
import { count, duration, plural, tokens, words } from "../format";
import { Badge, Empty, Problem, Section, Table } from "../parts";
import { href } from "../route";
import type { ViewProps } from "../shell";
import type { Held, TurnUnderWay } from "../types";

export function InFlight({ state }: ViewProps) {
  const turns = state.in_flight;
  const [error, setError] = useState("");
  const cancel = async (turn: TurnUnderWay) => {
    if (!confirm(`Cancel this turn of ${turn.client || "an unnamed client"}? Its client may send it again.`)) return;
    try {
      await call("POST", `/admin/api/in-flight/${turn.number}/cancel`, {});
      setError("");
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  const models = new Set(turns.map((turn) => turn.model)).size > 1 || state.models.length > 1;
  return (
    <Section title={plural(turns.length, "turn")}>
      <Problem why={error} what="Not cancelled" />
      {turns.length === 0 ? (
        <Empty>Nothing is running.</Empty>
      ) : (
        <Table label="Turns in flight" class="cards">
          <thead>
            <tr>
              <th scope="col">Conversation</th>
              {models && <th scope="col">Model</th>}
              <th scope="col">Client</th>
              <th scope="col">Phase</th>
              <th scope="col">Age</th>
              <th scope="col">Prompt, estimate</th>
              <th scope="col">Generated, estimate</th>
              <th scope="col">Replica</th>
              <th scope="col">Why there, or what it waits for</th>
              <th scope="col">
                <span class="hidden">Action</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {turns.map((turn) => (
              <tr key={turn.number}>
                <th scope="row">
                  {turn.conversation === null ? (
                    <span class="quiet">none</span>
                  ) : (
                    <a href={href("conversation", turn.model, turn.conversation)}>
                      <code>{turn.conversation.slice(0, 8)}</code>
                    </a>
                  )}
                </th>
                {models && <td data-label="Model">{turn.model}</td>}
                <td data-label="Client">{turn.client || <span class="quiet">unnamed</span>}</td>
                <td data-label="Phase">
                  <Badge tone={turn.phase === "held" ? "warn" : turn.phase === "streaming" ? "good" : "quiet"}>
                    {turn.phase}
                    {turn.held && ` · ${turn.held.position}`}
                  </Badge>
                </td>
                <td data-label="Age">{duration(turn.age_s)}</td>
                <td data-label="Prompt, estimate">{tokens(turn.prompt_tokens_estimate)}</td>
                <td data-label="Generated, estimate">{tokens(turn.content_events)}</td>
                <td data-label="Replica">{count(turn.held ? turn.held.replica : turn.replica)}</td>
                <td class="text" data-label={turn.held ? undefined : "Why there"}>
                  {turn.held ? <Waits held={turn.held} /> : turn.outcome === null ? "–" : words(turn.outcome)}
                </td>
                <td>
                  <button type="button" class="small" onClick={() => cancel(turn)}>
                    Cancel
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <p class="note">
        Held: it waits for room in the KV cache; the number is its place in the queue. Prefill: sent to the engine, and no content has come yet (the engine may have it in its queue). Prompt: tokens, by its
        size. Generated: events of the answer that have passed, about a token each. A cancelled turn
        frees its slot in the engine at once; a client whose answer had not begun is told, one in the middle of an answer
        is cut off.
      </p>
    </Section>
  );
}

function Waits({ held }: { held: Held }) {
  const places = held.places_running + held.places_pausing;
  const wait = held.expected_wait_ms === null ? "" : ` About ${duration(held.expected_wait_ms / 1000)} more.`;
  if (held.replica === null) return <>No replica is up.</>;
  return (
    <>
      Needs {tokens(held.needs_tokens)}, and {tokens(Math.max(0, held.room_tokens))} are left beside{" "}
      {plural(places, "conversation")} that hold the room ({count(held.places_running)} running,{" "}
      {count(held.places_pausing)} pausing).{wait}
    </>
  );
}
