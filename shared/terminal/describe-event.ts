import * as z from 'zod';
import { EVENT_CATALOGUE } from '#shared/core/event-types.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { describeAbsence } from './describe-absence.ts';
import { describeAccount } from './describe-account.ts';
import { escapeUnprintable } from './output.ts';
import { type FormatContext, formatLocalMoment, readable } from './readable-value.ts';

/** The parts of an event that its description uses, whatever its type. */
const cloudEventSchema = z.looseObject({
  type: z.string(),
  time: z.string(),
  source: z.string().default(''),
  subject: z.string().optional(),
  data: z.looseObject({
    current: z.record(z.string(), z.unknown()).nullish(),
    previous: z.record(z.string(), z.unknown()).nullish(),
    changed: z.array(z.string()).optional(),
    observed: z.looseObject({ by: z.string() }).optional(),
    occurredAt: z.string().nullish(),
    late: z.array(z.string()).optional(),
    collapsed: z.boolean().optional(),
  }),
});
type CloudEvent = z.output<typeof cloudEventSchema>;

/** The columns of one line about an event, the most important first: a narrow terminal cuts the end. */
export interface EventDescription {
  /** When it was seen, in the time zone, so that lines run forward; when it happened is in `what`. */
  readonly when: string;
  /** Type without its prefix. */
  readonly type: string;
  /** The record, or the slice; else the feed. */
  readonly who: string;
  readonly what: string;
  /** The employee and the date, or the dates of a pay period. */
  readonly context: string;
}

const PREFIX = 'workforce.';
const TYPE_WIDTH = Math.max(...Object.keys(EVENT_CATALOGUE).map((type) => type.length));
const WHO_WIDTH = 12;
const DATE_WIDTH = 10;
const WHEN_WIDTH = 19;
/** Fields shown for a created or removed record. */
const SUMMARY_FIELDS = ['startTime', 'finishTime', 'hoursToPay', 'calendar', 'payRollProvider'];

/** Type of a CloudEvent without its prefix, or `null` when the text is not an event. */
export function parseEventType(body: string): string | null {
  const event = parse(body);
  return event === null ? null : escapeUnprintable(event.type.replace(PREFIX, ''));
}

/** The columns of an event, with control characters escaped; `null` when the text is not an event. */
export function describeEvent(body: string, timeZone: string): EventDescription | null {
  const event = parse(body);
  if (event === null) return null;
  const when = formatLocalMoment(event.time, timeZone);
  const reading = { timeZone, day: when.slice(0, DATE_WIDTH) };
  const what =
    describeAbsence(event, timeZone) ?? describeAccount(event, timeZone) ?? describeWhat(event, reading);
  return {
    when,
    type: escapeUnprintable(event.type.replace(PREFIX, '')),
    who: escapeUnprintable(event.subject ?? event.source.slice(event.source.lastIndexOf('/') + 1)),
    what: escapeUnprintable([what, ...listRemarks(event)].filter((part) => part !== '').join('  ')),
    context: escapeUnprintable(describeContext(event, { timeZone, day: null })),
  };
}

/** The columns that align, padded, and what follows them. */
export function alignDescription({ when, type, who, what, context }: EventDescription) {
  const tail = [what, context].filter((part) => part !== '').join('  ');
  return { when: when.padEnd(WHEN_WIDTH), type: type.padEnd(TYPE_WIDTH), who: who.padEnd(WHO_WIDTH), tail };
}

function parse(body: string): CloudEvent | null {
  return cloudEventSchema.safeParse(parseJsonOrNull(body)).data ?? null;
}

function describeContext({ data }: CloudEvent, reading: FormatContext): string {
  const state = data.current ?? data.previous ?? {};
  const employee = typeof data.employeeId === 'string' ? `employee ${data.employeeId}` : '';
  return [employee, describeDay(state, reading)].filter((part) => part !== '').join(', ');
}

function describeDay(state: Readonly<Record<string, unknown>>, reading: FormatContext): string {
  if (typeof state.date === 'string') return readable(state.date, reading);
  const { startDate, finishDate } = state;
  if (startDate === undefined && finishDate === undefined) return '';
  return `${readable(startDate, reading)} to ${readable(finishDate, reading)}`;
}

function describeWhat({ type, data }: CloudEvent, reading: FormatContext): string {
  const { current, previous, changed } = data;
  if (changed === undefined) return describeOperation(data, reading);
  if (type.endsWith('.created') || type.endsWith('.removed')) {
    const state = current ?? previous ?? {};
    return SUMMARY_FIELDS.filter((name) => state[name] !== null && state[name] !== undefined)
      .map((name) => `${name} ${readable(state[name], reading)}`)
      .join(', ');
  }
  return changed
    .map((name) => {
      const before = readable(previous?.[name], reading);
      const after = readable(current?.[name], reading);
      return before === after ? `${name} altered` : `${name} ${before} → ${after}`;
    })
    .join(', ');
}

function describeOperation(data: CloudEvent['data'], reading: FormatContext): string {
  return Object.entries(data)
    .filter(([name]) => name !== 'feed')
    .map(([name, value]) => `${name} ${readable(value, reading)}`)
    .join(', ');
}

function listRemarks({ data: { late = [], collapsed } }: CloudEvent): string[] {
  return [
    late.length === 0 ? '' : `[late: after ${late.join(', ')}]`,
    collapsed === true ? '[one of several steps]' : '',
  ];
}
