import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { make, startCompany } from '../company.ts';
import { type PeopleStage, startPeopleStage, synthesizePeople } from './stage.ts';

/** A channel of Teams, and one of Slack with threads, through the synthesized template. */

const PERIOD = { startDate: '2026-03-02', finishDate: '2026-03-04' };

let source: RunningSource;
let stage: PeopleStage;

const CONFIG = fileURLToPath(new URL('./ways-out.config.ts', import.meta.url));

beforeAll(() => synthesizePeople(CONFIG));

beforeAll(async () => {
  source = await startCompany();
  stage = await startPeopleStage({ source, config: CONFIG });
  await stage.tell();
});

afterAll(async () => {
  await stage?.stop();
  await source?.close();
});

test('a closing goes to Teams as a card', async () => {
  const { id } = make(source, { change: 'create-pay-period', calendar: 'Weekly', ...PERIOD });
  await stage.tell();
  make(source, { change: 'close-pay-period', id });
  // Sees it and reads its dates; the next poll tells it.
  await stage.poll();
  await stage.tell();

  expect(stage.shown.find((text) => text.startsWith('  teams board | '))).toMatch(
    /^ {2}teams board \| Check 4 of 60 before you pay Weekly 2-4 Mar \(412\.5 h ready, 30 h not\)\n(?:.*\n)*.*\| ---\n.*Seen on Thu 5 Mar 2026/,
  );
});

test('what happens to a pay period goes into its thread in Slack', async () => {
  const { id } = make(source, { change: 'create-pay-period', calendar: 'Monthly', ...PERIOD });
  await stage.tell();
  for (const change of ['close-pay-period', 'reopen-pay-period', 'close-pay-period'] as const) {
    make(source, { change, id });
    // A closing is seen and its dates are read; the next poll tells it.
    await stage.poll();
    await stage.tell();
  }

  const slack = stage.shown.filter((text) => text.startsWith('  slack #payroll | '));
  const ours = slack.filter((text) => text.includes('Monthly'));
  const firstLines = ours.map((text) =>
    text
      .split('\n')
      .slice(0, 2)
      .join(' ')
      .replaceAll(/\s+\|? ?/g, ' '),
  );
  const check = 'Check 4 of 60 before you pay Monthly 2-4 Mar (412.5 h ready, 30 h not)';
  const hold = 'Hold the pay file of Monthly 2-4 Mar: it was reopened';
  expect(firstLines).toEqual([
    expect.stringContaining(`slack #payroll ${check} Closed. Not yet: 4 not approved`),
    ` slack #payroll reply in the thread of its pay period ${hold}`,
    ` slack #payroll reply in the thread of its pay period ${check}`,
  ]);
  expect(stage.log()).not.toContain('xoxb');
});
