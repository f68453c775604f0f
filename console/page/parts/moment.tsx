import { overview } from '../data/feed.ts';

/** `time`: 10:42:07. `minute`: 10:42. `day`: Fri 20 November. `moment`: Fri 20 Nov, 10:42. `date`: 20 Nov. */
type Form = 'time' | 'minute' | 'day' | 'moment' | 'date';

const FORMS: Readonly<Record<Form, Intl.DateTimeFormatOptions>> = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  minute: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { weekday: 'long', day: 'numeric', month: 'long' },
  moment: {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  },
  date: { day: 'numeric', month: 'short' },
};
const FULL: Intl.DateTimeFormatOptions = {
  ...FORMS.moment,
  year: 'numeric',
  second: '2-digit',
  timeZoneName: 'short',
};

const formats = new Map<string, Intl.DateTimeFormat>();

function formatWith(key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', options);
  formats.set(key, made);
  return made;
}

/** An instant in a zone; the text itself when it is none. */
export function formatInstant(instant: string | number, timeZone: string, form: Form): string {
  const at = typeof instant === 'number' ? instant : Date.parse(instant);
  if (Number.isNaN(at)) return String(instant);
  return formatWith(`${form} ${timeZone}`, { ...FORMS[form], timeZone }).format(at);
}

const days = new Map<string, string>();

/** `2026-11-20` as `Fri 20 Nov`. A long list has few of them. */
export function formatDate(date: string): string {
  const known = days.get(date);
  if (known !== undefined) return known;
  const at = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(at)) return date;
  const options = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  const day = formatWith('plain date', options).format(at);
  days.set(date, day);
  return day;
}

/** Zones differ from UTC by whole quarters of an hour, so a date begins with one. */
const QUARTER_MS = 15 * 60_000;
/** Dates by zone and quarter of an hour: a long list needs the date of each of its lines. */
const dates = new Map<string, string>();

/** The calendar date of an instant in a zone, such as `2026-11-20`. */
export function toDate(instant: string, timeZone: string): string {
  const key = `${timeZone} ${Math.floor(Date.parse(instant) / QUARTER_MS)}`;
  const known = dates.get(key);
  if (known !== undefined) return known;
  const date = computeDate(instant, timeZone);
  dates.set(key, date);
  return date;
}

function computeDate(instant: string, timeZone: string): string {
  return formatWith(`sv ${timeZone}`, {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
    .formatToParts(Date.parse(instant))
    .reduce(
      (text, { type, value }) => (type === 'literal' ? text : `${value}${text === '' ? '' : '-'}${text}`),
      '',
    );
}

/** The zone of a connection. */
export function zoneOf(connection: string): string {
  return overview.value?.connections.find(({ name }) => name === connection)?.timeZone ?? 'UTC';
}

interface MomentProps {
  readonly at: string;
  readonly timeZone: string;
  readonly form: Form;
}

/** An instant in the zone of its connection; in the viewer's own where the pointer rests. */
export function Moment({ at, timeZone, form }: MomentProps) {
  // A source may send anything as a time.
  if (Number.isNaN(Date.parse(at))) return <span>{at}</span>;
  const full = formatWith(`full ${timeZone}`, { ...FULL, timeZone }).format(Date.parse(at));
  const own = formatWith('full own', FULL).format(Date.parse(at));
  return (
    <time dateTime={at} title={`${full} in ${timeZone}\n${own} where you are`}>
      {formatInstant(at, timeZone, form)}
    </time>
  );
}
