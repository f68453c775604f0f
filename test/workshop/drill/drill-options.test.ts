import { expect, test } from 'vitest';
import { readDrillOptions } from '#workshop/drill/drill-options.ts';
import { INCIDENTS } from '#workshop/drill/incidents.ts';

test.each([
  ['all of them', [], INCIDENTS.map(({ name }) => name)],
  ['some, in the order of the drill', ['topic-refuses,source-down'], ['source-down', 'topic-refuses']],
])('a drill breaks %s', async (_, args, incidents) => {
  expect((await readDrillOptions(args))?.incidents.map(({ name }) => name)).toEqual(incidents);
});

test('a drill watches the window of npm start, by its options', async () => {
  const given = await readDrillOptions([
    '--window-back',
    '3',
    '--time-zone',
    'Pacific/Auckland',
    '--connection',
    'b',
  ]);
  expect(given?.run).toMatchObject({ windowBackDays: 3, timeZone: 'Pacific/Auckland', connection: 'b' });
});

test('a drill explains itself', async () => {
  expect(await readDrillOptions(['--help'])).toBeNull();
});

test.each([
  ['a part that is unknown', ['source-down,moon'], 'there is no "moon"; use some of source-down,'],
  ['a data folder', ['--data', 'x'], "Unknown option '--data'"],
  ['a real source', ['--base-url', 'http://127.0.0.1:1'], "Unknown option '--base-url'"],
  ['no zone of that name', ['--time-zone', 'moon'], 'moon'],
])('a drill refuses %s', async (_, args, message) => {
  await expect(readDrillOptions(args)).rejects.toThrow(message);
});
