/** A request and the status of its answer, without tokens. */
interface LoggedRequest {
  /** Simulated instant, RFC 3339. */
  readonly at: string;
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  /** `null` until it is answered. */
  status: number | null;
}

export interface RequestLog {
  /** Adds a request; the caller sets its status later. */
  begin(request: Omit<LoggedRequest, 'status'>): LoggedRequest;
  list(): readonly LoggedRequest[];
  clear(): void;
}

/** Older requests are dropped, so that an emulator can run for weeks. */
const MAX_REQUESTS = 20_000;

export function createRequestLog(): RequestLog {
  const requests: LoggedRequest[] = [];
  return {
    begin(request) {
      const logged = { ...request, status: null };
      requests.push(logged);
      if (requests.length > MAX_REQUESTS) requests.splice(0, MAX_REQUESTS / 10);
      return logged;
    },
    list: () => requests,
    clear() {
      requests.length = 0;
    },
  };
}
