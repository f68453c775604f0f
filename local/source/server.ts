import { getRequestListener } from '@hono/node-server';
import { serveOnLoopback } from '../loopback-server.ts';
import { type Company, createCompany } from './company/company.ts';
import { createApi } from './http/api.ts';
import { Faults } from './http/faults.ts';

/** Everything has a default. Instants are milliseconds since 1970. */
export interface SourceOptions {
  /** TCP port on 127.0.0.1; default 0, a free one. */
  readonly port?: number | undefined;
  /** Another seed gives another company; default 1. */
  readonly seed?: number | undefined;
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
  /** Default 200. */
  readonly pageSizeCap?: number | undefined;
  /** The token that is accepted; default: one of the seed. */
  readonly token?: string | undefined;
  /** Default `Date.now`. For tests. */
  readonly realNow?: (() => number) | undefined;
}

/** The sample source without a server. */
export interface SampleSource {
  readonly token: string;
  readonly company: Company;
  /** Answers a request to the API, whose operations are under `/api/v1`. */
  readonly answer: (request: Request) => Response | Promise<Response>;
  /** The simulated instant, in milliseconds since 1970. */
  now(): number;
  /** Moves the clock forward by simulated milliseconds. */
  advance(milliseconds: number): void;
  /** What is done to its answers. */
  readonly faults: Faults;
}

/** A running sample source. */
export interface RunningSource extends SampleSource {
  /** `http://127.0.0.1:<port>`. */
  readonly baseUrl: string;
  /** Also closes open connections. */
  close(): Promise<void>;
}

const DEFAULT_SIZE = 30;
const DEFAULT_PAGE_SIZE_CAP = 200;

/**
 * Starts the sample source on loopback. The same options give the same company: started again after a crash with the
 * same `startsAt` and a later `resumeAt`, it is in the state that the crash interrupted. Throws when the port is in use.
 */
export async function startSource(options: SourceOptions = {}): Promise<RunningSource> {
  const source = createSource(options);
  const { endpoint, stop } = await serveOnLoopback(getRequestListener(source.answer), options.port);
  return { ...source, baseUrl: endpoint, close: stop };
}

/** The sample source, simulated up to where its clock starts. */
export function createSource(options: SourceOptions): SampleSource {
  const {
    seed = 1,
    size = DEFAULT_SIZE,
    timeZone = 'UTC',
    calendars = 1,
    speed = 1,
    realNow = Date.now,
  } = options;
  const realStart = realNow();
  const startsAt = options.startsAt ?? realStart;
  const beginsAt = Math.max(startsAt, options.resumeAt ?? (speed === 1 ? realStart : startsAt));
  let moved = 0;
  const now = () => Math.floor(beginsAt + (realNow() - realStart) * speed) + moved;
  const company = createCompany({ seed, size, timeZone, startsAt, calendars });
  const catchUp = () => company.advanceTo(now());
  catchUp();
  const { token = `sample-token-${seed}`, pageSizeCap = DEFAULT_PAGE_SIZE_CAP } = options;
  const faults = new Faults();
  return {
    token,
    company,
    answer: createApi({ company, token, pageSizeCap, faults, catchUp }).fetch,
    now,
    advance: (milliseconds) => {
      moved += Math.round(milliseconds);
      catchUp();
    },
    faults,
  };
}
