// What the live feed has told, and whether it still tells. Views read it by useLive().
import { useEffect, useReducer } from "preact/hooks";
import { look } from "./api";
import type { Conversation, PromptBreak, Routing, State } from "./types";

// A conversation with the time at which its ages were right.
export type Known = Conversation & { at: number };

export interface Conversations {
  changes: number; // how often they have changed
  total: number;
  byKey: Map<string, Known>; // the one seen longest ago first
}

const most = 5000; // conversations of a model: the feed tells no more, and not which of them are forgotten

const silence = 5000; // ms without an event: the feed is lost, whatever the socket says
const patience = 10_000; // ms without one: it is opened anew where the gateway answers

class Live {
  state: State | null = null;
  conversations = new Map<string, Conversations>(); // by model
  breaks = new Map<string, { list: PromptBreak[]; at: number }>();
  lastEvent = 0; // ms
  stale = false;
  locked = false; // the admin token is asked for
  refusal = ""; // why the feed is not given

  private source: EventSource | null = null;
  private opened = 0; // ms
  private looking = false;
  private listeners = new Set<() => void>();

  start() {
    this.connect();
    setInterval(() => this.watch(), 1000);
  }

  subscribe(listener: () => void) {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  // The answer to a change comes sooner than the next event.
  setRouting(routing: Routing) {
    if (!this.state) return;
    const all = this.state.routing.map((each) => (each.model === routing.model ? routing : each));
    this.state = { ...this.state, routing: all };
    this.tell();
  }

  unlock() {
    this.locked = false;
    this.connect();
    this.tell();
  }

  private connect() {
    this.source?.close();
    const source = new EventSource("/admin/api/live");
    this.source = source;
    this.opened = Date.now();
    const on = (name: string, take: (data: any) => void) =>
      source.addEventListener(name, (event) => {
        take(JSON.parse((event as MessageEvent<string>).data));
        this.lastEvent = Date.now();
        this.stale = false;
        this.refusal = "";
      });
    on("conversations", (data) => this.takeConversations(data));
    on("prompt_breaks", (data) => this.breaks.set(data.model, { list: data.prompt_breaks, at: Date.now() }));
    on("state", (data: State) => {
      this.state = data;
      queueMicrotask(() => this.tell());
    });
    source.onerror = () => this.lost();
  }

  private takeConversations(data: { model: string; reset: boolean; total: number; conversations: Conversation[] }) {
    const at = Date.now();
    const old = this.conversations.get(data.model);
    const byKey = data.reset || !old ? new Map<string, Known>() : old.byKey;
    for (const each of data.conversations.toReversed()) {
      byKey.delete(each.key);
      byKey.set(each.key, { ...each, at });
    }
    for (const key of byKey.keys()) {
      if (byKey.size <= most) break;
      byKey.delete(key);
    }
    this.conversations.set(data.model, { changes: (old?.changes ?? 0) + 1, total: data.total, byKey });
  }

  private async lost() {
    if (!this.stale && this.lastEvent) {
      this.stale = true;
      this.tell();
    }
    if (this.looking || this.locked) return;
    this.looking = true;
    // An event source does not say why it was refused.
    const refused = this.source?.readyState === EventSource.CLOSED;
    const seen = await (refused ? look("GET", "/admin/api/live") : look("HEAD", "/admin/api/models"));
    this.looking = false;
    if (seen?.status === 401) {
      this.locked = true;
      this.source?.close();
    } else if (!refused && seen?.status === 200 && this.silent() > patience) {
      this.connect();
    }
    this.refusal = (refused && !this.locked && seen?.refusal) || "";
    this.tell();
  }

  // How long nothing has come, in ms.
  private silent() {
    return Date.now() - Math.max(this.lastEvent, this.opened);
  }

  private watch() {
    if (this.silent() > silence) this.lost();
    // The browser gives up on some errors; we don't.
    if (this.source?.readyState === EventSource.CLOSED && !this.locked) this.connect();
  }

  private tell() {
    for (const listener of this.listeners) listener();
  }
}

export const live = new Live();

export function useLive(): Live {
  const [, redraw] = useReducer((n: number, _: void) => n + 1, 0);
  useEffect(() => live.subscribe(() => redraw()), []);
  return live;
}

export function age(of: { last_seen_s: number }, at: number): number {
  return of.last_seen_s + (Date.now() - at) / 1000;
}
