import * as z from 'zod';
import { parseEventType } from '#cli/events/describe-event.ts';
import type { ReceivedMessage } from '#local/receivers/format-message.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';

/** Counts what a run does. */
export interface RunStats {
  /** The duration of the run counts from here. */
  begin(): void;
  /** Not for replayed events. */
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
  /** By the label of the receiver, sorted. */
  readonly receivers: readonly ReceiverTotals[];
  /** Of the last event about a record; null without one. */
  readonly lastRecord: string | null;
}

interface ReceiverTotals {
  readonly label: string;
  readonly taken: number;
  readonly refused: number;
}

export function createRunStats(): RunStats {
  let startedAt = performance.now();
  const types = new Map<string, number>();
  const receivers = new Map<string, ReceiverTotals>();
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
    countMessage: ({ label, attempts = { taken: 1, refused: 0 } }) => {
      const { taken, refused } = receivers.get(label) ?? { taken: 0, refused: 0 };
      receivers.set(label, { label, taken: taken + attempts.taken, refused: refused + attempts.refused });
    },
    totals: () => ({
      types: [...types].sort(([a], [b]) => (a < b ? -1 : 1)),
      events: [...types.values()].reduce((sum, count) => sum + count, 0),
      polls,
      requests,
      seconds: (performance.now() - startedAt) / 1_000,
      receivers: [...receivers.values()].sort((a, b) => (a.label < b.label ? -1 : 1)),
      lastRecord,
    }),
  };
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
