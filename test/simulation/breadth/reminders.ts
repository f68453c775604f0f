import type { Connection } from '#shared/config/schema/connection.ts';
import type { Random } from '../random.ts';
import { MINUTE_MS, type Settings } from '../settings.ts';

/** Deadlines of pay calendars, and times of daily summaries. */
export interface Reminders {
  readonly calendars: NonNullable<Connection['calendars']>;
  /** Times of day. */
  readonly summaries: readonly string[];
}

const LEADS = ['10m', '30m', '1h', '2h', '4h', '1d'] as const;
const CALENDARS = ['Weekly', 'Fortnightly'] as const;
const DAY_MS = 86_400_000;

/** Moments near the polls: the end of the first one, or some minutes after it. */
export function drawReminders({ ticks, connection }: Settings, random: Random): Reminders {
  const { timeZone } = connection;
  const soon = () => random.pick(ticks) + random.between(-5, 5) * MINUTE_MS;
  const calendars = CALENDARS.filter(() => random.chance(0.8)).map((name) => {
    const remindBefore = random.shuffled([...LEADS]).slice(0, random.between(1, 3));
    // One of its moments, or the deadline itself, is near a poll.
    const lead = random.chance(0.8) ? leadMs(remindBefore[0] ?? '1h') : 0;
    const deadline = soon() + lead;
    const time = localText(deadline, timeZone, { hour: '2-digit', minute: '2-digit' });
    const weekday = localText(deadline, timeZone, { weekday: 'short' });
    const closesAt = random.chance(0.7) ? `${weekday} ${time}` : `+${random.between(1, 6)}d ${time}`;
    return { name, closesAt, remindBefore };
  });
  const summaries = Array.from({ length: random.between(0, 2) }, () =>
    localText(soon(), timeZone, { hour: '2-digit', minute: '2-digit' }),
  );
  return { calendars, summaries: [...new Set(summaries)].sort() };
}

function leadMs(text: string): number {
  const unit = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS }[text.slice(-1)] ?? 0;
  return Number.parseInt(text, 10) * unit;
}

/** By zone and what they show: making one takes long. */
const formats = new Map<string, Intl.DateTimeFormat>();

function localText(instant: number, timeZone: string, form: Intl.DateTimeFormatOptions): string {
  const name = `${timeZone} ${Object.keys(form).join(' ')}`;
  const format =
    formats.get(name) ?? new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...form });
  formats.set(name, format);
  return format.format(instant);
}
