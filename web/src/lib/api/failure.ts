// What went wrong with a request, in the server's own words where it has any.

/** The server's code where it answered, else why there is no answer. */
export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    readonly code: string,
    message: string,
    /** The HTTP status; 0 without an answer. */
    readonly status: number,
    /** What else the server said, such as `offset` and `help` of a bad filter. */
    readonly more: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  /** Whether the same request may do better a moment later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  get needsToken(): boolean {
    return this.status === 401;
  }
}

/** Reads what is wrong from an answer that is not as asked for. */
export async function failureOf(answer: Response): Promise<Failure> {
  const text = await answer.text().catch(() => '');
  try {
    const { code, message, ...more } = (JSON.parse(text) as { error: Record<string, unknown> }).error;
    if (typeof code === 'string' && typeof message === 'string') return new Failure(code, message, answer.status, more);
  } catch {
    // What stands between us and the server may answer in its own way.
  }
  return new Failure('odd_answer', `The server answered ${answer.status} ${answer.statusText}`.trim(), answer.status);
}

/** Makes a failure of whatever was thrown. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof TypeError ? 'The server does not answer' : String(thrown);
  return new Failure('no_answer', message, 0);
}

export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}
