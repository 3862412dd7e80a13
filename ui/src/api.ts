// Requests to the admin API that are not part of the live feed.
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const answer = await fetch(path, init);
  const data = await answer.json().catch(() => null);
  if (!answer.ok) throw new Error(data?.error?.message ?? `the answer was ${answer.status}`);
  return data as T;
}

export function modelPath(model: string, rest: string): string {
  return `/admin/api/models/${encodeURIComponent(model)}/${rest}`;
}
