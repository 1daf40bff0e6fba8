import { problemOf, unreachable } from "./problem";

/** `fetch`, but every way to fail is a Problem. An abort stays an AbortError. */
export async function send(url: URL | string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: "omit", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

export async function readJson<T>(url: URL | string, init: RequestInit = {}): Promise<T> {
  const response = await send(url, init);
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    // The answer was cut on its way.
    throw unreachable();
  }
}
