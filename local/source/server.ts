import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { type Company, createCompany } from './company/company.ts';
import type { CompanySettings } from './company/world.ts';
import { createApp } from './http/app.ts';
import { createFaults } from './http/faults.ts';
import { createRateLimit, type Limit } from './http/rate-limit.ts';
import { createRequestLog } from './http/request-log.ts';
import { createTokens } from './http/tokens.ts';
import { type Journal, openJournal, readJournalStart } from './journal.ts';
import { catchUp, type Service } from './service.ts';
import { createSimulatedClock } from './simulated-clock.ts';

/** How the emulator is started; everything has a default. Instants are milliseconds since 1970. */
export interface SourceOptions {
  /** TCP port on 127.0.0.1; 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** Another seed, another company; default 1. */
  readonly seed?: number | undefined;
  /** Number of employees; default 30. */
  readonly size?: number | undefined;
  /** IANA zone of the company's dates and shifts; default UTC. */
  readonly timeZone?: string | undefined;
  /** Simulated seconds per real second; default 1; 0 stands still until `/control/clock` moves it. */
  readonly speed?: number | undefined;
  /**
   * The instant the company is first looked at: eight weeks lie behind it, and its first pay run is on the first
   * whole morning after it. Default: that of the journal when there is one, else real now.
   */
  readonly startsAt?: number | undefined;
  /**
   * Live on to this instant before serving, so that a later start goes on where an earlier one was. Default:
   * real now at speed 1, otherwise `startsAt`. Never earlier than the last entry of the journal.
   */
  readonly resumeAt?: number | undefined;
  /** Largest page size that is answered; default 200. */
  readonly pageSizeCap?: number | undefined;
  /** A token that is always accepted; default: a JWT that depends on the seed only. */
  readonly token?: string | undefined;
  /** Credentials for `/oauth/token`; default `sample-client` and `sample-secret`. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** How long an issued token is good; default 3600. */
  readonly tokenLifeSeconds?: number | undefined;
  /** File that keeps the changes made by hand and has them made again at the next start; default: none. */
  readonly journal?: string | undefined;
  /** Rate limit; default: none. */
  readonly limit?: Limit | undefined;
  /** Real time; default `Date.now`. For tests. */
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
  /** Stops serving, also what is still being answered. */
  close(): Promise<void>;
}

const DEFAULT_SIZE = 30;
const DEFAULT_PAGE_SIZE_CAP = 200;
const DEFAULT_TOKEN_LIFE_SECONDS = 3600;

/**
 * Starts the emulator on loopback. The same options give the same company; with `startsAt` kept and `resumeAt` (or
 * the speed) taking it on, a start after a crash is at the state the crash interrupted. Throws when the port is
 * taken or the journal is of another company.
 */
export async function startSource(options: SourceOptions = {}): Promise<RunningSource> {
  const service = createService(options);
  const server = createAdaptorServer({ fetch: createApp(service).fetch });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    token: service.tokens.token,
    company: service.company,
    now: service.clock.now,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

/** The emulator without its server. The company has lived up to where the clock starts. */
export function createService(options: SourceOptions): Service {
  const { speed = 1, realNow = Date.now } = options;
  const settings = resolveSettings(options, realNow());
  const company = createCompany(settings);
  const journal = options.journal === undefined ? null : openJournal(options.journal, settings);
  if (journal !== null) replay(company, journal);
  const resumeAt = options.resumeAt ?? (speed === 1 ? realNow() : settings.startsAt);
  const startsAt = Math.max(company.now(), resumeAt);
  const { clientId = 'sample-client', clientSecret = 'sample-secret', token } = options;
  const service: Service = {
    company,
    clock: createSimulatedClock({ startsAt, speed, realNow }),
    speed,
    journal,
    tokens: createTokens({
      key: `sample-key-${settings.seed}`,
      token,
      clientId,
      clientSecret,
      lifeSeconds: options.tokenLifeSeconds ?? DEFAULT_TOKEN_LIFE_SECONDS,
      realNow,
    }),
    faults: createFaults(),
    limit: createRateLimit(options.limit ?? null, realNow),
    log: createRequestLog(),
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
  const known = options.journal === undefined ? null : readJournalStart(options.journal);
  return {
    seed: options.seed ?? 1,
    size: options.size ?? DEFAULT_SIZE,
    timeZone: options.timeZone ?? 'UTC',
    startsAt: options.startsAt ?? known ?? now,
  };
}

function replay(company: Company, { entries }: Journal): void {
  for (const { at, change } of entries) {
    company.advanceTo(at);
    if (change !== undefined) company.apply(change);
  }
}
