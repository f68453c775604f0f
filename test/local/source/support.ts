import { createSource, type SampleSource, type SourceOptions } from '#local/source/server.ts';

/** A Thursday, 07:45 in Auckland. */
export const MORNING = Date.parse('2026-03-04T18:45:00Z');
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect answers of every shape.
  readonly body: any;
}

/** A source without a socket, whose real clock only the test moves. */
export interface SourceUnderTest extends SampleSource {
  /** Paths without a leading `/api` are under `/api/v1`. The token is sent unless there are other headers. */
  ask(path: string, init?: RequestInit): Promise<Answer>;
  passReal(milliseconds: number): void;
}

export function makeSource(options: SourceOptions = {}): SourceUnderTest {
  let real = MORNING;
  const source = createSource({
    startsAt: MORNING,
    timeZone: 'Pacific/Auckland',
    realNow: () => real,
    ...options,
  });
  return {
    ...source,
    async ask(path, init = {}) {
      const url = new URL(path.startsWith('/api/') ? path : `/api/v1${path}`, 'http://source.example');
      const headers = { authorization: `Bearer ${source.token}` };
      const response = await source.answer(new Request(url, { headers, ...init }));
      return { status: response.status, headers: response.headers, body: await response.json() };
    },
    passReal(milliseconds) {
      real += milliseconds;
    },
  };
}
