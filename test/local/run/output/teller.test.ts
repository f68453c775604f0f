import { beforeEach, expect, test, vi } from 'vitest';
import type { Entry } from '#local/run/output/entry.ts';
import { createTeller, type Teller } from '#local/run/output/teller.ts';
import { buildEvent, NAMES } from './entries.ts';

const START = Date.parse('2026-11-20T23:58:00Z');

let told: Entry[];
let teller: Teller;
beforeEach(() => {
  told = [];
  teller = createTeller('UTC', async (...entries) => void told.push(...entries));
});

test('lines have the time at which they are told by the clock of the company, and each day is told once', async () => {
  vi.useFakeTimers({ now: START });
  teller.follow({ clock: { startsAtMs: START, anchorMs: START, speed: 60 }, names: async () => NAMES });
  await teller.event(JSON.stringify(buildEvent({ id: '1_1' })));
  vi.setSystemTime(START + 3_000);
  await teller.event(JSON.stringify(buildEvent({ id: '2_1' })));
  vi.useRealTimers();
  expect(told.map((entry) => ('at' in entry ? entry.at : 'date' in entry ? entry.date : ''))).toEqual([
    'Fri 20 Nov 2026',
    '23:58',
    'Sat 21 Nov 2026',
    '00:01',
  ]);
});

test('names are asked for the employee of an event', async () => {
  const names = vi.fn(async () => NAMES);
  teller.follow({ clock: null, names });
  await teller.event(JSON.stringify(buildEvent({ id: '1_1', employee: '1019_1' })));
  expect(names).toHaveBeenCalledExactlyOnceWith('1019_1');
  expect(told.at(-1)).toMatchObject({ words: [{ bold: 'Ana Lee' }, expect.anything()] });
});

test('that everything is published is no line', async () => {
  await teller.event(JSON.stringify({ type: 'workforce.feed.complete', time: '2026-11-20T08:00:00Z' }));
  expect(told).toEqual([]);
});

test('a message that another channel got just before is the same, though a mail has its heading in ASCII', async () => {
  await receive('slack #payroll', 'Pay 739.5 h for Café 26 Oct – 1 Nov (23 people)', 'one');
  await receive('mail a@acme.example', 'Pay 739.5 h for Cafe 26 Oct  1 Nov...', 'another');
  await receive('slack #payroll', 'Pay 739.5 h for Café 26 Oct – 1 Nov (23 people)');
  await receive('mail a@acme.example', 'Weekly 2-8 Nov closed');
  expect(told.flatMap((entry) => (entry.kind === 'message' ? [entry.message.lines[0]?.text] : []))).toEqual([
    'Pay 739.5 h for Café 26 Oct – 1 Nov (23 people)',
    'the same',
    'Pay 739.5 h for Café 26 Oct – 1 Nov (23 people)',
    'Weekly 2-8 Nov closed',
  ]);
});

async function receive(channel: string, ...lines: string[]): Promise<void> {
  await teller.received({ kind: 'message', channel, lines: lines.map((text) => ({ text })) });
}
