import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { make, startCompany, TODAY, WATCHED } from '../company.ts';
import { type PeopleStage, startPeopleStage } from './stage.ts';

/** Messages and webhooks through the synthesized template. */

const CHANNELS = ['slack #payroll', 'slack #managers', 'teams board', 'mail'];
const PERIOD = { startDate: '2026-03-02', finishDate: '2026-03-04' };

let source: RunningSource;
let stage: PeopleStage;

beforeAll(async () => {
  source = await startCompany();
  stage = await startPeopleStage({ source });
  await stage.tell();
});

afterAll(async () => {
  await stage?.stop();
  await source?.close();
});

test('a closed pay period is sent to Slack, to Teams, by mail and to the system, once', async () => {
  const { id } = make(source, { change: 'create-pay-period', calendar: 'Weekly', ...PERIOD });
  await stage.tell();
  make(source, { change: 'close-pay-period', id });
  const before = stage.shown.length;
  // Sees it and reads its dates; the list is read again, in this poll or the next, and tells it.
  await stage.poll();
  await stage.tell();

  const shown = stage.shown.slice(before);
  expect(shown).toHaveLength(5);
  for (const label of CHANNELS) expect(textOf(shown, label)).toContain('Weekly 2-4 Mar');
  const whole = `${textOf(shown, 'slack #payroll')}\n${textOf(shown, 'mail')}\n`;
  await expect(whole).toMatchFileSnapshot('golden/closing.txt');
  expect(textOf(shown, 'system took')).toBe(`\nsystem took pay_period.closed of ${id}, sequence 2`);
  expect(await stage.tell()).toEqual([]);
});

test('a change in time is sent to the system alone', async () => {
  const { id } = make(source, { change: 'create', date: TODAY });
  await stage.tell();
  make(source, { change: 'approve', id });
  expect(await stage.tell()).toEqual([`system took timesheet.approved of ${id}, sequence 2`]);
});

test('late changes are one message, with the names of departments, in the thread of their period, and one webhook each', async () => {
  const changed = source.company.timesheets(WATCHED).filter(({ processed }) => processed !== null);
  for (const { id } of changed) make(source, { change: 'change', id });

  const shown = await stage.tell();

  for (const label of CHANNELS) {
    expect(shown.filter((text) => text.startsWith(label))).toHaveLength(1);
    expect(textOf(shown, label)).toContain('Weekly 2-4 Mar');
    expect(textOf(shown, label)).toMatch(/Sample [A-Z]/);
  }
  const inThread = shown.filter((text) => text.includes('reply in the thread of its pay period'));
  expect(inThread).toEqual([expect.stringContaining('slack #managers')]);
  const told = shown.flatMap((text) => /^system took \S+ of (\S+),/.exec(text)?.[1] ?? []);
  expect(told.toSorted()).toEqual(changed.map(({ id }) => id).toSorted());
});

/** All messages shown on a channel, without their minute. */
function textOf(shown: readonly string[], label: string): string {
  const texts = shown.filter((text) => text.startsWith(label));
  return texts.map((text) => `\n${text.replaceAll(/11:0\d/g, '11:00')}`).join('');
}
