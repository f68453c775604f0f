import { createApp, createService, type SourceOptions } from '#local/source/server.ts';
import type { Service } from '#local/source/service.ts';

/** A Thursday, 07:45 in Auckland. */
export const MORNING = Date.parse('2026-03-04T18:45:00Z');
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `undefined` when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect answers of every shape.
  readonly body: any;
}

/** An emulator without a socket, whose real clock only the test moves. */
export interface SourceUnderTest {
  readonly service: Service;
  /** With the token. Paths without a leading `/api` are under `/api/v1`. */
  get(path: string): Promise<Answer>;
  send(method: string, path: string, body?: unknown): Promise<Answer>;
  ask(path: string, init: RequestInit): Promise<Answer>;
  passReal(milliseconds: number): void;
}

export function makeSource(options: SourceOptions = {}): SourceUnderTest {
  let real = MORNING;
  const service = createService({
    startsAt: MORNING,
    timeZone: 'Pacific/Auckland',
    realNow: () => real,
    ...options,
  });
  const app = createApp(service);
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await app.request(path, init, {});
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };
  return {
    service,
    ask,
    get: (path) =>
      ask(path.startsWith('/api/') ? path : `/api/v1${path}`, {
        headers: { authorization: `Bearer ${service.token}` },
      }),
    send: (method, path, body) =>
      ask(path, {
        method,
        headers: { authorization: `Bearer ${service.token}` },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    passReal(milliseconds) {
      real += milliseconds;
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
