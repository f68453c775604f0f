/** `retryable`: whether trying again can help; false when absent. */
export interface NotifierErrorOptions {
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/**
 * Base of every error of this project. `code` is stable, for programs; the message tells people what failed, with
 * which value, and how to mend it. Never carries a token or the contents of a record.
 */
export class NotifierError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, options: NotifierErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/**
 * For logs: the code of a `NotifierError`, otherwise the name of the error and where it was thrown. The message of an
 * unexpected error is left out, since it may quote a record or a secret.
 */
export function describeFailure(error: unknown): string {
  if (error instanceof NotifierError) return error.code;
  if (!(error instanceof Error)) return 'unexpected';
  return `${error.name} ${error.stack?.match(/^[ \t]+at .+$/m)?.[0].trim() ?? ''}`.trim();
}

/** `timeout`, or the system's code such as `ECONNREFUSED`, from the innermost cause that has one. */
export function findErrorCode(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  let code = 'connection broken';
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if ('code' in at && typeof at.code === 'string') code = at.code;
  return code;
}

/** Why a request to the source failed: docs/source-api.md, Status codes, and what a network adds to them. */
export const SOURCE_ERROR_CODES = [
  'source_bad_request', // 400, 422
  'source_unauthorised', // 401 after one refresh of the token, or no token can be obtained
  'source_forbidden', // 403
  'source_not_found', // 404 of something that must exist
  'source_conflict', // 409
  'source_throttled', // 429 after the retry budget
  'source_failed', // 5xx after the retry budget
  'source_unreachable', // no connection, reset, timeout
  'source_bad_response', // 200 with HTML, an empty or cut body, another shape
  'source_redirected', // a redirect or nextPage to another host
  'source_too_large', // headers or a body beyond a bound: of bytes, of values
] as const;
export type SourceErrorCode = (typeof SOURCE_ERROR_CODES)[number];

export interface SourceErrorOptions extends NotifierErrorOptions {
  readonly status?: number;
  readonly said?: string;
}

/** A request to the source failed. `status` is the HTTP status, or null when there was none. */
export class SourceError extends NotifierError {
  declare readonly code: SourceErrorCode;
  readonly status: number | null;
  /** Private, so that no logger, `JSON.stringify` or `console` shows it. */
  readonly #said: string | null;

  constructor(code: SourceErrorCode, message: string, options: SourceErrorOptions = {}) {
    super(code, message, options);
    this.status = options.status ?? null;
    this.#said = options.said ?? null;
  }

  /**
   * The beginning of the source's answer, secrets masked; it may name people. Only for a person at a terminal: never
   * for a log, a reason, an event or a report.
   */
  get said(): string | null {
    return this.#said;
  }

  /** Whether the source rejected the credential (401): a retry cannot help, a person has to act. */
  get credentialRejected(): boolean {
    return this.code === 'source_unauthorised' || this.code === 'source_forbidden';
  }
}

/** Another poll has taken the lease of the connection since: nothing of this one is stored any more (rule 1). */
export class LeaseLost extends NotifierError {
  constructor(connection: string) {
    super('lease_lost', `another poll of ${connection} has taken over; this one ends`, { retryable: true });
  }
}
