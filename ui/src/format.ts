// Numbers as people read them, with a no-break space before the unit. An unknown one is a dash.
export const dash = "–";

export function count(value: number | null | undefined): string {
  return value == null ? dash : Math.round(value).toLocaleString("en");
}

// Tokens: 850, 12.3k, 348k, 1.42M
export function tokens(value: number | null | undefined): string {
  if (value == null) return dash;
  if (value < 1000) return String(Math.round(value));
  if (value < 99_950) return `${(value / 1000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  if (value < 1e9) return `${(value / 1e6).toFixed(2)}M`;
  return `${(value / 1e9).toFixed(2)}G`;
}

export function signed(value: number | null | undefined): string {
  return value != null && value < 0 ? `−${tokens(-value)}` : tokens(value);
}

export function percent(share: number | null | undefined, decimals = 0): string {
  return share == null ? dash : `${(share * 100).toFixed(decimals)}\u00a0%`;
}

export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return dash;
  if (seconds < 1) return `${Math.round(seconds * 1000)}\u00a0ms`;
  if (seconds < 10) return `${seconds.toFixed(1)}\u00a0s`;
  if (seconds < 90) return `${Math.round(seconds)}\u00a0s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)}\u00a0min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)}\u00a0h`;
  return `${Math.round(seconds / 86_400)}\u00a0d`;
}

export function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

export function words(name: string): string {
  return name.replaceAll("_", " ").replaceAll("-", " ");
}

export function plural(n: number, one: string): string {
  return `${count(n)} ${one}${n === 1 ? "" : "s"}`;
}
