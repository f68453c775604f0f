import { type RunningSource, startSource } from '#local/source/server.ts';
import { steer } from '#test/support/steer.ts';
import type { HeldClock } from './clock.ts';

/** A working day, shortly before the first clock-ins. */
export const STARTS_AT = Date.parse('2026-11-17T07:45:00+13:00');
export const TIME_ZONE = 'Pacific/Auckland';
/** Credentials of the sample source for OAuth. */
const CLIENT = { clientId: 'sample-client', clientSecret: 'sample-secret' };
const EMPLOYEES = 8;

/** Sample companies, one for each connection, that live by the clock of the functions. */
export interface Companies {
  /** By the name of the connection. */
  readonly sources: ReadonlyMap<string, RunningSource>;
  now(): number;
  /** Moves all companies, then the clock. */
  advance(minutes: number): Promise<void>;
  /** Content of the secret of a connection. */
  secretOf(connection: string, kind: 'token' | 'oauth'): string;
  stop(): Promise<void>;
}

export async function startCompanies(names: readonly string[], clock: HeldClock): Promise<Companies> {
  const started = names.map(async (name, index) => {
    const common = {
      ...{ startsAt: STARTS_AT, resumeAt: STARTS_AT, timeZone: TIME_ZONE, size: EMPLOYEES },
      calendars: 2,
    } as const;
    return [name, await startSource({ ...common, seed: index + 1, speed: 0, ...CLIENT })] as const;
  });
  const sources = new Map(await Promise.all(started));
  let now = STARTS_AT;
  clock.set(now);
  return {
    sources,
    now: () => now,
    advance: async (minutes) => {
      for (const source of sources.values()) await post(source, 'clock', { advanceMinutes: minutes });
      now += minutes * 60_000;
      clock.set(now);
    },
    secretOf: (connection, kind) => {
      if (kind === 'oauth') return JSON.stringify(CLIENT);
      const source = sources.get(connection);
      if (source === undefined) throw new Error(`no company for the connection ${connection}`);
      return source.token;
    },
    stop: async () => {
      await Promise.all([...sources.values()].map((source) => source.close()));
    },
  };
}

async function post(source: RunningSource, path: string, body: object): Promise<void> {
  const response = await steer(source, path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`/control/${path} answered ${response.status}`);
}
