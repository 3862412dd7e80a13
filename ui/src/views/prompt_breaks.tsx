// Where prompts of the same conversation first differ: behind that place everything is computed again.
import { count, duration, tokens } from "../format";
import { age, live } from "../live";
import { Badge, Empty, ModelTabs, Section, Table } from "../parts";
import type { ViewProps } from "../shell";
import type { Place, PromptBreak } from "../types";

export function PromptBreaks({ state, name }: ViewProps) {
  const model = state.models.find((each) => each.name === name)?.name ?? state.models[0]?.name;
  const known = model === undefined ? undefined : live.breaks.get(model);
  if (model === undefined || !known) return <Empty>No engine has been found yet.</Empty>;
  const dropped = state.routing.find((each) => each.model === model)?.billing_lines_dropped ?? 0;
  return (
    <>
      <ModelTabs models={state.models} view="prompt-breaks" current={model} />
      <Section title="Where prompts break">
        {known.list.length === 0 ? (
          <Empty>No prompt has changed before its end: each turn continued the one before it.</Empty>
        ) : (
          <Breaks list={known.list} at={known.at} />
        )}
        <p class="note">
          An agent sends its whole history with each turn. Where that history changes, the engine computes everything
          behind the change again. Prompts are remembered as hashes, never as text.
          {dropped > 0 && ` Billing lines taken out of Claude Code’s system prompt so far: ${count(dropped)}.`}
        </p>
      </Section>
    </>
  );
}

function Breaks({ list, at }: { list: PromptBreak[]; at: number }) {
  const most = Math.max(1, ...list.map((each) => each.lost_tokens_last_hour));
  return (
    <Table label="Prompt breaks" class="cards">
      <thead>
        <tr>
          <th scope="col">Where</th>
          <th scope="col">Client</th>
          <th scope="col">Lost in the last hour</th>
          <th scope="col">Lost in all</th>
          <th scope="col">Turns</th>
          <th scope="col">Last seen</th>
          <th scope="col">What it may be</th>
        </tr>
      </thead>
      <tbody>
        {list.map((each) => (
          <tr>
            <th scope="row">{where(each)}</th>
            <td data-label="Client">{each.client || <span class="quiet">unnamed</span>}</td>
            <td data-label="Lost in the last hour">
              <div class="meter">
                <span class="track" aria-hidden="true">
                  <span class="fill warn" style={{ width: `${(100 * each.lost_tokens_last_hour) / most}%` }} />
                </span>
                <span class="meter-text">{tokens(each.lost_tokens_last_hour)}</span>
              </div>
            </td>
            <td data-label="Lost in all">{tokens(each.lost_tokens)}</td>
            <td data-label="Turns">{count(each.turns)}</td>
            <td data-label="Last seen">{duration(age(each, at))}</td>
            <td class="text">{hint(each) ?? <Badge>unknown</Badge>}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function where(place: Place): string {
  const part = place.part === "message" ? `message ${(place.message ?? 0) + 1}` : place.part === "system" ? "system prompt" : "tools";
  return place.character === null ? `${part}, far in` : `${part}, character ${count(place.character)}`;
}

const near = 512; // characters: the head of a text

// The known causes, by client and place.
function hint(at: PromptBreak): string | null {
  const client = at.client.toLowerCase();
  const claude = client.startsWith("claude-cli") || client.startsWith("claude-code");
  const inHead = at.character !== null && at.character < near;
  if (at.part === "system" && claude && inHead)
    return "Claude Code’s billing line, which differs between sessions. edits.drop_billing takes it out; so does CLAUDE_CODE_ATTRIBUTION_HEADER=0.";
  if (at.part === "tools" && claude)
    return "Tool search adds tools in the middle of the list. ENABLE_TOOL_SEARCH=false sends all of them from the start.";
  if (at.part === "tools") return "The client’s list of tools has changed: an MCP server came or went, or a mode was switched.";
  if (at.part === "system")
    return "Something in the system prompt changes: often the date at midnight, or the state of the repository.";
  if (at.part === "message" && (at.message ?? 0) <= 2)
    return "The head of the history was replaced: a resume with a new date or environment block, or a compaction.";
  if (at.part === "message") return "The client rewrote its history: compaction, an edited turn, or a shortened tool result.";
  return null;
}
