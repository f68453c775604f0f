import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REASONS, type Reason } from '#shared/core/outcome/reasons.ts';
import { PLAYS_OF_POLLS } from './plays-of-polls.ts';
import { PLAYS_OF_RECORDS } from './plays-of-records.ts';

const PLAYS: Readonly<Record<Reason, () => Promise<readonly string[]>>> = {
  ...PLAYS_OF_POLLS,
  ...PLAYS_OF_RECORDS,
};

test.each(Object.entries(PLAYS))('%s can be why there is no event', async (reason, play) => {
  expect(await play()).toContain(reason);
});

test.each(Object.entries(REASONS))('%s is decided where the table says', (_, { at }) => {
  const [file, name] = at.split(' ');
  const declared = new RegExp(`^(?:export )?(?:async )?(?:function\\*?|class) ${name}\\b`, 'm');
  expect(readFileSync(`shared/${file}`, 'utf8')).toMatch(declared);
});
