// One row a replica: its turns, what it holds of its KV capacity, and what the engine says of it.
import { count, dash, duration, percent, plural, tokens } from "../format";
import { Badge, Meter, Table, type Tone } from "../parts";
import type { Replica } from "../types";

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

export function Replicas({ replicas }: { replicas: Replica[] }) {
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
