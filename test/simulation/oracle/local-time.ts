const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds by which a zone is ahead of UTC at an instant, as its long offset says. */
function offsetAt(instant: number, timeZone: string): number {
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

/** Today in a zone. */
export function dayAt(instant: number, timeZone: string): string {
  return new Date(instant + offsetAt(instant, timeZone)).toISOString().slice(0, 10);
}

export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The instants that a date-time text may mean: several where clocks were moved. */
export function instantsOf(text: string, timeZone: string): number[] {
  if (/(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return [Date.parse(text)];
  const wall = Date.parse(`${text}Z`);
  const offsets = [wall - 86_400_000, wall, wall + 86_400_000].map((near) => offsetAt(near, timeZone));
  return [...new Set(offsets)].map((offset) => wall - offset);
}
