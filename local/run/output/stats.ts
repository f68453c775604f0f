import * as z from 'zod';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { parseEventType } from '#shared/terminal/event-line.ts';
import type { Receipt } from '#shared/terminal/received.ts';

/** Counts what a run does. */
export interface RunStats {
  /** The duration of the run counts from here. */
  begin(): void;
  countEvent(body: string): void;
  countReport(report: PollReport): void;
  countReceived(received: Receipt): void;
  totals(): RunTotals;
}

interface Attempts {
  readonly taken: number;
  readonly refused: number;
}

export interface RunTotals {
  /** Events by type, sorted. */
  readonly types: readonly (readonly [type: string, count: number])[];
  readonly events: number;
  /** Events of the type `feed.complete` among them. */
  readonly completions: number;
  readonly polls: number;
  readonly requests: number;
  readonly seconds: number;
  /** To people, by channel, sorted. */
  readonly messages: readonly (readonly [channel: string, count: number])[];
  /** Events to systems by webhook, sorted. */
  readonly deliveries: readonly (readonly [webhook: string, attempts: Attempts])[];
  /** Of the last event about a record; null without one. */
  readonly lastRecord: string | null;
}

export function createRunStats(): RunStats {
  let startedAt = performance.now();
  const types = new Map<string, number>();
  const messages = new Map<string, number>();
  const deliveries = new Map<string, Attempts>();
  let polls = 0;
  let requests = 0;
  let lastRecord: string | null = null;
  return {
    begin: () => {
      startedAt = performance.now();
    },
    countEvent: (body) => {
      const type = parseEventType(body) ?? 'not an event';
      types.set(type, (types.get(type) ?? 0) + 1);
      lastRecord = readRecord(body) ?? lastRecord;
    },
    countReport: (report) => {
      polls += 1;
      requests += report.counts.requests;
    },
    countReceived: (received) => {
      if (received.kind === 'message') {
        messages.set(received.channel, (messages.get(received.channel) ?? 0) + 1);
        return;
      }
      const { webhook } = received;
      const { taken, refused } = deliveries.get(webhook) ?? { taken: 0, refused: 0 };
      deliveries.set(webhook, { taken: taken + received.taken, refused: refused + received.refused });
    },
    totals: () => ({
      types: sortByName(types),
      events: [...types.values()].reduce((sum, count) => sum + count, 0),
      completions: types.get('feed.complete') ?? 0,
      polls,
      requests,
      seconds: (performance.now() - startedAt) / 1_000,
      messages: sortByName(messages),
      deliveries: sortByName(deliveries),
      lastRecord,
    }),
  };
}

function sortByName<Value>(values: ReadonlyMap<string, Value>): (readonly [string, Value])[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** One line: events by type, polls, requests, duration. */
export function formatTotals({ types, events, polls, requests, seconds }: RunTotals): string {
  const byType = types.map(([type, count]) => `${type} ${count}`);
  const detail = byType.length === 0 ? '' : ` (${byType.join(', ')})`;
  const counts = [
    `${formatCount(events, 'event')}${detail}`,
    formatCount(polls, 'poll'),
    formatCount(requests, 'request'),
  ];
  return `${counts.join(', ')}, ${seconds.toFixed(1)} s`;
}

const recordEventSchema = z.looseObject({
  type: z.string().regex(/^workforce\.(?:timesheet|pay_period)\./),
  subject: z.string().min(1),
});

function readRecord(body: string): string | null {
  return recordEventSchema.safeParse(parseJsonOrNull(body)).data?.subject ?? null;
}
