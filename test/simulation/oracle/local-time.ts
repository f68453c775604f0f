const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Every zone changes its clocks, and begins its days, on a quarter of an hour. */
const QUARTER_MS = 15 * 60_000;
/** Bounds memory over hundreds of thousands of histories. */
const MAX_KNOWN = 20_000;
const offsetsByZone: Known<number> = new Map();
const shiftedDays: Known<string> = new Map();

/** Milliseconds by which a zone is ahead of UTC at an instant. */
export function offsetAt(instant: number, timeZone: string): number {
  return remember(offsetsByZone, [timeZone, Math.floor(instant / QUARTER_MS)], () =>
    readOffset(instant, timeZone),
  );
}

function readOffset(instant: number, timeZone: string): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timeZone, format);
  }
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /^GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** The date in a zone at an instant. */
export function dayAt(instant: number, timeZone: string): string {
  return shiftDay('1970-01-01', Math.floor((instant + offsetAt(instant, timeZone)) / DAY_MS));
}

/** The time of day in a zone at an instant, as `HH:MM`. */
export function timeAt(instant: number, timeZone: string): string {
  return new Date(instant + offsetAt(instant, timeZone)).toISOString().slice(11, 16);
}

export function shiftDay(day: string, by: number): string {
  return remember(shiftedDays, [day, by], () =>
    new Date(Date.parse(`${day}T12:00:00Z`) + by * DAY_MS).toISOString().slice(0, 10),
  );
}

/** By a text and a number. */
type Known<Answer> = Map<string, Map<number, Answer>>;

/** Asked so often that joining both parts of the key to one text would cost more than the rest. */
function remember<Answer>(
  answers: Known<Answer>,
  [name, index]: readonly [name: string, index: number],
  compute: () => Answer,
): Answer {
  let known = answers.get(name);
  if (known === undefined || known.size > MAX_KNOWN) {
    known = new Map();
    answers.set(name, known);
  }
  const before = known.get(index);
  if (before !== undefined) return before;
  const answer = compute();
  known.set(index, answer);
  return answer;
}

/**
 * The instants that a local date-time may mean: several when clocks were set back. One that clocks skipped is read as if
 * they had not been set forward yet.
 */
export function instantsOf(text: string, timeZone: string): number[] {
  if (/(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return [Date.parse(text)];
  const wall = Date.parse(`${text}Z`);
  const offsets = [wall - DAY_MS, wall, wall + DAY_MS].map((near) => offsetAt(near, timeZone));
  const instants = [...new Set(offsets)].map((offset) => wall - offset);
  const shown = instants.filter((instant) => instant + offsetAt(instant, timeZone) === wall);
  return shown.length > 0 ? shown : instants.slice(0, 1);
}
