import * as z from 'zod';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { parseEventType } from '#shared/terminal/describe-event.ts';
import type { DeliveryAttempts, ReceivedMessage } from '#shared/terminal/format-message.ts';

/** Counts what a run does. */
export interface RunStats {
  /** The duration of the run counts from here. */
  begin(): void;
  countEvent(body: string): void;
  countReport(report: PollReport): void;
  countMessage(message: ReceivedMessage): void;
  totals(): RunTotals;
}

export interface RunTotals {
  /** Events by type, sorted. */
  readonly types: readonly (readonly [type: string, count: number])[];
  readonly events: number;
  readonly polls: number;
  readonly requests: number;
  readonly seconds: number;
  /** Messages to people by channel, sorted. */
  readonly alerts: readonly (readonly [label: string, count: number])[];
  /** Events to systems by receiver, sorted. */
  readonly deliveries: readonly (readonly [label: string, attempts: DeliveryAttempts])[];
  /** Of the last event about a record; null without one. */
  readonly lastRecord: string | null;
}

export function createRunStats(): RunStats {
  let startedAt = performance.now();
  const types = new Map<string, number>();
  const alerts = new Map<string, number>();
  const deliveries = new Map<string, DeliveryAttempts>();
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
    countMessage: ({ label, attempts }) => {
      if (attempts === undefined) {
        alerts.set(label, (alerts.get(label) ?? 0) + 1);
        return;
      }
      const { taken, refused } = deliveries.get(label) ?? { taken: 0, refused: 0 };
      deliveries.set(label, { taken: taken + attempts.taken, refused: refused + attempts.refused });
    },
    totals: () => ({
      types: sortByName(types),
      events: [...types.values()].reduce((sum, count) => sum + count, 0),
      polls,
      requests,
      seconds: (performance.now() - startedAt) / 1_000,
      alerts: sortByName(alerts),
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
  return `${events} events${detail}, ${polls} polls, ${requests} requests, ${seconds.toFixed(1)} s`;
}

const recordEventSchema = z.looseObject({
  type: z.string().regex(/^workforce\.(?:timesheet|pay_period)\./),
  subject: z.string().min(1),
});

function readRecord(body: string): string | null {
  return recordEventSchema.safeParse(parseJsonOrNull(body)).data?.subject ?? null;
}
