import * as z from 'zod';
import { cleanText } from './clean-text.ts';
import type { FieldsInWords } from './field-changes.ts';
import { formatDates, formatDay, type MessageTimeContext } from './moments.ts';
import {
  type Audience,
  describeOccurrence,
  type EventState,
  envelope,
  readText,
  recordData,
  toTimeContext,
} from './record-events.ts';

/** An event about a change of the record of a pay period, as far as its sentence needs it. */
export const payPeriodEventSchema = z.looseObject({
  ...envelope,
  type: z.enum([
    'workforce.pay_period.created',
    'workforce.pay_period.changed',
    'workforce.pay_period.removed',
  ]),
  data: z.looseObject({ payPeriodId: z.string(), ...recordData }),
});
export type PayPeriodEvent = z.output<typeof payPeriodEventSchema>;

/** What the sentences about a pay period are made of. */
interface PeriodMention {
  readonly data: PayPeriodEvent['data'];
  /** `Weekly 9-15 Nov`. */
  readonly period: string;
  /** `at 10:01`, or between which two reads. */
  readonly when: string;
  /** `, after it closed`, or empty. */
  readonly late: string;
  readonly timeContext: MessageTimeContext;
}

export function createPeriodMention(
  { time, data }: Pick<PayPeriodEvent, 'time' | 'data'>,
  audience: Audience,
): PeriodMention {
  const timeContext = toTimeContext(time, audience);
  return {
    data,
    period: describePeriodOf(data, timeContext),
    when: describeOccurrence(data, timeContext),
    late: data.late.includes('close') ? ', after it closed' : '',
    timeContext,
  };
}

/** `Weekly 9-15 Nov`. */
export function describePeriodOf(
  { current, previous, payPeriodId }: Pick<PayPeriodEvent['data'], 'current' | 'previous' | 'payPeriodId'>,
  timeContext: MessageTimeContext,
): string {
  return describePeriod(current ?? previous, payPeriodId, timeContext);
}

/** `Weekly 9-15 Nov`, or only the dates. */
export function describePeriod(state: EventState, id: string, timeContext: MessageTimeContext): string {
  const [from, to] = [readText(state, 'startDate'), readText(state, 'finishDate')];
  const calendar = cleanText(readText(state, 'calendar') ?? '');
  if (from === null || to === null) return cleanText(id);
  const dates = formatDates(from, to, timeContext);
  return calendar === '' ? dates : `${calendar} ${dates}`;
}

const LABELS = {
  calendar: 'calendar',
  startDate: 'first day',
  finishDate: 'last day',
  payRollCompanyId: 'payroll company',
  payRollProvider: 'payroll provider',
} as const;

/** Words for each watched field of a pay period. */
export function createPeriodFieldWords(timeContext: MessageTimeContext): FieldsInWords {
  const day = (date: string) => formatDay(date, timeContext);
  const formats: Readonly<Record<keyof typeof LABELS, (value: string) => string>> = {
    calendar: cleanText,
    startDate: day,
    finishDate: day,
    payRollCompanyId: cleanText,
    payRollProvider: cleanText,
  };
  const isKnown = (field: string): field is keyof typeof LABELS => Object.hasOwn(formats, field);
  const wordsOf = (field: string) =>
    isKnown(field)
      ? {
          label: LABELS[field],
          valueText: (value: unknown) => (typeof value === 'string' ? formats[field](value) : null),
        }
      : undefined;
  return { wordsOf };
}
