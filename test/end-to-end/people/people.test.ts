import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { make, startCompany, TODAY, WATCHED } from '../company.ts';
import { type PeopleStage, startPeopleStage, synthesizePeople } from './stage.ts';

/** Alerts and webhooks through the synthesized template. */

const PERIOD = { startDate: '2026-03-02', finishDate: '2026-03-04' };

let source: RunningSource;
let stage: PeopleStage;

beforeAll(() => synthesizePeople());

beforeAll(async () => {
  source = await startCompany();
  stage = await startPeopleStage({ source });
  await stage.tell();
});

afterAll(async () => {
  await stage?.stop();
  await source?.close();
});

test('a closed pay period is sent to Slack, by mail and to the system, once', async () => {
  const { id } = make(source, { change: 'create-pay-period', calendar: 'Weekly', ...PERIOD });
  await stage.tell();
  make(source, { change: 'close-pay-period', id });
  const before = stage.shown.length;
  // Sees it and reads its dates; the list is read again, in this poll or the next, and tells it.
  await stage.poll();
  await stage.tell();

  const shown = stage.shown.slice(before);
  expect(textOf(shown, 'slack #payroll')).toBe(
    `
  slack #payroll | Check 4 of 60 before you pay Weekly 2-4 Mar (412.5 h ready, 30 h not)
                 | Closed. Not yet: 4 not approved (30 h); 412.5 h ready (56 timesheets of 30
                 | people); adds up with the workforce service.
                 | • Sample Warehouse: 1 of 18 not approved, 7.5 h
                 |     ◦ Employee 1021_1: Wed 4 Mar 7.5 h
                 | • Sample Front Desk: 2 of 10 not approved, 15 h
                 |     ◦ Employee 1023_1: Tue 3 Mar 7.5 h
                 |     ◦ Employee 1027_1: Wed 4 Mar 7.5 h
                 | • Sample Office: 1 of 13 not approved, 7.5 h
                 |     ◦ Employee 1008_1: Wed 4 Mar 7.5 h
                 | Seen on Thu 5 Mar 2026 at 11:00 (Pacific/Auckland)`,
  );
  expect(textOf(shown, 'mail')).toBe(
    `
  mail | From: AWS Notifications <no-reply@sns.amazonaws.com>
       | To: payroll@acme.example, office@acme.example
       | Subject: Check 4 of 60 before you pay Weekly 2-4 Mar (412.5 h ready, 30 h not)
       |
       | Closed. Not yet: 4 not approved (30 h); 412.5 h ready (56 timesheets of 30 people); adds up
       | with the workforce service.
       |
       | - Sample Warehouse: 1 of 18 not approved, 7.5 h
       |   - Employee 1021_1: Wed 4 Mar 7.5 h
       | - Sample Front Desk: 2 of 10 not approved, 15 h
       |   - Employee 1023_1: Tue 3 Mar 7.5 h
       |   - Employee 1027_1: Wed 4 Mar 7.5 h
       | - Sample Office: 1 of 13 not approved, 7.5 h
       |   - Employee 1008_1: Wed 4 Mar 7.5 h
       |
       | Seen on Thu 5 Mar 2026 at 11:00 (Pacific/Auckland).
       |
       | --
       | You receive this because your address is in the channel "office" of told.
       | To stop it, use the link that AWS adds below, or ask for your address to be removed from
       | notifier.config.ts.
       | (AWS adds its unsubscribe link here)`,
  );
  expect(textOf(shown, 'webhook')).toBe(
    `\n  webhook system | verified  pay_period.closed  ${id}  sequence 2`,
  );
  expect(textOf(shown, 'slack #managers')).toContain('before you pay Weekly 2-4 Mar');
  expect(shown).toHaveLength(4);
  expect(await stage.tell()).toEqual([]);
});

test('a late change is sent to every channel', async () => {
  const [{ id = '' } = {}] = paidOnes();
  make(source, { change: 'change', id });

  const shown = await stage.tell();

  for (const label of ['slack #payroll', 'slack #managers', 'mail'])
    expect(textOf(shown, label)).toContain(`imesheet ${id} of employee`);
  expect(textOf(shown, 'webhook')).toContain(`timesheet.changed  ${id}`);
  expect(shown).toHaveLength(4);
});

test('a change in time is sent to the system alone', async () => {
  const { id } = make(source, { change: 'create', date: TODAY });
  await stage.tell();
  make(source, { change: 'approve', id });
  expect(await stage.tell()).toEqual([`  webhook system | verified  timesheet.approved  ${id}  sequence 2`]);
});

test('many events at once are one message, with the names of departments, and one webhook each', async () => {
  const changed = paidOnes().slice(1);
  for (const { id } of changed) make(source, { change: 'change', id });

  const shown = await stage.tell();

  const [digest = '', ...others] = shown.filter((text) => text.startsWith('  slack #payroll'));
  expect(others).toEqual([]);
  expect(digest.split('\n')[0]).toMatch(/^ {2}slack #payroll \| 3 timesheets changed in 3 departments/);
  for (const text of [digest, textOf(shown, 'slack #managers')]) expect(text).toMatch(/Sample [A-Z]/);
  const told = shown.filter((text) => text.startsWith('  webhook')).map((text) => text.split('  ')[3]);
  expect(told.toSorted()).toEqual(changed.map(({ id }) => id).toSorted());
});

/** All messages shown on a channel, without their minute. */
function textOf(shown: readonly string[], label: string): string {
  const texts = shown.filter((text) => text.startsWith(`  ${label}`));
  return texts.map((text) => `\n${text.replaceAll(/11:0\d/g, '11:00')}`).join('');
}

/** Timesheets that are processed: to change one is late. */
function paidOnes() {
  return source.company.timesheets(WATCHED).filter(({ processed }) => processed !== null);
}
