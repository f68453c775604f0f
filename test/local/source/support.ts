import { afterAll } from 'vitest';
import type { ChangeKind } from '#local/source/company/changes.ts';
import type { Company } from '#local/source/company/company.ts';
import { type RunningSource, type SourceOptions, startSource } from '#local/source/server.ts';

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

/** A source whose real clock only the test moves. */
export interface SourceUnderTest extends RunningSource {
  /** Paths without a leading `/api` are under `/api/v1`. The token is sent unless there are other headers. */
  ask(path: string, init?: RequestInit): Promise<Answer>;
  passReal(milliseconds: number): void;
}

/** Stopped when the tests of the file are over. */
export async function openSource(options: SourceOptions = {}): Promise<SourceUnderTest> {
  let real = MORNING;
  const source = await startSource({
    startsAt: MORNING,
    timeZone: 'Pacific/Auckland',
    realNow: () => real,
    ...options,
  });
  running.push(source);
  return {
    ...source,
    async ask(path, init = {}) {
      const url = `${source.baseUrl}${path.startsWith('/api/') ? path : `/api/v1${path}`}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${source.token}` }, ...init });
      return { status: answer.status, headers: answer.headers, body: await answer.json() };
    },
    passReal(milliseconds) {
      real += milliseconds;
    },
  };
}

const running: RunningSource[] = [];
afterAll(async () => {
  for (const source of running.splice(0)) await source.close();
});

/** Changes by kind. */
export function countChanges({ history }: Company, since = MORNING): Partial<Record<ChangeKind, number>> {
  const kinds = Map.groupBy(
    history.filter(({ at }) => at >= since),
    ({ change }) => change,
  );
  return Object.fromEntries([...kinds].map(([kind, entries]) => [kind, entries.length]));
}
