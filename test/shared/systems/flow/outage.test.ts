import { beforeEach, describe, expect, test } from 'vitest';
import { toIso } from '#shared/core/dates.ts';
import {
  type Acceptance,
  findRecentOutage,
  followAcceptance,
  isGivenUp,
} from '#shared/systems/acceptance.ts';
import { deliverWebhooks } from '#shared/systems/flow/deliver-webhooks.ts';
import { AcceptanceNotes } from '#shared/systems/flow/note-acceptance.ts';
import { eventText, idOf, START, WebhookWorld } from '#test/support/webhook-world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** How long the endpoint takes to answer. */
const ANSWER_MS = 20;

let world: WebhookWorld;

beforeEach(() => {
  world = new WebhookWorld();
  startProcess();
});

test.each([
  ['within the 14 days for which all of it is kept: nothing is left out', [0, 14], null],
  ['after 15 days', [0, 15], [0, 15]],
  ['and goes on', [0, 15, 16], [0, 15]],
  ['twice in a month: what the first outage left out is still part of it', [0, 20, 40], [0, 40]],
  ['twice in three months', [0, 20, 40, 80], [40, 80]],
])('what a webhook left out that takes events again %s', (_, days, outage) => {
  let known: Acceptance | null = null;
  for (const day of days) known = followAcceptance(known, day * DAY) ?? known;
  const [from = 0, to = 0] = outage ?? [];
  const left = outage === null ? {} : { outage: { from: from * DAY, to: to * DAY } };
  expect(known).toEqual({ at: (days.at(-1) ?? 0) * DAY, ...left });
});

describe('a webhook that takes events again', () => {
  test('after it was tried for 16 days in vain, which is no acceptance, is noted and said once', async () => {
    await accept(0);
    world.endpoint = () => 503;
    world.publish(eventText('r1', 1));
    await world.run();
    expect(world.now - START).toBeGreaterThanOrEqual(14 * DAY);
    world.endpoint = () => 204;
    await accept(16 * DAY);
    startProcess();
    await accept(16 * DAY + 2 * HOUR);
    const outage = { from: takenAt(0), to: takenAt(16 * DAY) };
    expect(await load()).toMatchObject({ outage });
    expect(world.lines.filter(({ outcome }) => outcome === 'webhook.resumed')).toEqual([
      { outcome: 'webhook.resumed', webhook: 'payroll', from: toIso(outage.from), to: toIso(outage.to) },
    ]);
  });

  test('is noted once an hour by a process, whatever it takes', async () => {
    for (let minute = 0; minute < 100; minute += 10) await accept(minute * 60_000);
    expect(await load()).toEqual({ at: takenAt(HOUR) });
  });

  test('is served also when the note fails', async () => {
    const saveAcceptance = () => Promise.reject(new Error('throttled'));
    world.acceptances = new AcceptanceNotes({ ...world.stateStore, saveAcceptance }, 'payroll');
    await accept(0);
    expect(world.taken).toHaveLength(1);
    expect(world.waiting).toEqual([]);
    const reason = expect.stringContaining('saveAcceptance');
    expect(world.lines).toContainEqual({ outcome: 'delivery.interrupted', webhook: 'payroll', reason });
  });
});

test('what is sent again stays that when the clock goes back while it is received', async () => {
  world.publish(eventText('r1', 1));
  await world.run();
  let now = world.now;
  const message = { id: 'again', body: eventText('r1', 1), attributes: { 'sent-again': 'true' } };
  const batch = { messages: [message], webhook: world.webhook, deadline: now + 60_000, retentionDays: 90 };
  const clock = {
    now: () => {
      now -= 1;
      return now;
    },
  };

  await deliverWebhooks(batch, { ...world.ports(), clock });
  await world.run();

  expect(world.taken).toEqual([idOf('r1', 1), idOf('r1', 1)]);
});

test('sending it again is offered for 30 days', () => {
  const outage = { from: START, to: START + 20 * DAY };
  expect(findRecentOutage({ at: 0, outage }, outage.to + 30 * DAY - 1)).toEqual(outage);
  expect(findRecentOutage({ at: 0, outage }, outage.to + 30 * DAY)).toBeNull();
  expect(findRecentOutage({ at: 0 }, START)).toBeNull();
  expect(findRecentOutage(null, START)).toBeNull();
});

test.each([
  ['failed', 0, true],
  ['delivered', 100 * DAY, false],
  // in its queue, or tried once a day
  ['waiting', 14 * DAY, false],
  [null, 15 * DAY, false],
  // in no queue any more
  ['waiting', 15 * DAY + 1, true],
  [null, 15 * DAY + 1, true],
] as const)('an event that is %s, last heard of %d ms ago: given up is %s', (outcome, ago, expected) => {
  expect(isGivenUp(outcome, START - ago, START)).toBe(expected);
});

function startProcess(): void {
  world.acceptances = new AcceptanceNotes(world.stateStore, 'payroll');
}

/** An event comes at an instant after the start, and is taken. */
async function accept(after: number): Promise<void> {
  world.now = Math.max(world.now, START + after);
  world.publish(eventText(`a${after}`, 1));
  await world.run();
}

/** When the event of `accept` was taken. */
function takenAt(after: number): number {
  return START + after + ANSWER_MS;
}

function load() {
  return world.stateStore.loadAcceptance('payroll');
}
