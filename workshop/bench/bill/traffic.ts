import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { listDates } from '#shared/core/dates.ts';
import { EVENT_TYPES, topicOf } from '#shared/core/event-types.ts';
import { PACE, PAGE_SIZE } from '../fortnight/current.ts';
import { percentile } from '../fortnight/model/delays.ts';
import { runModel } from '../fortnight/model/run-model.ts';
import { createAgendaPlanner } from '../fortnight/planners/agenda-planner.ts';
import { DAY_MS, dateOf } from '../fortnight/trace/calendar.ts';
import type { FortnightSize } from '../fortnight/trace/size.ts';
import { createTrace, type Trace } from '../fortnight/trace/trace.ts';
import type { Usage } from './bill.ts';
import { MINUTES_A_MONTH } from './template-usage.ts';

const SEED = 1;
const SECONDS = 1_000;
const GB_MB = 1_024;
const LOG_GB = 1e9;

/**
 * What the rest of the bench counts and this model takes over: units of the real flow per event, with all leases and
 * state (`fortnight`), and of a poll that finds nothing new (`storage`, at planning size).
 */
export interface CountedUnits {
  readonly writesPerEvent: number;
  readonly readsPerMinute: number;
}

/** Milliseconds of invocations besides polls of timesheets, with 5 ms for each request to AWS. */
const PAY_PERIOD_POLL_MS = 350;
const RELEASE_MS = 60;
const DELIVERY_BATCH_MS = 500;
/** A poll of timesheets waits for DynamoDB besides the source. */
const POLL_OVERHEAD_MS = 50;
/** Bytes in the log of an invocation: START, END and REPORT of Lambda, the outcome line, and a metric of a poll. */
const POLL_LOG_BYTES = 1_600;
const RELEASE_LOG_BYTES = 1_100;
const DELIVERY_LOG_BYTES = 600;
const DELIVERIES_PER_BATCH = 5;
const EVENTS_PER_SNS_REQUEST = 8;
/** An event in the log, compressed, for the days that it is kept, and a record in a leaf. */
const EVENT_BYTES = 250;
const RECORD_BYTES = 40;

/** The model of a size: how long polls of timesheets take, and how much changes. */
export interface Traffic {
  readonly size: FortnightSize;
  readonly pollSecondsPerMinute: number;
  readonly eventsPerDay: number;
  /** The same by type, such as `timesheet.approved`: a webhook gets those that its filter passes. */
  readonly eventsPerDayOf: ReadonlyMap<string, number>;
  readonly recordsInWindow: number;
  /** Seconds until a clocking is published, of one half and of 99 % of them. */
  readonly delays: readonly [number, number];
}

export function modelTraffic(order: {
  readonly size: FortnightSize;
  readonly days: number;
  readonly rereadForSeconds: number;
}): Traffic {
  const { size, days, rereadForSeconds } = order;
  const trace = createTrace({ seed: SEED, size, days });
  let pollMs = 0;
  const planner = createAgendaPlanner({
    repeatMs: rereadForSeconds * SECONDS,
    onPoll: (durationMs) => {
      pollMs += durationMs + POLL_OVERHEAD_MS;
    },
  });
  const { published } = runModel({ trace, planner, pace: PACE, pageSize: PAGE_SIZE });
  const clockings = published.of('clockings');
  const eventsPerDayOf = new Map([...countChanges(trace)].map(([type, count]) => [type, count / days]));
  const minutes = (trace.to - trace.from) / 60_000;
  return {
    size,
    pollSecondsPerMinute: pollMs / SECONDS / minutes,
    eventsPerDay: [...eventsPerDayOf.values()].reduce((sum, each) => sum + each, 0),
    eventsPerDayOf,
    recordsInWindow: countRecords(trace),
    delays: [percentile(clockings, 0.5) / SECONDS, percentile(clockings, 0.99) / SECONDS],
  };
}

/** What a month of this traffic uses. */
export function countTrafficUsage(traffic: Traffic, units: CountedUnits, config: NotifierConfig): Usage {
  const monthDays = MINUTES_A_MONTH / 1_440;
  const memoryGb = config.functions.memoryMb / GB_MB;
  const events = traffic.eventsPerDay * monthDays;
  const deliveries = countDeliveriesPerDay(traffic, config) * monthDays;
  const batches = Math.ceil(deliveries / DELIVERIES_PER_BATCH);
  const releases = config.alerts.channels.length > 0 ? MINUTES_A_MONTH : 0;
  const days = Math.max(...config.connections.map(({ retentionDays }) => retentionDays));
  const storedGb =
    (traffic.recordsInWindow * RECORD_BYTES + traffic.eventsPerDay * days * EVENT_BYTES) / LOG_GB;
  const logGb =
    (2 * MINUTES_A_MONTH * POLL_LOG_BYTES + releases * RELEASE_LOG_BYTES + deliveries * DELIVERY_LOG_BYTES) /
    LOG_GB;
  return {
    lambdaRequests: 2 * MINUTES_A_MONTH + releases + batches,
    lambdaGbSeconds:
      memoryGb * MINUTES_A_MONTH * (traffic.pollSecondsPerMinute + PAY_PERIOD_POLL_MS / SECONDS) +
      (releases * RELEASE_MS + batches * DELIVERY_BATCH_MS) / SECONDS / 4,
    // A delivery is noted in the ledger once it succeeded.
    writeUnits: events * units.writesPerEvent + 2 * deliveries,
    readUnits: MINUTES_A_MONTH * units.readsPerMinute + releases * config.alerts.channels.length + deliveries,
    storedGb,
    recoverableGb: storedGb,
    snsRequests: events / EVENTS_PER_SNS_REQUEST,
    // A batch is received and deleted; receives that find something replace idle ones.
    sqsRequests: batches,
    logGb,
    logStoredGb: logGb,
  };
}

function countDeliveriesPerDay({ eventsPerDayOf }: Traffic, { webhooks }: NotifierConfig): number {
  const isFor = (type: string, { topics, filter }: NotifierConfig['webhooks'][number]) => {
    const name = EVENT_TYPES.find((each) => each === `workforce.${type}`);
    return name !== undefined && (filter.type?.includes(name) ?? topics.includes(topicOf(name)));
  };
  let sum = 0;
  for (const webhook of webhooks)
    for (const [type, events] of eventsPerDayOf) if (isFor(type, webhook)) sum += events;
  return sum;
}

function countChanges(trace: Trace): Map<string, number> {
  const from = dateOf(Math.floor(trace.from / DAY_MS));
  const to = dateOf(Math.floor((trace.to - 1) / DAY_MS));
  const counts = new Map<string, number>();
  for (const day of listDates({ from, to }))
    for (const { type } of trace.changesOnDay(day)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}

function countRecords(trace: Trace): number {
  const day = Math.floor(trace.from / DAY_MS);
  const dates = listDates({ from: dateOf(day - 35), to: dateOf(day + 14) });
  return dates.reduce((sum, date) => sum + trace.recordsOn(date, trace.from), 0);
}
