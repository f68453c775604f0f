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

  const cards = stage.shown.filter((text) => text.startsWith('teams board  '));
  expect(cards).toEqual([expect.stringContaining('Weekly 2-4 Mar')]);
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

  const slack = stage.shown.filter((text) => text.startsWith('slack #payroll  '));
  const ours = slack.filter((text) => text.includes('Monthly'));
  expect(ours.map((text) => text.includes('reply in the thread of its pay period'))).toEqual([
    false,
    true,
    true,
  ]);
  expect(stage.log()).not.toContain('xoxb');
});
