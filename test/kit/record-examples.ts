import { type Company, createCompany } from '#local/source/company/company.ts';
import { toIso } from '#shared/core/dates.ts';
import { SourceError } from '#shared/core/errors.ts';
import { SHORT_EVENT_TYPES, type ShortEventType, toEventType } from '#shared/core/event-types.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { type RecordSelection, walkRows } from '#shared/flow/stored-records.ts';
import { readStates } from '#shared/operator/send/events-to-send.ts';
import { readLastTold, tellForgotten } from '#shared/systems/forget/forget-record.ts';
import { type CompanyMirror, mirrorCompany } from '#test/support/company-mirror.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import {
  type Created,
  DEPARTMENT,
  type Deed,
  EMPLOYEE,
  ENDS,
  listDeeds,
  PAYDAY,
  STARTS,
  UNREADABLE,
  UNREADABLE_AT_CLOSING,
} from './example-life.ts';

const MINUTE_MS = 60_000;
/** Between these, there are polls when something happens to what the examples are about. */
const POLL_MS = 30 * MINUTE_MS;
const PAYDAY_POLL_MS = 5 * MINUTE_MS;
/** A closing is told once all that belongs to it was read again. */
const WATCH_MS = 3 * MINUTE_MS;
/** Of a company whose own people leave the timesheet alone until it is paid. */
const SEED = 9;
const CONNECTION = {
  timeZone: 'Pacific/Auckland',
  window: { backDays: 10, forwardDays: 1 },
  calendars: [{ name: 'Weekly', closesAt: '+2d 10:30', remindBefore: ['2h'] }],
  absences: { clockInMinutes: 15, clockOutHours: 3 },
  watermark: true,
};
const FEEDS = FEED_NAMES.map((name) => ({ name, silent: false }));

interface RecordedEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One event of each type, in the order of the catalogue, as the notifier publishes them of the sample company. */
export async function recordExamples(): Promise<readonly RecordedEvent[]> {
  const created: Created = { timesheet: '', late: '', period: '' };
  const harness = openHarness();
  const states = await live(harness, created);
  const texts = [...harness.texts, ...states, ...(await forget(harness, created.late))];
  const events = texts.map((text) => JSON.parse(text) as RecordedEvent);
  return SHORT_EVENT_TYPES.map((type) => {
    const isExample = isExampleOf(type, created);
    const example = events.findLast((event) => event.type === toEventType(type) && isExample(event));
    if (example === undefined) throw new Error(`nothing that is published is an example of ${type}`);
    return example;
  });
}

function openHarness(): PollHarness {
  const harness = new PollHarness({
    startAt: toIso(STARTS),
    requestMs: 20,
    connection: CONNECTION,
    feeds: FEEDS,
  });
  const failing = [UNREADABLE, UNREADABLE_AT_CLOSING];
  harness.onPage = ({ range }) =>
    failing.some(
      ({ date, from, to }) =>
        range !== null && range.from <= date && date <= range.to && from <= harness.now && harness.now < to,
    )
      ? new SourceError('source_failed', 'the list of this date fails')
      : null;
  return harness;
}

/** Nine days of polls. Returns states of the records that the examples are about, as they change. */
async function live(harness: PollHarness, created: Created): Promise<readonly string[]> {
  const company = createCompany({ seed: SEED, size: 30, timeZone: CONNECTION.timeZone, startsAt: STARTS });
  const deeds = listDeeds(company, harness, created);
  const mirror = mirrorCompany(company);
  const states: string[] = [];
  for (const moment of passTime(company, deeds, created)) {
    takeOver(harness, company, mirror);
    await harness.pollNow({ all: moment === 'deed' });
    if (moment === 'deed') states.push(...(await readFollowed(harness, created)));
  }
  return states;
}

/** Lets the company live, and stops at each minute that is worth a poll: before and after a deed, and at others. */
function* passTime(
  company: Company,
  deeds: readonly Deed[],
  created: Created,
): Generator<'deed' | 'other', void> {
  let seen = company.history.length;
  let watchUntil = STARTS;
  for (let now = STARTS; now <= ENDS; now += MINUTE_MS) {
    for (const { at, act } of deeds.filter((each) => now - MINUTE_MS < each.at && each.at <= now)) {
      company.advanceTo(at);
      act();
    }
    company.advanceTo(now);
    const changed = company.history.slice(seen).map(({ id }) => id);
    seen = company.history.length;
    if (Object.values(created).some((id) => changed.includes(id))) watchUntil = now + WATCH_MS;
    if (now === STARTS || deeds.some(({ at }) => Math.abs(at - now) < MINUTE_MS)) yield 'deed';
    else if (now <= watchUntil || now % (isPayday(now) ? PAYDAY_POLL_MS : POLL_MS) === 0) yield 'other';
  }
}

/** While figures of the pay period are told: they are of a moment ago. */
function isPayday(now: number): boolean {
  return PAYDAY.from <= now && now < PAYDAY.to;
}

/** The source has what the company has now. */
function takeOver(harness: PollHarness, company: Company, mirror: CompanyMirror): void {
  harness.now = Math.max(harness.now, company.now());
  mirror.update(harness);
}

async function readFollowed({ store }: PollHarness, { timesheet, period }: Created): Promise<string[]> {
  const select: readonly RecordSelection[] = [
    { feed: 'timesheets', ids: [timesheet] },
    { feed: 'pay-periods', ids: [period] },
    { feed: 'employees', ids: [EMPLOYEE] },
    { feed: 'departments', ids: [DEPARTMENT] },
  ];
  const states = await Array.fromAsync(readStates('main', { select }, store));
  return states.map(({ text }) => text);
}

/** What is published when the employee of a timesheet is forgotten. */
async function forget({ store, now }: PollHarness, id: string): Promise<readonly string[]> {
  const selection = { feed: 'timesheets', ids: [id] } as const;
  const slices = await Array.fromAsync(walkRows('main', selection, store));
  const time = { now, clock: now, restoredAt: null };
  return slices.flatMap(({ rows }) => rows.map((row) => tellForgotten('main', readLastTold(row), time)));
}

/** Which events of a type are examples: the last one is taken. */
function isExampleOf(type: ShortEventType, { timesheet, late, period }: Created) {
  return ({ source, subject, data }: RecordedEvent): boolean => {
    if (type.endsWith('.snapshot') && data.current === null) return false;
    if (type === 'employee.forgotten' || type.endsWith('_missing')) return subject === late;
    // The first closing, which lacks nothing, and what it came to.
    if (type === 'pay_period.closed' || type === 'pay_period.settled')
      return subject === period && !isClosedAgain(data);
    if (type === 'baseline.completed') return source.endsWith('/timesheets');
    if (type === 'feed.complete')
      return source.endsWith('/timesheets') && isTelling(data as unknown as Watermark);
    const subjects = {
      timesheet,
      pay_period: period,
      employee: EMPLOYEE,
      department: DEPARTMENT,
      trouble: UNREADABLE.date,
    };
    return subject === subjects[type.slice(0, type.indexOf('.')) as keyof typeof subjects];
  };
}

function isClosedAgain({ observed }: RecordedEvent['data']): boolean {
  return Date.parse((observed as { readonly by: string }).by) > UNREADABLE_AT_CLOSING.from;
}

interface Watermark {
  readonly through: string | null;
  readonly except: readonly unknown[];
  readonly events: { readonly count: number } | null;
}

/** There are events before it, and a date that is left out: that of the trouble. */
function isTelling({ through, except, events }: Watermark): boolean {
  if (through === null || Date.parse(through) > UNREADABLE.to) return false;
  return except.length > 0 && events !== null && events.count > 0;
}
