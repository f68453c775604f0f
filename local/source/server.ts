import { setTimeout as wait } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { OpenAPIHono } from '@hono/zod-openapi';
import { serveOnLoopback } from '../loopback-server.ts';
import { type Company, createCompany } from './company/company.ts';
import type { CompanySettings } from './company/world.ts';
import { createApi } from './http/api.ts';
import { injectFaults } from './http/fault-guard.ts';
import { createFaults, type Faults } from './http/faults.ts';
import { refuseWrites, requireToken, type SourceEnvironment } from './http/guards.ts';
import { answerNotFound, answerProblem } from './http/problems.ts';
import { catchUp, moveClock, type Service } from './service.ts';
import { createSimulatedClock } from './simulated-clock.ts';

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

/** A running emulator. */
export interface RunningSource {
  /** `http://127.0.0.1:<port>`; the operations are under `/api/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  readonly company: Company;
  /** The simulated instant, in milliseconds since 1970. */
  now(): number;
  /** Moves the clock forward by simulated milliseconds. */
  advance(milliseconds: number): void;
  /** What is done to its answers. */
  readonly faults: Pick<Faults, 'add' | 'clear' | 'list'>;
  /** Also closes open connections. */
  close(): Promise<void>;
}

const DEFAULT_SIZE = 30;
const DEFAULT_PAGE_SIZE_CAP = 200;

/**
 * Starts the emulator on loopback. The same options give the same company: started again after a crash with the same
 * `startsAt` and a later `resumeAt`, it is in the state that the crash interrupted. Throws when the port is in use.
 */
export async function startSource(options: SourceOptions = {}): Promise<RunningSource> {
  const service = createService(options);
  const listener = getRequestListener(createApp(service).fetch);
  const { endpoint, stop } = await serveOnLoopback(listener, options.port);
  return {
    baseUrl: endpoint,
    token: service.token,
    company: service.company,
    now: service.clock.now,
    advance: (milliseconds) => moveClock(service, milliseconds),
    faults: service.faults,
    close: stop,
  };
}

/** The emulator without its server, simulated up to where its clock starts. */
export function createService(options: SourceOptions): Service {
  const { speed = 1, realNow = Date.now } = options;
  const settings = resolveSettings(options, realNow());
  const company = createCompany(settings);
  const resumeAt = options.resumeAt ?? (speed === 1 ? realNow() : settings.startsAt);
  const startsAt = Math.max(company.now(), resumeAt);
  const service: Service = {
    company,
    clock: createSimulatedClock({ startsAt, speed, realNow }),
    speed,
    token: options.token ?? `sample-token-${settings.seed}`,
    faults: createFaults(),
    pageSizeCap: options.pageSizeCap ?? DEFAULT_PAGE_SIZE_CAP,
    realNow,
    wait: async (milliseconds) => {
      await wait(milliseconds);
    },
  };
  catchUp(service);
  return service;
}

function resolveSettings(options: SourceOptions, now: number): CompanySettings {
  return {
    seed: options.seed ?? 1,
    size: options.size ?? DEFAULT_SIZE,
    timeZone: options.timeZone ?? 'UTC',
    startsAt: options.startsAt ?? now,
    calendars: options.calendars ?? 1,
  };
}

/** The whole emulator as one application: `/api/v1` and `/openapi.json`. */
export function createApp(service: Service): OpenAPIHono<SourceEnvironment> {
  const app = new OpenAPIHono<SourceEnvironment>();
  app.onError(answerProblem);
  app.notFound(answerNotFound);
  app.use('/api/v1/*', injectFaults(service), refuseWrites, requireToken(service), async (_context, next) => {
    catchUp(service);
    await next();
  });
  app.route('/api/v1', createApi(service));
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
  });
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Workforce Management Read API', version: '1.0.0' },
  });
  return app;
}
