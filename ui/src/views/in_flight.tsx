// The turns under way, and a way to cancel one.
import { useState } from "preact/hooks";
import { call } from "../api";
import { count, duration, plural, words } from "../format";
import { Badge, Empty, Section, Table } from "../parts";
import { href } from "../route";
import type { ViewProps } from "../shell";
import type { TurnUnderWay } from "../types";

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
  const held = turns.filter((turn) => turn.phase === "held").length;
  const waits = state.routing.map((each) => each.totals.expected_wait_s).filter((each) => each !== null);
  const models = new Set(turns.map((turn) => turn.model)).size > 1 || state.models.length > 1;
  return (
    <Section title={plural(turns.length, "turn")}>
      {error && (
        <p class="error" role="alert">
          Not cancelled: {error}
        </p>
      )}
      {held > 0 && (
        <p class="advice warn">
          {plural(held, "turn")} held until conversations that are under way leave room in the KV cache
          {waits.length > 0 && `, for about ${duration(Math.max(...waits))}`}. See{" "}
          <a href={href("routing")}>Routing</a> for what fills it.
        </p>
      )}
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
              <th scope="col">Replica</th>
              <th scope="col">Why there</th>
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
                  </Badge>
                </td>
                <td data-label="Age">{duration(turn.age_s)}</td>
                <td data-label="Replica">{count(turn.replica)}</td>
                <td data-label="Why there">{turn.outcome === null ? "–" : words(turn.outcome)}</td>
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
        Prefill: sent to the engine, and no content has come yet (the engine may have it in its queue). A cancelled turn
        frees its slot in the engine at once; a client whose answer had not begun is told, one in the middle of an answer
        is cut off.
      </p>
    </Section>
  );
}
