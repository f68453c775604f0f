import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Folded,
  fold,
  isTimesheetEvent,
  parseEvent,
  statementDigest,
  type TimesheetEvent,
} from 'workforce-change-notifier';
import { make, TODAY, WATCHED } from '#test/end-to-end/company.ts';
import { takeMessages } from '#test/end-to-end/inbox.ts';
import { startWatchedMachine, type WatchedMachine } from './watched-machine.ts';

/** An engineer connects a queue in the middle of a pay period, catches up, and proves that nothing is missing. */

const QUEUE = 'workforce-notifier-payroll';
const TO = ['--to', 'payroll', '--yes', '--rate', '1000'];

let machine: WatchedMachine;
let period: string;
/** What the system keeps: a state for each timesheet. */
const kept = new Map<string, Folded<TimesheetEvent>>();

beforeAll(async () => {
  machine = await startWatchedMachine();
  const { company } = machine.source;
  const now = company
    .payPeriods()
    .find(({ startDate, finishDate }) => startDate <= TODAY && TODAY <= finishDate);
  period = now?.id ?? '';
  // What happened before the queue was connected, and is lost to it.
  for (const { id } of open().slice(0, 3)) make(machine.source, { change: 'approve', id });
  await machine.stage.tell();
  await takeMessages(machine.stage.aws.sqs, QUEUE);
});

afterAll(async () => {
  await machine?.stop();
});

test('without anything, everything is missing, and the command to repair it is complete', async () => {
  const { code, lines } = await reconcile();
  expect(code).toBe(1);
  expect(lines).toContainEqual(expect.stringMatching(/^stored {2}\d{2,} timesheets/));
  expect(lines).toContainEqual(
    expect.stringMatching(/^missing +\d{2,} +\+\d+(\.\d+)? h +\S+, .* and \d+ more; --json lists all$/),
  );
  expect(lines.at(-1)).toBe(
    `to repair: npm run notifier -- send --state --period ${period} --to '<name>' --data ${machine.stage.dataFolder}`,
  );
});

test('the state of its records is counted, confirmed and sent, and is a base for what happens meanwhile', async () => {
  const counted = await machine.run('send', '--state', '--period', period, '--to', 'payroll');
  expect(counted.lines.at(-1)).toMatch(/^\d{2,} events to subscriptions\/payroll$/);
  expect(await take()).toEqual([]);

  const [early, late] = open();
  make(machine.source, { change: 'approve', id: early?.id ?? '' });
  await machine.stage.tell();
  const { code, lines } = await machine.run('send', '--state', '--period', period, ...TO);
  expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/^\d{2,} sent$/)]);
  make(machine.source, { change: 'approve', id: late?.id ?? '' });
  await machine.stage.tell();

  const received = await take();
  expect(received.filter(({ type }) => type === 'workforce.timesheet.approved')).toHaveLength(2);
  // In any order: what is newer wins.
  keep(received.toReversed());
  expect(kept.get(late?.id ?? '')).toMatchObject({ current: { approvedHours: expect.any(String) } });
});

test('then one comparison proves the period, by its digest', async () => {
  const { code, lines } = await reconcile();
  expect([code, lines]).toEqual([0, expect.arrayContaining(['equal'])]);
  const digest = statementDigest(kept);
  expect(lines.filter((line) => line.includes(`digest ${digest}`))).toHaveLength(2);
  const statement = JSON.parse((await machine.run('statement', period, '--json')).stdout);
  expect(statement.now.digest).toBe(digest);
});

test('what it does not hear of is found and repaired', async () => {
  const [unheard, lost] = open();
  // Its topics leave this event out.
  make(machine.source, { change: 'correct-clock-in', id: unheard?.id ?? '', minutes: 3 });
  await machine.stage.tell();
  keep(await take());
  kept.delete(lost?.id ?? '');

  const json = JSON.parse((await reconcile('--json')).stdout);
  expect(json).toMatchObject({ same: false, ahead: [], unknown: [] });
  expect(json.missing.map(({ id }: { id: string }) => id)).toEqual([lost?.id]);
  expect(json.behind.map(({ id }: { id: string }) => id)).toEqual([unheard?.id]);
  expect(json.digests.have).not.toBe(json.digests.stored);

  for (const each of [unheard, lost]) {
    const { code, lines } = await machine.run('send', '--state', '--record', each?.id ?? '', ...TO);
    expect([code, lines.slice(-2)]).toEqual([0, ['1 event to subscriptions/payroll', '1 sent']]);
  }
  keep(await take());
  expect((await reconcile()).code).toBe(0);
});

test('what was removed is repaired too', async () => {
  const [gone] = open();
  make(machine.source, { change: 'remove', id: gone?.id ?? '' });
  await machine.stage.tell();
  const { lines } = await reconcile();
  await machine.run('send', '--state', '--record', gone?.id ?? '', ...TO);
  expect(lines).toContainEqual(
    expect.stringMatching(new RegExp(`^behind +1 +-.* ${gone?.id} \\(has \\d+, removed\\)$`)),
  );
  keep(await take());
  expect(kept.get(gone?.id ?? '')).toMatchObject({ removed: true, current: null });
  expect((await reconcile()).code).toBe(0);
});

test('the state of a period is of its members alone', async () => {
  const ids = await listMembers();
  await machine.run('send', '--state', '--period', period, ...TO);
  expect((await take()).map(({ subject }) => subject).sort()).toEqual(ids);
});

test('who keeps everything can prove the period, too', async () => {
  const before = kept.size;
  await machine.run('send', '--state', ...TO);
  keep(await take());
  expect(kept.size).toBeGreaterThan(before);
  const { code, lines } = await reconcile();
  const held = [...kept.values()].filter(({ removed }) => !removed).length;
  const others = `${held - (await listMembers()).length} of other periods, not compared`;
  expect([code, lines]).toEqual([0, expect.arrayContaining(['equal', others])]);
});

test('a wrong line is named, and nothing is compared', async () => {
  writeFileSync(haveFile(), '{"id":"1_1","sequence":0}\n{"id":"2_1"}\n');
  const { code, stdout, stderr } = await machine.run('reconcile', '--period', period, '--have', haveFile());
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/mine\.ndjson: line 2: sequence: .*; a line is such as \{/);
  const unknown = await machine.run('reconcile', '--period', '1_x', '--have', '/nowhere');
  expect(unknown.stderr).toMatch(/^--have cannot be read: /);
});

/** Timesheets of the week that are not approved, on dates of the period. */
function open() {
  const { company } = machine.source;
  const own = company.payPeriods().find(({ id }) => id === period);
  return company
    .timesheets({ from: own?.startDate ?? '', to: own?.finishDate ?? '' })
    .filter(
      ({ date, approvedHours }) => approvedHours === null && WATCHED.from <= date && date <= WATCHED.to,
    );
}

async function listMembers(): Promise<string[]> {
  const { members } = JSON.parse((await machine.run('statement', period, '--members', '--json')).stdout);
  return members.map(({ timesheetId }: { timesheetId: string }) => timesheetId).sort();
}

async function take(): Promise<TimesheetEvent[]> {
  const messages = await takeMessages(machine.stage.aws.sqs, QUEUE);
  return messages.flatMap((message) => {
    const parsed = parseEvent(message);
    if (parsed.outcome !== 'event') throw new Error(parsed.outcome);
    return isTimesheetEvent(parsed.event) ? [parsed.event] : [];
  });
}

function keep(events: readonly TimesheetEvent[]): void {
  for (const event of events) {
    const id = event.subject ?? '';
    kept.set(id, fold(kept.get(id) ?? null, event).state);
  }
}

/** Writes what the system keeps, as the guide shows it, and compares it. */
async function reconcile(...options: readonly string[]) {
  const lines = [...kept].flatMap(([id, { epoch, sequence, current, removed }]) =>
    removed ? [] : [JSON.stringify({ id, epoch, sequence, hoursToPay: current?.hoursToPay })],
  );
  writeFileSync(haveFile(), lines.join('\n'));
  return machine.run('reconcile', '--period', period, '--have', haveFile(), ...options);
}

function haveFile(): string {
  return join(machine.stage.dataFolder, 'mine.ndjson');
}
