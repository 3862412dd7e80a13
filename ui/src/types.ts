// The values of the admin API, as docs/admin-api.md documents them. What is not known is null.

export interface Tokens {
  measured_turns: number;
  unmeasured_turns: number;
  prompt_tokens: number;
  cached_tokens: number;
  computed_tokens: number;
  completion_tokens: number;
  cached_share: number | null;
}

export interface Replica extends Tokens {
  replica: number;
  endpoint: string;
  rank: number;
  up: boolean;
  in_flight: number;
  conversations: number;
  places: number;
  recent_conversations: number;
  placed: number;
  sticky: number;
  rehomed: number;
  client_pinned: number;
  balanced: number;
  side: number;
  unrouted: number;
  spilled_in: number;
  spilled_away: number;
  spill_threshold: number;
  kv_capacity_tokens: number | null;
  max_num_seqs: number | null;
  running: number | null;
  waiting: number | null;
  kv_used: number | null;
  prefix_hit_rate: number | null;
  reading_age_s: number | null;
  live_conversations: number;
  live_context_tokens: number;
  working_set: "unknown" | "fits" | "tight" | "thrashing";
}

export interface Totals extends Tokens {
  in_flight: number;
  held: number;
  held_total: number;
  expected_wait_s: number | null;
  conversations: number;
  placed: number;
  sticky: number;
  rehomed: number;
  spilled: number;
  client_pinned: number;
  balanced: number;
  side: number;
  unrouted: number;
  passed: number;
  not_followed: number;
  sticky_share: number | null;
  answered: number;
  cancelled: number;
  failed: number;
  moved: number;
  misses: Record<string, { turns: number; lost_tokens: number }>;
  counterfactual: Saving | null;
}

// What the engine's own balancer would have come to: an estimate. Of turns that are not the first of theirs.
export interface Saving {
  turns: number;
  own_cached_tokens: number;
  cached_tokens: number;
  saved_tokens: number;
}

export interface Routing {
  model: string;
  affinity: boolean;
  rule: "places" | "affinity" | "off";
  admission: "auto" | "on" | "off";
  wait_share: number;
  spill_threshold: number | null;
  spill_threshold_source: "set" | "auto";
  counting_since: string;
  billing_lines_dropped: number;
  advice: string;
  totals: Totals;
  replicas: Replica[];
}

export interface Model {
  name: string;
  aliases: string[];
  served: { id: string; max_model_len: number | null; adapter: boolean }[];
  replicas: number;
  replicas_up: number;
}

export interface Finding {
  severity: "ok" | "note" | "warning" | "problem";
  topic: string;
  text: string;
  advice: string;
  source: string; // a path of the engine, or a word
}

export interface Engine {
  name: string;
  url: string;
  up: boolean;
  last_error: string;
  scrape_age_s: number | null;
  version: string | null;
  ranks: number | null;
  model: string | null;
  model_source: string | null;
  findings: Finding[];
}

export interface Place {
  part: "system" | "tools" | "message";
  message: number | null;
  character: number | null;
}

export interface Account {
  expected_tokens: number | null;
  lost_tokens: number;
  miss: string;
  changed_at: Place | null;
}

export interface Conversation {
  key: string;
  group: string;
  parent: string | null;
  source: string;
  home: number;
  endpoint: string;
  rank: number;
  turns: number;
  in_flight: number;
  context_tokens: number | null;
  last_prompt_tokens: number | null;
  last_cached_tokens: number | null;
  cached_percents: (number | null)[]; // of its last turns
  estimated_saved_tokens: number;
  last_turn: Account | null;
  last_seen_s: number;
}

export interface PromptBreak extends Place {
  client: string;
  turns: number;
  lost_tokens: number;
  lost_tokens_last_hour: number;
  last_seen_s: number;
}

export interface TurnUnderWay {
  number: number;
  model: string;
  conversation: string | null;
  client: string;
  phase: "held" | "prefill" | "streaming";
  age_s: number;
  prompt_tokens_estimate: number | null;
  content_events: number | null; // so far; null of one that is not streamed
  held: Held | null; // null of one that does not wait
  outcome: string | null; // of a held one not known yet
  replica: number | null;
}

// What a held turn waits for.
export interface Held {
  position: number;
  expected_wait_ms: number | null;
  replica: number | null;
  needs_tokens: number;
  room_tokens: number;
  places_running: number;
  places_pausing: number;
}

export interface TurnRecord {
  outcome: string;
  end: "answered" | "cancelled" | "failed";
  endpoint: string;
  replica: number | null;
  ended_s: number; // ago
  took_s: number;
  ttfb_s: number | null;
  prompt_tokens: number | null;
  cached_tokens: number | null;
  completion_tokens: number | null;
  account: Account | null;
  why: Why;
  counterfactual: { replica: number; cached_tokens: number; saved_tokens: number } | null;
}

// What was known when a turn was decided.
export interface Why {
  source: string;
  home: number | null;
  spill_threshold: number | null;
  rule: "places" | "affinity";
  held_s: number | null;
  replicas: number;
  loads: Load[];
}

export interface Load {
  replica: number;
  in_flight: number;
  kv_used: number | null;
  recent_conversations: number;
  load: number;
}

export interface State {
  version: string;
  models: Model[];
  engines: Engine[];
  routing: Routing[];
  in_flight: TurnUnderWay[];
}
