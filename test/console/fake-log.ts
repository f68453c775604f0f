import type { ConsoleContext } from '#console/server/context.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { toIso } from '#shared/core/dates.ts';
import { toLogKey } from '#shared/core/snapshot/log-key.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { LogItem } from '#shared/flow/poll/ports.ts';
import type { Target } from '#shared/operator/target.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';

/** What a source could send to run as HTML. */
export const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

export const NOW = Date.parse('2026-11-20T09:00:00Z');

/** A log that a test writes, of the timesheets of one connection. */
export interface FakeLog extends EventLog {
  /** Commits events; each has a number from 1. */
  commit(at: number, count: number, values?: EventValues): void;
  /** How many events there are. */
  readonly size: number;
  /** Makes reads fail until it is null again. */
  failure: Error | null;
}

interface EventValues {
  readonly type?: string;
  /** Of the event of a number, instead of `type`. */
  readonly typeOf?: (number: number) => string;
  readonly record?: string;
  readonly departmentId?: string;
  readonly late?: readonly string[];
  readonly current?: Readonly<Record<string, unknown>>;
}

export function createFakeLog(): FakeLog {
  const commits: LogItem[] = [];
  let written = 0;
  let size = 0;
  const log: FakeLog = {
    failure: null,
    get size() {
      return size;
    },
    commit: (at, count, values = {}) => {
      const texts = Array.from({ length: count }, (_, index) => writeEvent(size + index + 1, at, values));
      size += count;
      const key = toLogKey({ clock: at, number: written });
      commits.push({ key, topic: 'timesheets', committedAt: at, texts });
      written += 1;
    },
    read: async function* (_, { from, to }) {
      if (log.failure !== null) throw log.failure;
      const found = commits.filter(({ committedAt }) => committedAt >= from && committedAt < to);
      yield* found.sort((a, b) => (a.key < b.key ? -1 : 1));
    },
  };
  return log;
}

function writeEvent(number: number, at: number, values: EventValues): string {
  const {
    typeOf,
    type = typeOf?.(number) ?? 'timesheet.approved',
    record = `${number}_7`,
    departmentId = '501_7',
    late = [],
  } = values;
  const time = toIso(at);
  const example = exampleEvent('workforce.timesheet.approved');
  const data = {
    ...example.data,
    ...{ timesheetId: record, employeeId: `${2_000 + (number % 50)}_7`, departmentId, late },
    current: { date: '2026-11-20', hoursToPay: 8, approvedHours: time, ...values.current },
    observed: { after: toIso(at - 60_000), by: time },
    occurredAt: time,
  };
  return JSON.stringify({
    ...{ ...example, id: `event-${number}`, type: `workforce.${type}`, subject: record, time, data },
    ...{ connection: 'main', source: '/connections/main/timesheets' },
  });
}

/** A context over a log, with nothing else behind it. */
export function createFakeContext(log: EventLog, values: Partial<ConsoleContext> = {}): ConsoleContext {
  const connection = connectionSchema.parse({
    name: 'main',
    baseUrl: 'https://workforce.example.com',
    timeZone: 'UTC',
    secretName: 'main',
  });
  const target = {
    title: 'a test',
    config: parseNotifierConfig({ connections: [connection] }),
    connections: [connection],
    tableName: 'table',
    system: { now: () => NOW, sleep: async () => {}, random: () => 0.5, uniqueId: () => 'id' },
    speed: 1,
    redirects: true,
    parts: new Map(),
  } as unknown as Target;
  const known = {
    connection: 'main',
    timeZone: 'UTC',
    names: NO_NAMES,
    payPeriods: [],
    state: null,
    progress: [],
  };
  return {
    target,
    log,
    store: createMemoryStore(),
    knowledge: { load: async () => known, loadAll: async () => [known] },
    allowsWrites: false,
    readEveryMs: 10,
    ...values,
  };
}
