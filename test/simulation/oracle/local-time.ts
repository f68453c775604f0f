const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds by which a zone is ahead of UTC at an instant. */
export function offsetAt(instant: number, timeZone: string): number {
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

/** Every zone changes its clocks, and begins its days, on a quarter of an hour. */
const QUARTER_MS = 15 * 60_000;
/** Bounds memory over hundreds of thousands of histories. */
const MAX_KNOWN = 20_000;
const daysByZone = new Map<string, Map<number, string>>();
const shiftedDays = new Map<string, Map<number, string>>();

/** The date in a zone at an instant. */
export function dayAt(instant: number, timeZone: string): string {
  return remember(daysByZone, [timeZone, Math.floor(instant / QUARTER_MS)], () =>
    new Date(instant + offsetAt(instant, timeZone)).toISOString().slice(0, 10),
  );
}

/** The time of day in a zone at an instant, as `HH:MM`. */
export function timeAt(instant: number, timeZone: string): string {
  return new Date(instant + offsetAt(instant, timeZone)).toISOString().slice(11, 16);
}

export function shiftDay(day: string, by: number): string {
  return remember(shiftedDays, [day, by], () =>
    new Date(Date.parse(`${day}T12:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10),
  );
}

/** Asked so often that joining both parts of the key to one text would cost more than the rest. */
function remember(
  days: Map<string, Map<number, string>>,
  [name, index]: readonly [name: string, index: number],
  compute: () => string,
): string {
  let known = days.get(name);
  if (known === undefined || known.size > MAX_KNOWN) {
    known = new Map();
    days.set(name, known);
  }
  const before = known.get(index);
  if (before !== undefined) return before;
  const day = compute();
  known.set(index, day);
  return day;
}

/**
 * The instants that a local date-time may mean: several when clocks were set back. One that clocks skipped is read as if
 * they had not been set forward yet.
 */
export function instantsOf(text: string, timeZone: string): number[] {
  if (/(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return [Date.parse(text)];
  const wall = Date.parse(`${text}Z`);
  const offsets = [wall - 86_400_000, wall, wall + 86_400_000].map((near) => offsetAt(near, timeZone));
  const instants = [...new Set(offsets)].map((offset) => wall - offset);
  const shown = instants.filter((instant) => instant + offsetAt(instant, timeZone) === wall);
  return shown.length > 0 ? shown : instants.slice(0, 1);
}
