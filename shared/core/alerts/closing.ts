import { readText } from '../messages/record-events.ts';
import type { DescribableEvent } from '../messages/sentences.ts';
import type { Period } from './processing.ts';

export interface Closing {
  readonly event: DescribableEvent;
  readonly period: Period;
  /** The sentence about the closing already says that all timesheets are processed. */
  readonly saysProcessed: boolean;
}

/** The closing that an event reports; empty for any other event. */
export function readClosing(event: DescribableEvent): Closing[] {
  if (event.type !== 'workforce.pay_period.closed') return [];
  const { payPeriodId, current, closeManifest } = event.data;
  const [startDate, finishDate] = [readText(current, 'startDate'), readText(current, 'finishDate')];
  if (startDate === null || finishDate === null) return [];
  const calendar = readText(current, 'calendar') ?? undefined;
  const period = { id: payPeriodId, calendar, startDate, finishDate, closed: true };
  const saysProcessed =
    closeManifest?.complete === true &&
    closeManifest.members !== 'partly' &&
    closeManifest.timesheets > 0 &&
    closeManifest.unprocessed === 0;
  return [{ event, period, saysProcessed }];
}
