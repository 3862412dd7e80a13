// The order of the list of conversations.
import type { Known } from "./live";

export interface Row {
  it: Known;
  depth: number;
}

const seen = (it: Known) => it.at / 1000 - it.last_seen_s; // when, in seconds
const cached = (it: Known) =>
  it.last_prompt_tokens ? (it.last_cached_tokens ?? 0) / it.last_prompt_tokens : Number.POSITIVE_INFINITY;

export const orders = {
  tree: { title: "sub-agents under their parent", by: (it: Known) => -seen(it) },
  recent: { title: "last seen", by: (it: Known) => -seen(it) },
  context: { title: "largest context", by: (it: Known) => -(it.context_tokens ?? 0) },
  cached: { title: "least cached", by: cached },
  turns: { title: "most turns", by: (it: Known) => -it.turns },
  home: { title: "home", by: (it: Known) => it.home },
};
export type Order = keyof typeof orders;

export function arrange(all: Known[], order: Order): Row[] {
  const { by } = orders[order];
  const rank = new Map(all.map((it) => [it.key, by(it)]));
  const compare = (a: Known, b: Known) => rank.get(a.key)! - rank.get(b.key)!;
  if (order !== "tree") return all.sort(compare).map((it) => ({ it, depth: 0 }));
  const children = new Map<string, Known[]>();
  const roots: Known[] = [];
  const here = new Set(all.map((it) => it.key));
  for (const it of all) {
    const parent = it.parent !== null && it.parent !== it.key && here.has(it.parent) ? it.parent : null;
    if (parent === null) roots.push(it);
    else (children.get(parent) ?? children.set(parent, []).get(parent)!).push(it);
  }
  // A family stands where its latest member would.
  const latest = (it: Known, depth = 0): number =>
    Math.min(rank.get(it.key)!, ...(depth > 8 ? [] : (children.get(it.key) ?? []).map((c) => latest(c, depth + 1))));
  const families = new Map(roots.map((it) => [it.key, latest(it)]));
  roots.sort((a, b) => families.get(a.key)! - families.get(b.key)!);
  const rows: Row[] = [];
  const add = (it: Known, depth: number) => {
    rows.push({ it, depth });
    for (const child of (children.get(it.key) ?? []).sort(compare)) add(child, depth + 1);
  };
  for (const root of roots) add(root, 0);
  return rows;
}
