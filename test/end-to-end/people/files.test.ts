import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningSource } from '#local/source/server.ts';
import { make, startCompany } from '../company.ts';
import { type PeopleStage, startPeopleStage, synthesizePeople } from './stage.ts';

/** Files of a pay period through the synthesized template, to the receiver that stands in for Slack. */

const CONFIG = fileURLToPath(new URL('./files.config.ts', import.meta.url));

let source: RunningSource;
let stage: PeopleStage;

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

test('a pay period that closed has its files in its thread, and a mail says where they are', async () => {
  const id = '9013_1';
  make(source, { change: 'close-pay-period', id });
  await stage.poll();
  const shown = await stage.tell();

  const [message = '', files = ''] = shown.filter((text) => text.includes('slack #payroll'));
  expect(message).toContain('Pay period Weekly 26 Feb - 4 Mar closed');
  const lines = files.split('\n').map((line) => line.replace(/^.*?\| /, ''));
  expect(lines[0]).toBe('reply in its thread');
  const said = lines.slice(1, -2).join(' ');
  expect(said).toMatch(/^What to pay now, and what is left over, as stored on Thu 5 Mar 2026 at /);
  // The window is shorter than the period.
  expect(said).toContain('not all of its dates are read, or some are in doubt');
  expect(lines.slice(-2)).toEqual([`${id}-pay.csv: 4 timesheets`, `${id}-left-over.csv: 56 timesheets`]);
  const mail = shown.find((text) => text.includes('  mail |'));
  expect(mail).toContain(`/periods/${id}?connection=main`);
  expect(await stage.tell()).toEqual([]);
});
