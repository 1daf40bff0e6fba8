/** A refusal or failure in words the person can read. Status 0: the server could not be reached. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly nextStep = "",
    readonly retryable = false,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }

  /** The same request may work a little later, so nobody needs to be told yet. */
  get passing(): boolean {
    return this.unreachable || this.retryable || [429, 502, 503, 504].includes(this.status);
  }

  get unreachable(): boolean {
    return this.status === 0;
  }

  get signedOut(): boolean {
    return this.status === 401;
  }
}

export function unreachable(): Problem {
  return new Problem(0, "unreachable", "The server cannot be reached.", "Check your connection.", true);
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(-1, "unexpected", "Something went wrong in this page.", "Try again, or reload the page.");
}

/** Reads the contract's error shape; a gateway's own page or an empty body still gives a plain line. */
export async function problemOf(response: Response): Promise<Problem> {
  const seconds = Number(response.headers.get("retry-after"));
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
  const { error } = await response.json().then(errorOf, () => ({ error: null }));
  if (error) {
    return new Problem(
      response.status,
      text(error.code) || "refused",
      text(error.message) || plainLine(response.status),
      text(error.nextStep),
      error.retryable === true,
      retryAfterMs,
    );
  }
  return new Problem(response.status, "refused", plainLine(response.status), "", false, retryAfterMs);
}

function errorOf(body: unknown): { error: Record<string, unknown> | null } {
  const error = body && typeof body === "object" && "error" in body ? body.error : null;
  return { error: error && typeof error === "object" ? (error as Record<string, unknown>) : null };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function plainLine(status: number): string {
  if (status === 401) return "You are signed out.";
  if (status === 404) return "This conversation was not found.";
  if (status === 429) return "That was a lot at once. Please wait a moment.";
  if (status >= 500) return "The server has a problem right now.";
  return `The server refused this (${status}).`;
}
