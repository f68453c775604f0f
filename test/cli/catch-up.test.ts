import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type FoldState,
  fold,
  isTimesheetEvent,
  parseEvent,
  type TimesheetEvent,
} from 'workforce-change-notifier';
import { make, TODAY, WATCHED } from '#test/end-to-end/company.ts';
import { takeMessages } from '#test/end-to-end/inbox.ts';
import { startWatchedMachine, type WatchedMachine } from './watched-machine.ts';

/** An engineer connects a queue in the middle of a pay period, catches up, and sees that nothing is missing. */

const QUEUE = 'workforce-notifier-payroll';
const TO = ['--to', 'payroll', '--yes'];

let machine: WatchedMachine;
let period: string;
/** What the system keeps: a state for each timesheet. */
const kept = new Map<string, FoldState<TimesheetEvent>>();

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

test('without anything, all that is approved is missing, and the command that mends it is complete', async () => {
  const { code, lines } = await compare();
  expect(code).toBe(1);
  expect(lines).toContainEqual(
    expect.stringMatching(/^missing +\d+ +\+\d+(\.\d+)? h +\S+ \(\d+(\.\d+)? h\)/),
  );
  expect(lines).toContain(
    `to mend: npm run notifier -- send --state --period ${period} --to payroll --data ${machine.stage.dataFolder}`,
  );
});

test('the state of its records is counted, confirmed and sent, and is a base for what happens meanwhile', async () => {
  const counted = await machine.run('send', '--state', '--period', period, '--to', 'payroll');
  expect(counted.lines.at(-1)).toMatch(/^\d{2,} events to payroll$/);
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
  // The state is of the members of the period alone.
  const states = received.filter(({ type }) => type === 'workforce.timesheet.snapshot');
  expect(states.map(({ subject }) => subject).sort()).toEqual(await listMembers());
  // In any order: what is newer wins.
  keep(received.toReversed());
  expect(kept.get(late?.id ?? '')).toMatchObject({ current: { approvedHours: expect.any(String) } });
});

test('then one comparison finds nothing', async () => {
  const { code, lines } = await compare();
  expect([code, lines]).toEqual([0, expect.arrayContaining(['all is paid as it stands'])]);
});

test('what it does not hear of is found and mended', async () => {
  const [lost = '', revoked = ''] = [...kept].flatMap(([id, { current }]) =>
    isPaid(current) && current?.processed === null ? [id] : [],
  );
  kept.delete(lost);
  make(machine.source, { change: 'revoke-approval', id: revoked });
  await machine.stage.tell();
  await take();

  const json = JSON.parse((await compare('--json')).stdout);
  expect(json).toMatchObject({ same: false, old: [] });
  expect(idsOf(json.missing)).toEqual([lost]);
  expect(idsOf(json.tooMuch)).toEqual([revoked]);

  await machine.run('send', '--state', '--period', period, ...TO);
  keep(await take());
  expect((await compare()).code).toBe(0);
});

test('what was removed is mended too', async () => {
  const [gone = ''] = [...kept].flatMap(([id, { current }]) => (isPaid(current) ? [id] : []));
  make(machine.source, { change: 'remove', id: gone });
  await machine.stage.tell();
  await take();
  const { lines } = await compare();
  expect(lines).toContainEqual(
    expect.stringMatching(new RegExp(`^too much +1 .* ${gone} \\(paid .* h, removed\\)$`)),
  );
  expect(lines).toContainEqual(
    expect.stringContaining(`send --events --record ${gone} --since 90d --to payroll`),
  );
  await machine.run('send', '--events', '--record', gone, '--since', '90d', ...TO);
  keep(await take());
  expect(kept.get(gone)).toMatchObject({ removed: true, current: null });
  expect((await compare()).code).toBe(0);
});

test('who keeps everything can compare, too', async () => {
  const before = kept.size;
  await machine.run('send', '--state', ...TO);
  keep(await take());
  expect(kept.size).toBeGreaterThan(before);
  const { code, lines } = await compare();
  expect([code, lines]).toEqual([0, expect.arrayContaining(['all is paid as it stands'])]);
  expect(lines).toContainEqual(expect.stringMatching(/^\d+ of other periods, or not known, not compared$/));
});

test('what a payer paid is read first: a wrong line, and a file that is not there, are one line', async () => {
  writeFileSync(paidFile(), '{"timesheetId":"1_1","hours":0}\n{"timesheetId":"2_1"}\n');
  const wrong = await machine.run('period', '1_x', '--compare', paidFile());
  expect([wrong.code, wrong.stdout]).toEqual([1, '']);
  expect(wrong.stderr).toMatch(/paid\.ndjson: line 2: hours: .*; a line is such as \{/);
  const missing = await machine.run('period', '1_x', '--compare', '/nowhere');
  expect(missing.stderr).toMatch(/^--compare cannot be read: /);
});

test('without an id the periods are listed', async () => {
  const { lines } = await machine.run('period');
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${period} +Weekly .* open .* Not yet: `)));
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
  const { timesheets } = JSON.parse((await machine.run('period', period, '--members', '--json')).stdout);
  return timesheets.map(({ timesheetId }: { timesheetId: string }) => timesheetId).sort();
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

function isPaid(current: TimesheetEvent['data']['current']): boolean {
  return current?.approvedHours != null || current?.processed != null;
}

function idsOf(differences: readonly { readonly timesheetId: string }[]): string[] {
  return differences.map(({ timesheetId }) => timesheetId);
}

/** Writes what the system would have paid by what it keeps, as the guide shows it, and compares it. */
async function compare(...options: readonly string[]) {
  const lines = [...kept].map(([timesheetId, { current }]) =>
    JSON.stringify({ timesheetId, hours: isPaid(current) ? current?.hoursToPay : 0 }),
  );
  writeFileSync(paidFile(), lines.join('\n'));
  return machine.run('period', period, '--compare', paidFile(), ...options);
}

function paidFile(): string {
  return join(machine.stage.dataFolder, 'paid.ndjson');
}
