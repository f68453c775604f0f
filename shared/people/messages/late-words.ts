import * as z from 'zod';
import { cleanText } from './clean-text.ts';
import { formatChange } from './numbers.ts';
import { type EventState, readNumber } from './record-events.ts';
import { listAll } from './wording.ts';

const closedPeriodsSchema = z
  .array(
    z.object({
      calendar: z.string().nullable(),
      effect: z.string().optional(),
      hours: z.number().optional(),
      certain: z.boolean().optional(),
    }),
  )
  .catch([]);

/** What an event says of having come late. */
export interface LateData {
  readonly late: readonly string[];
  readonly closedPeriods?: unknown;
}

/** Whether it is not known of any of its closed pay periods that the change came after the closing. */
export function isPerhapsLate({ late, closedPeriods }: LateData): boolean {
  const periods = closedPeriodsSchema.parse(closedPeriods);
  return late.includes('close') && periods.length > 0 && periods.every(({ certain }) => certain === false);
}

/** `, after it was approved and its pay period closed`. `implied`: reasons that the sentence itself says. */
export function describeLate(type: string, data: LateData, implied: readonly string[] = []): string {
  const stood = data.late.filter((each) => !implied.includes(each));
  const isPerhaps = isPerhapsLate(data);
  // The person clocked in time.
  const recorded = type.includes('.clocked_') ? 'recorded ' : '';
  const perhaps = isPerhaps ? `, ${recorded}perhaps after its pay period closed` : '';
  const certain = listReasons(isPerhaps ? stood.filter((each) => each !== 'close') : stood);
  if (certain.length === 0) return perhaps;
  const isApprovalAlone = certain.length === 1 && certain[0] === 'it was approved';
  const said = isApprovalAlone ? ', after approval' : `, ${recorded}after ${listAll(certain)}`;
  return `${said}${perhaps}`;
}

/** `it was approved and processed`, `its pay period closed`. */
function listReasons(stood: readonly string[]): string[] {
  const was = [
    ...(stood.includes('approval') ? ['it was approved'] : []),
    ...(stood.includes('processing') ? ['it was processed'] : []),
  ];
  const closed = stood.includes('close') ? ['its pay period closed'] : [];
  return [...(was.length > 1 ? ['it was approved and processed'] : was), ...closed];
}

interface SinceClosingData {
  readonly current: EventState;
  readonly previous: EventState;
  readonly changed: readonly string[];
  readonly closedPeriods?: unknown;
}

/** ` (Weekly +1 h)`: what its pay periods no longer come to as they were told. */
export function describeSinceClosing({
  current,
  previous,
  changed,
  closedPeriods,
}: SinceClosingData): string {
  const periods = closedPeriodsSchema.parse(closedPeriods);
  const known = periods.flatMap(({ calendar, effect, hours }) =>
    effect === undefined || hours === undefined ? [] : [`${nameCalendar(calendar)}${formatChange(hours)}`],
  );
  if (known.length > 0) return ` (${known.join(', ')})`;
  // Of another date or employee it may belong to another period.
  const hasMoved = changed.some((field) => field === 'date' || field === 'employeeId');
  if (hasMoved || periods.length === 0 || periods.some(({ effect }) => effect !== undefined)) return '';
  const [before, after] = [previous, current].map((state) =>
    state === null ? 0 : readNumber(state, 'hoursToPay'),
  );
  if (before == null || after == null || before === after) return '';
  const [only, ...others] = periods;
  const calendar = others.length > 0 ? '' : nameCalendar(only?.calendar ?? null);
  return ` (${calendar}${formatChange(after - before)})`;
}

function nameCalendar(calendar: string | null): string {
  const name = cleanText(calendar ?? '');
  return name === '' ? '' : `${name} `;
}
