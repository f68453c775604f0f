import { pollReportSchema } from '#shared/config/requests/poll-report.ts';
import { pollRequestSchema } from '#shared/config/requests/poll-request.ts';
import type { CheckReport } from '#shared/systems/flow/check-deliveries.ts';

export type Invoke = (functionName: string, event: unknown) => Promise<unknown>;

/** What a schedule sends, and to which function. */
export interface Schedule {
  readonly functionName: string;
  readonly input: unknown;
}

/** Bodies by place, such as `queue payroll`, `webhook archive`, `slack payroll` or `mail payroll@acme.example`. */
export type Arrivals = ReadonlyMap<string, readonly string[]>;

/** A notifier that is run step by step: the deployed one, or that of one machine. */
export interface Notifier {
  readonly schedules: readonly Schedule[];
  /** Clock of the functions, in milliseconds since 1970. */
  now(): number;
  readonly invoke: Invoke;
  /** Waits until every message for a function of the stack is handled. */
  settle(): Promise<void>;
  /** What arrived since the last call. */
  take(): Promise<Arrivals>;
  stop(): Promise<void>;
}

/**
 * One round of all schedules: each poll over its whole window, then alerts, then the check of deliveries. Returns how many
 * events were published.
 */
export async function runSchedules(notifier: Notifier): Promise<number> {
  const published = await pollAll(notifier);
  await notifier.settle();
  await releaseAlerts(notifier);
  await checkDeliveries(notifier);
  return published;
}

/** Throws when something is withheld. */
async function checkDeliveries({ schedules, invoke }: Notifier): Promise<void> {
  for (const { functionName, input } of schedules) {
    if (!functionName.endsWith('-check-deliveries')) continue;
    const { withheld, unsubscribed } = (await invoke(functionName, input)) as CheckReport;
    if (withheld + unsubscribed === 0) continue;
    throw new Error(`${withheld} events were not tried, ${unsubscribed} queues are not subscribed`);
  }
}

/** Sends the alerts that are due. */
export async function releaseAlerts({ schedules, invoke, settle }: Notifier): Promise<void> {
  for (const { functionName, input } of schedules) {
    if (functionName.endsWith('-release-alerts')) await invoke(functionName, input);
  }
  await settle();
}

/** Each poll over its whole window. Returns how many events were published. */
export async function pollAll({ schedules, invoke, now }: Notifier): Promise<number> {
  let published = 0;
  for (const { functionName, input } of schedules) {
    const request = pollRequestSchema.safeParse(input);
    if (!request.success) continue;
    const { connection } = request.data;
    const answer = await invoke(functionName, { ...request.data, followUpUntil: 0, freshSince: now() });
    const { outcome, reasons, counts } = pollReportSchema.parse(answer);
    if (outcome !== 'complete') {
      throw new Error(`${functionName} of ${connection.name}: ${outcome}, ${reasons.join('; ')}`);
    }
    published += counts.eventsPublished;
  }
  return published;
}

/** The same order everywhere: what is written by one poll is read by the next. */
export function sortSchedules(schedules: readonly Schedule[]): readonly Schedule[] {
  const keyOf = ({ functionName, input }: Schedule) => `${functionName} ${JSON.stringify(input)}`;
  return [...schedules].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
