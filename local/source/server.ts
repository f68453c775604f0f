import { getRequestListener } from '@hono/node-server';
import { serveOnLoopback } from '../loopback-server.ts';
import { type Company, createCompany } from './company/company.ts';
import { createApi } from './http/api.ts';

/** Of the company that a source serves. */
const SEED = 1;

/** Everything has a default. Instants are milliseconds since 1970. */
export interface SourceOptions {
  /** TCP port on 127.0.0.1; default 0, a free one. */
  readonly port?: number | undefined;
  /** Number of employees; default 30. */
  readonly size?: number | undefined;
  /** IANA time zone of the company's dates and shifts; default UTC. */
  readonly timeZone?: string | undefined;
  /** Pay calendars; with 2, one department is paid every two weeks. Default 1. */
  readonly calendars?: 1 | 2 | undefined;
  /** Simulated seconds per real second; default 1. With 0 only `advance` moves the clock. */
  readonly speed?: number | undefined;
  /**
   * Start of the simulation, with eight weeks of history before it and the first pay run on the first whole morning
   * after it. Default: the real time.
   */
  readonly startsAt?: number | undefined;
  /**
   * Simulate up to this instant before serving, to continue where an earlier start ended. Default: the real time at
   * speed 1, otherwise `startsAt`.
   */
  readonly resumeAt?: number | undefined;
  /** The token that is accepted; default: one that everybody knows. */
  readonly token?: string | undefined;
  /** Answers in place of the API, which `answer` asks. For tests. */
  readonly intercept?: (request: Request, answer: () => Promise<Response>) => Promise<Response>;
  /** Default `Date.now`. For tests. */
  readonly realNow?: (() => number) | undefined;
}

/** A running sample source. */
export interface RunningSource {
  /** `http://127.0.0.1:<port>`; the operations are under `/api/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly company: Company;
  /** The simulated instant, in milliseconds since 1970. */
  now(): number;
  /** Moves the clock forward by simulated milliseconds. */
  advance(milliseconds: number): void;
  /** Also closes open connections. */
  close(): Promise<void>;
}

/**
 * Starts the sample source on loopback. The same options give the same company: started again after a crash with the
 * same `startsAt` and a later `resumeAt`, it is in the state that the crash interrupted. Throws when the port is in use.
 */
export async function startSource(options: SourceOptions = {}): Promise<RunningSource> {
  const { size = 30, timeZone = 'UTC', calendars = 1, speed = 1, realNow = Date.now } = options;
  const realStart = realNow();
  const startsAt = options.startsAt ?? realStart;
  const beginsAt = Math.max(startsAt, options.resumeAt ?? (speed === 1 ? realStart : startsAt));
  let moved = 0;
  const now = () => Math.floor(beginsAt + (realNow() - realStart) * speed) + moved;
  const company = createCompany({ seed: SEED, size, timeZone, startsAt, calendars });
  const catchUp = () => company.advanceTo(now());
  catchUp();
  const { token = 'sample-token', intercept = (_request, answer) => answer() } = options;
  const api = createApi({ company, token, catchUp });
  const listener = getRequestListener((request) => intercept(request, async () => api.fetch(request)));
  const { endpoint: baseUrl, stop: close } = await serveOnLoopback(listener, options.port);
  const advance = (milliseconds: number) => {
    moved += Math.round(milliseconds);
    catchUp();
  };
  return { baseUrl, token, company, now, advance, close };
}
