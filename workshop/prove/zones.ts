import { computeWindow } from '#shared/core/dates.ts';
import { timesheet } from '#test/support/builders.ts';
import { Failures, type Proof, type ProofOptions, spread } from './proof.ts';
import { SmallWorld } from './small-world.ts';

/**
 * Every change of the clock of every zone that Node knows, 2015 to 2040, with polls at each edge of the days around it:
 * the window is made of whole local dates one after another, each of them was scanned, and nothing is told of a date
 * that leaves it.
 */

const FROM = Date.UTC(2015, 0, 1);
const TO = Date.UTC(2041, 0, 1);
/** No zone changes its clock twice within so long. */
const SEARCH_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WINDOW = { backDays: 2, forwardDays: 1 };

interface Transition {
  readonly zone: string;
  /** The first instant of the other offset. */
  readonly at: number;
}

const ZONES = Intl.supportedValuesOf('timeZone');
/** Of all zones: it takes a second to find them. */
let transitions: readonly Transition[] | undefined;

export const zones: Proof = {
  cases: 'changes of clocks',
  async run(options) {
    transitions ??= ZONES.flatMap(listTransitions);
    const failures = new Failures();
    let ran = 0;
    let polls = 0;
    for (const number of spread(transitions.length, options)) {
      const transition = transitions[number];
      if (transition === undefined) throw new Error(`there is no change ${number}`);
      const moments = listMoments(transition);
      for (const fault of await play(transition, moments, options))
        failures.add(`${transition.zone} at ${new Date(transition.at).toISOString()}: ${fault}`);
      ran += 1;
      polls += moments.length;
    }
    const counts = { zones: ZONES.length, polls };
    return { ran, of: transitions.length, failures: failures.described, counts };
  },
};

/** The instants at which a clock changes, found without what the product uses for dates. */
function listTransitions(zone: string): Transition[] {
  const clock = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsetAt = (at: number) => clock.format(at).split(', ').at(-1);
  const found: Transition[] = [];
  let before = offsetAt(FROM);
  for (let at = FROM + SEARCH_MS; at < TO; at += SEARCH_MS) {
    const offset = offsetAt(at);
    if (offset === before) continue;
    const first = findFirst(at - SEARCH_MS, at, (instant) => offsetAt(instant) !== before);
    found.push({ zone, at: first });
    before = offset;
  }
  return found;
}

/** The first instant, after one and up to another, at which something holds that holds from then on. */
function findFirst(after: number, until: number, holds: (at: number) => boolean): number {
  let low = after;
  let high = until;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The last millisecond before and the first of each local day around a change, and of the change itself. */
function listMoments({ zone, at }: Transition): number[] {
  const dateOf = localDates(zone);
  const edges = new Set([at]);
  for (let day = -1; day <= 2; day += 1) {
    const noon = at + day * DAY_MS;
    const date = dateOf(noon);
    edges.add(findFirst(noon - 26 * HOUR_MS, noon, (instant) => dateOf(instant) >= date));
  }
  return [...edges].sort((a, b) => a - b).flatMap((edge) => [edge - 1, edge]);
}

function localDates(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone });
  return (at) => format.format(at);
}

async function play({ zone, at }: Transition, moments: readonly number[], { plant }: ProofOptions) {
  const world = new SmallWorld({ plant, connection: { timeZone: zone, window: WINDOW } });
  const dateOf = localDates(zone);
  for (let day = -5; day <= 5; day += 1) {
    const date = dateOf(at + day * DAY_MS);
    world.apply({ kind: 'put', id: `${date}_7`, values: timesheet({ id: `${date}_7`, date }) });
  }
  world.now = (moments[0] ?? at) - HOUR_MS;
  await world.pollAll();
  await world.pollAll();
  const faults: string[] = [];
  let before = listWindow(world.now, zone);
  for (const moment of moments) {
    world.now = moment;
    const window = listWindow(moment, zone);
    faults.push(...judgeWindow(before, window, dateOf(moment)));
    await world.pollAll();
    faults.push(...(await judgeHeads(world, window)));
    before = window;
  }
  const removed = world.told().filter(({ type, state }) => type.includes('.timesheet.') && state === null);
  return [
    ...faults,
    ...removed.map(({ subject, text }) => `${subject} was told as gone: ${text.slice(0, 120)}`),
  ];
}

/** Dates by the calendar, from the first to the last of the window. */
function listWindow(now: number, zone: string): string[] {
  const { from, to } = computeWindow(now, zone, WINDOW);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  return Array.from({ length: days + 1 }, (_, day) =>
    new Date(Date.parse(from) + day * DAY_MS).toISOString().slice(0, 10),
  );
}

function judgeWindow(before: readonly string[], window: readonly string[], today: string): string[] {
  const faults: string[] = [];
  if (window.length !== WINDOW.backDays + 1 + WINDOW.forwardDays || window[WINDOW.backDays] !== today)
    faults.push(`the window of ${today} is ${window.join(' ')}`);
  const [first = '', last = ''] = [window[0], before.at(-1)];
  const next = new Date(Date.parse(last) + DAY_MS).toISOString().slice(0, 10);
  if (first < (before[0] ?? '')) faults.push(`the window goes back to ${first}`);
  if ((window.at(-1) ?? '') > next)
    faults.push(`the window leaves out what is between ${last} and ${window.at(-1)}`);
  return faults;
}

/** Each date of the window has been seen whole. */
async function judgeHeads(world: SmallWorld, window: readonly string[]): Promise<string[]> {
  const heads = await world.store.loadHeads({ connection: 'main', feed: 'timesheets' }, '');
  const seen = new Set(heads.filter(({ baselinedAt }) => baselinedAt != null).map(({ slice }) => slice));
  const unseen = window.filter((date) => !seen.has(date));
  return unseen.map(
    (date) => `${date} is in the window at ${new Date(world.now).toISOString()}, and was not read`,
  );
}
