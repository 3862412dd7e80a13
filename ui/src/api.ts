// Requests to the admin API that are not part of the live feed.
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const answer = await fetch(path, init);
  if (!answer.ok) throw new Error(await refusalOf(answer));
  return (await answer.json().catch(() => null)) as T;
}

// The status of an answer, and why it is an error. Nothing when none comes in time. A body of another is not awaited.
export async function look(method: string, path: string): Promise<{ status: number; refusal: string } | null> {
  const leave = new AbortController();
  const timer = setTimeout(() => leave.abort(), 3000);
  try {
    const answer = await fetch(path, { method, signal: leave.signal });
    return { status: answer.status, refusal: answer.ok ? "" : await refusalOf(answer) };
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    leave.abort();
  }
}

async function refusalOf(answer: Response): Promise<string> {
  const data = await answer.json().catch(() => null);
  return data?.error?.message ?? `the answer was ${answer.status}`;
}

export function modelPath(model: string, rest: string): string {
  return `/admin/api/models/${encodeURIComponent(model)}/${rest}`;
}
