import type { Night, SentAtNight } from '../breadth/night.ts';
import type { History } from '../history.ts';
import { MINUTE_MS } from '../settings.ts';
import type { Violation } from './evidence.ts';
import { dayAt, timeAt } from './local-time.ts';

/** Alerts wait for others, and what can wait for more of its pay period. */
const DIGEST_MS = MINUTE_MS;
const GATHER_MS = 60 * MINUTE_MS;
/** A burst that goes on waits for its end, and a minute passes between two runs. */
const MAX_BURST_MS = 45 * MINUTE_MS;
/** Of more timesheets only departments have a line. */
const MAX_LINES = 10;
const HOURS_TO_PAY = /(?<hours>\d[\d,]*(?:\.\d+)?) h to pay/g;
const SUNDAY_AND_SATURDAY = new Set([0, 6]);
const PERSON = /Person \d+/g;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly data: Readonly<Record<'current' | 'previous', Readonly<Record<string, unknown>> | null>> & {
    readonly late?: readonly string[];
    readonly payPeriods?: readonly { readonly state: string }[];
  };
}

type Published = Event & { readonly at: number };

/**
 * A channel with quiet hours gets in them what is urgent alone, the rest soon after them, with the people and hours of
 * the world.
 */
export function judgeNight(history: History, night: Night): Violation[] {
  const events = new Map<string, Published>();
  for (const { text, at } of history.journal.publications) {
    const event = JSON.parse(text) as Event;
    if (!events.has(event.id)) events.set(event.id, { ...event, at });
  }
  const { timeZone } = history.settings.connection;
  const isQuiet = (at: number) => {
    const time = timeAt(at, timeZone);
    return time >= night.from || time < night.to;
  };
  const problems = night.sent.flatMap((sent) => {
    const told = sent.alertIds.flatMap((id) => events.get(id) ?? []);
    return [
      ...(isQuiet(sent.at) && sent.message.urgent !== true ? ['was not urgent and came in quiet hours'] : []),
      ...told.filter((event) => sent.at > lastMoment(event, { isQuiet, timeZone })).map(lateText),
      ...wrongPeople(sent, told, night),
      ...wrongHours(sent, told, history),
    ].map((text) => `the message ${JSON.stringify(sent.message.title)} ${text}`);
  });
  return problems.map((text) => ({ check: 'protocol', text }));
}

function lateText({ type, subject = '' }: Event): string {
  return `told of ${type} ${subject} late`;
}

interface Hours {
  readonly isQuiet: (at: number) => boolean;
  readonly timeZone: string;
}

/** Until when something that was published is to be told: what can wait, after a while, and on a day of the week. */
function lastMoment(event: Published, { isQuiet, timeZone }: Hours): number {
  const waits = canWait(event);
  let due = event.at + (waits ? GATHER_MS : DIGEST_MS);
  // Releases run each minute: the one that would tell it may come just when the night has begun.
  const isHeld = (at: number) => isQuiet(at) || (waits && isWeekend(at, timeZone));
  while (isHeld(due) || isHeld(due + MINUTE_MS)) due += MINUTE_MS;
  return due + MAX_BURST_MS;
}

/** A late approval or clocking, and a step of processing before all its pay periods closed. */
function canWait({ type, data }: Published): boolean {
  const { late = [], payPeriods } = data;
  if (/timesheet\.processed$|processing_reverted$/.test(type))
    return (
      payPeriods !== undefined && payPeriods.length > 0 && payPeriods.every(({ state }) => state === 'open')
    );
  return (
    /\.(?:approved|payroll_approved|clocked_\w+|clock_\w+_(?:corrected|removed))$/.test(type) &&
    late.some((each) => each !== 'approval')
  );
}

function isWeekend(at: number, timeZone: string): boolean {
  return SUNDAY_AND_SATURDAY.has(new Date(dayAt(at, timeZone)).getUTCDay());
}

/** Nobody is named who has nothing to do with it, and where there is room each timesheet has its person. */
function wrongPeople({ message }: SentAtNight, told: readonly Event[], { people }: Night): string[] {
  const own = told.map(({ data }) =>
    [data.current, data.previous].flatMap((state) => {
      const name = people.get(String(state?.employeeId));
      return name === undefined ? [] : [name];
    }),
  );
  const known = new Set(own.flat());
  const lines = [message.title, ...message.lines].join('\n');
  const stranger = [...lines.matchAll(PERSON)].map(([name]) => name).find((name) => !known.has(name));
  // Several events of a timesheet are one line, which names who has it now.
  const named = Map.groupBy(told.keys(), (place) => told[place]?.subject);
  const isNamed = [...named.values()].every((places) => {
    const names = places.flatMap((place) => own[place] ?? []);
    const isDue = places.some((place) => isOfPerson(told[place]));
    return !isDue || names.length === 0 || names.some((name) => lines.includes(name));
  });
  const isWhole =
    message.more === 0 && told.length <= MAX_LINES && !told.some(({ type }) => type.endsWith('.mass_change'));
  return [
    ...(stranger === undefined || hasLists(told) ? [] : [`names ${stranger}, who is not in it`]),
    ...(isNamed || !isWhole ? [] : ['leaves out whose timesheet it is']),
  ];
}

/** A timesheet that is still there. */
function isOfPerson(event: Event | undefined): boolean {
  return event !== undefined && /\.timesheet\./.test(event.type) && event.data.current !== null;
}

/** Events with lists of people of other timesheets. */
function hasLists(told: readonly Event[]): boolean {
  return told.some(({ type }) => type.includes('.pay_period.'));
}

/** The hours to pay of a line are those that one of its timesheets had in the world. */
function wrongHours({ message, at }: SentAtNight, told: readonly Event[], { world }: History): string[] {
  const had = new Set(
    told.flatMap(({ subject = '' }) =>
      (world.truth.timesheets.get(subject)?.versions ?? [])
        .filter((version) => version.at <= at)
        .map(({ record }) => Number(record?.hoursToPay)),
    ),
  );
  const said = message.lines.flatMap((line) =>
    [...line.matchAll(HOURS_TO_PAY)].map(({ groups }) => Number(groups?.hours?.replaceAll(',', ''))),
  );
  const wrong = said.find((hours) => ![...had].some((each) => Math.abs(each - hours) < 0.01));
  return wrong === undefined ? [] : [`says ${wrong} h to pay, which none of its timesheets had`];
}
