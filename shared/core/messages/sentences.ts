import * as z from 'zod';
import { cleanText, fitLine } from './clean-text.ts';
import { formatDates } from './moments.ts';
import { formatCount } from './numbers.ts';
import { operationEventSchema, toOperationSentence } from './operation-sentences.ts';
import { payPeriodEventSchema, SHARED_DATES, toPayPeriodSentence } from './pay-period-sentences.ts';
import { progressEventSchema, toProgressSentence } from './progress-sentences.ts';
import { readinessEventSchema, toReadinessSentence } from './readiness-sentences.ts';
import type { Audience } from './record-events.ts';
import { snapshotEventSchema, toSnapshotSentence } from './snapshot-sentences.ts';
import { statementEventSchema, toStatementSentence } from './statement-sentences.ts';
import { timesheetEventSchema, toTimesheetSentence } from './timesheet-sentences.ts';
import { toWebhookSentence, webhookEventSchema } from './webhook-sentences.ts';

/** An event of any type that is published, as far as its sentence needs it. Members that a later version adds pass. */
export const describableEventSchema = z.discriminatedUnion('type', [
  timesheetEventSchema,
  payPeriodEventSchema,
  readinessEventSchema,
  statementEventSchema,
  operationEventSchema,
  webhookEventSchema,
  progressEventSchema,
]);
export type DescribableEvent = z.output<typeof describableEventSchema>;

/** An event of any type of the catalogue: with those that only systems get. */
export const readableEventSchema = z.discriminatedUnion('type', [
  describableEventSchema,
  snapshotEventSchema,
]);
export type ReadableEvent = z.output<typeof readableEventSchema>;

/**
 * One sentence on one line of at most 600 characters. Texts of the source have their invisible characters removed, but
 * are not escaped for any medium.
 */
export function toSentence(event: ReadableEvent, audience: Audience): string {
  switch (event.type) {
    case 'workforce.pay_period.created':
    case 'workforce.pay_period.changed':
    case 'workforce.pay_period.closed':
    case 'workforce.pay_period.reopened':
    case 'workforce.pay_period.removed':
      return toPayPeriodSentence(event, audience);
    case 'workforce.pay_period.readiness':
      return toReadinessSentence(event, audience);
    case 'workforce.pay_period.statement':
      return toStatementSentence(event, audience);
    case 'workforce.baseline.completed':
    case 'workforce.source.unreachable':
    case 'workforce.source.recovered':
    case 'workforce.record.quarantined':
    case 'workforce.record.readable':
    case 'workforce.slice.shrunk':
    case 'workforce.slice.whole':
    case 'workforce.poll.stalled':
    case 'workforce.poll.resumed':
    case 'workforce.record.forgotten':
      return toOperationSentence(event, audience);
    case 'workforce.delivery.failed':
    case 'workforce.delivery.recovered':
    case 'workforce.webhook.disabled':
    case 'workforce.webhook.enabled':
      return toWebhookSentence(event, audience);
    case 'workforce.slice.unreadable':
    case 'workforce.slice.readable':
    case 'workforce.feed.lagging':
    case 'workforce.feed.caught_up':
    case 'workforce.slice.mass_change':
    case 'workforce.source.form_changed':
    case 'workforce.source.form_restored':
    case 'workforce.publish.failed':
      return toProgressSentence(event, audience);
    case 'workforce.timesheet.snapshot':
    case 'workforce.pay_period.snapshot':
      return toSnapshotSentence(event, audience);
    default:
      return toTimesheetSentence(event, audience);
  }
}

interface FinishedProcessing {
  /** Name of the pay calendar, where it is known. */
  readonly calendar?: string | undefined;
  readonly startDate: string;
  readonly finishDate: string;
  readonly timesheets: number;
  /** Other periods cover some of its dates, and their timesheets are counted too. */
  readonly sharesDates: boolean;
}

/** `Weekly 9-15 Nov`. */
export function describeFinishedPeriod({
  calendar,
  startDate,
  finishDate,
}: Pick<FinishedProcessing, 'calendar' | 'startDate' | 'finishDate'>): string {
  // The year is left out unless the period is in two years.
  const timeContext = {
    year: startDate.slice(0, 4) === finishDate.slice(0, 4) ? startDate.slice(0, 4) : null,
  };
  const name = cleanText(calendar ?? '');
  return `${name === '' ? '' : `${name} `}${formatDates(startDate, finishDate, timeContext)}`;
}

/** The sentence for a pay period all of whose timesheets are processed. */
export function toProcessingFinishedSentence(finished: FinishedProcessing): string {
  const { timesheets, sharesDates } = finished;
  const period = describeFinishedPeriod(finished);
  const all = timesheets === 1 ? 'its one timesheet is' : `all ${formatCount(timesheets, 'timesheet')} are`;
  return fitLine(`Pay period ${period}: ${all} processed${sharesDates ? ` (${SHARED_DATES})` : ''}`, '.');
}
