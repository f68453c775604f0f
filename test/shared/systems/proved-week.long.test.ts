import { expect, test } from 'vitest';
import { type Mood, ProvedWeek, RECEIVERS, type Receiver, WEEK_START } from './proved-week.ts';

const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;
const WORKDAYS = 5;
const WORKED_MINUTES = 10 * HOUR_MINUTES;
const STEP_MINUTES = 5;

interface Spell {
  readonly who: Receiver;
  readonly mood: Mood;
  /** Day of the week from 0, and hours of it. */
  readonly day: number;
  readonly from: number;
  readonly to: number;
}

const SPELLS: readonly Spell[] = [
  { who: 'webhook', mood: 'paused', day: 1, from: 8, to: 11 },
  { who: 'queue', mood: 'paused', day: 1, from: 8, to: 13 },
  { who: 'webhook', mood: 'revoked', day: 2, from: 8, to: 10 },
  { who: 'queue', mood: 'revoked', day: 2, from: 14, to: 16 },
  { who: 'webhook', mood: 'rate limited', day: 3, from: 8, to: 12 },
];
/** Of the last workday: from then on the webhook is down for 13 days, and the others go on. */
const DOWN_FROM_HOUR = 16;
const DOWN_DAYS = 13;

test('each of two subscribers proves by watermarks alone that it lacks nothing, or names what it lacks', async () => {
  const week = new ProvedWeek();
  const seen = new Map<string, number>();
  await live(week, 0, seen);
  for (let day = 0; day < WORKDAYS; day += 1) await liveDay(week, day, seen);
  expect(week.moods.webhook).toBe('down');
  for (let half = 0; half < 2 * DOWN_DAYS; half += 1) await live(week, DAY_MINUTES / 2, seen);
  expect(week.subscribers.webhook.arrived.size).toBeLessThan(week.published.length);
  expect(week.world.dead).toEqual([]);

  week.moods.webhook = 'well';
  // What was tried last a day ago is tried within a day.
  for (let half = 0; half < 4; half += 1) await live(week, DAY_MINUTES / 2, seen);
  for (const receiver of RECEIVERS) {
    const { arrived, proved } = week.subscribers[receiver];
    expect(week.subscribers[receiver].findLacking()).toEqual([]);
    expect(arrived.size).toBe(week.published.length);
    for (const { id, source } of week.lastWatermarks()) expect(proved.get(source)?.id).toBe(id);
    expect(seen.get(`${receiver} proves`)).toBeGreaterThan(500);
  }
  expect(week.published.length).toBeGreaterThan(1_000);
  // Watermarks overtake what is tried again.
  expect(seen.get('webhook names')).toBeGreaterThan(10);
});

async function liveDay(week: ProvedWeek, day: number, seen: Map<string, number>): Promise<void> {
  for (let minute = 0; minute < WORKED_MINUTES; minute += STEP_MINUTES) {
    setMoods(week, day, new Date(WEEK_START).getUTCHours() + minute / HOUR_MINUTES);
    await live(week, STEP_MINUTES, seen);
  }
  await live(week, DAY_MINUTES - WORKED_MINUTES, seen);
}

/** What each names is what it really lacks. Counts how often that was nothing, and something. */
async function live(week: ProvedWeek, minutes: number, seen: Map<string, number>): Promise<void> {
  await week.live(minutes);
  for (const receiver of RECEIVERS) {
    const named = week.subscribers[receiver].findLacking();
    const moment = `${receiver} at ${new Date(week.harness.now).toISOString()}`;
    expect(named, moment).toEqual(week.findTruth(receiver));
    const kind = `${receiver} ${named.length === 0 ? 'proves' : 'names'}`;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
  }
}

function setMoods(week: ProvedWeek, day: number, hour: number): void {
  for (const receiver of RECEIVERS) {
    const spell = SPELLS.find(
      ({ who, day: on, from, to }) => who === receiver && on === day && from <= hour && hour < to,
    );
    week.moods[receiver] = spell?.mood ?? 'well';
  }
  if (day === WORKDAYS - 1 && hour >= DOWN_FROM_HOUR) week.moods.webhook = 'down';
}
