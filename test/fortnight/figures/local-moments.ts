/** How moments are written for people in a zone; written without the notifier. */
export class LocalMoments {
  readonly #parts: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#parts = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  }

  /** `14:05`. */
  timeOf(instant: number): string {
    const { hour, minute } = this.#read(instant);
    return `${hour}:${minute}`;
  }

  /** `Tue 3 Nov`. */
  dayOf(instant: number): string {
    const { weekday, day, month } = this.#read(instant);
    return `${weekday} ${day} ${month}`;
  }

  /** `14:05` on the day of another moment, or `Tue 3 Nov 14:05`. */
  isMoment(text: string, instant: number, beside: number): boolean {
    const whole = `${this.dayOf(instant)} ${this.timeOf(instant)}`;
    return text === whole || (text === this.timeOf(instant) && this.dayOf(instant) === this.dayOf(beside));
  }

  #read(instant: number): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#parts.formatToParts(instant).map(({ type, value }) => [type, value]));
  }
}

const DATE_PARTS = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
});

/** `Tue 3 Nov` of `2026-11-03`. */
export function writeDate(date: string): string {
  return DATE_PARTS.format(Date.parse(date)).replace(',', '').replace('Sept', 'Sep');
}

/** `26 Oct - 1 Nov`, `2-8 Nov`. */
export function writeDates(from: string, to: string): string {
  const [first, last] = [writeDate(from).slice(4), writeDate(to).slice(4)];
  const [day = '', month] = first.split(' ');
  return last.endsWith(` ${month}`) ? `${day}-${last}` : `${first} - ${last}`;
}

/** Of the zone, in all of the fortnight. */
export const UTC_OFFSET = '+13:00';

/** The day of an instant in the zone, as a date. */
export function dayBegins(instant: number): string {
  return new Date(instant + Number.parseInt(UTC_OFFSET, 10) * 3_600_000).toISOString().slice(0, 10);
}
