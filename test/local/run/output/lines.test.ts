import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { layOutTogether } from '#local/run/output/bursts.ts';
import type { Entry } from '#local/run/output/entry.ts';
import type { ReceivedEvent } from '#shared/terminal/received.ts';
import { type ShownEvent, showEvent } from './entries.ts';

const APPROVED: ShownEvent = { id: '101206_1', employee: '1019_1' };
const ESCAPE = String.fromCharCode(27);

describe('an event', () => {
  it.each([
    [
      140,
      '08:51   Ana Lee: a change of 7.5 h from 08:30                                               timesheet.approved  101206_1',
    ],
    [80, '08:51   Ana Lee: a change of 7.5 h from 08:30                           101206_1'],
    [null, '08:51   Ana Lee: a change of 7.5 h from 08:30  timesheet.approved  101206_1'],
  ])('says at %s columns when it was told, whom it is about, the change, and its id', (columns, line) => {
    expect(layOut([showEvent(APPROVED)], columns)).toEqual([line]);
  });

  it('that is longer than the terminal is wide goes on below its text', () => {
    expect(layOut([showEvent(APPROVED)], 40)).toEqual([
      '08:51   Ana Lee: a change of 7.5 h from',
      '        08:30  101206_1',
    ]);
    const coloured = layOut([showEvent(APPROVED)], 40, true);
    expect(coloured.map((row) => stripVTControlCharacters(row))).toEqual(layOut([showEvent(APPROVED)], 40));
  });

  it('that takes something back has a colour, and what it is about is bold', () => {
    const revoked = showEvent({ ...APPROVED, type: 'timesheet.approval_revoked' });
    expect(layOut([revoked], 120, true)[0]).toContain(`${ESCAPE}[1m${ESCAPE}[35mAna Lee`);
    expect(layOut([showEvent(APPROVED)], 120, true)[0]).toContain(`${ESCAPE}[1mAna Lee`);
  });
});

describe('a burst', () => {
  it.each([
    [31, '08:51   102 many, 31 people'],
    [1, '08:51   102 many, 1 person'],
  ])('counts its events, and of how many people they are: %i', (people, line) => {
    const events = Array.from({ length: 102 }, (_, index) =>
      showEvent({ id: `${index}_1`, employee: `10${index % people}_1` }),
    );
    expect(layOut(events, 80)).toEqual([line]);
  });

  it('of deliveries counts them; messages and fewer than five stay as they are', () => {
    const entries = [...Array(7).fill(delivery({})), ...Array(4).fill(delivery({ type: 'a.b' }))];
    expect(layOut([...entries, ...Array(5).fill(message(['one']))], 80)).toEqual([
      '      → payroll took 7 timesheet.approved',
      ...Array(4).fill('      → payroll took a.b of 1_1, sequence 2'),
      ...Array(5).fill('10:30 │ slack #payroll  one'),
    ]);
  });
});

it('a delivery of an event about no record, and of no event, leave that out', () => {
  const refused = { did: 'refused: no signature', type: '', which: '', isRefused: true };
  const lines = layOut([delivery({ which: '', type: 'trouble.began' }), delivery(refused)], 80);
  expect(lines).toEqual(['      → payroll took trouble.began', '      → payroll refused: no signature']);
});

it('a message says who reads it and its heading, takes three lines of a terminal, and is whole in a file', () => {
  const lines = ['Pay 739.5 h', '', ...Array.from({ length: 20 }, (_, at) => `line ${at}`)];
  expect(layOut([message(lines)], 80)).toEqual([
    '10:30 │ slack #payroll  Pay 739.5 h',
    '      │ line 0',
    '      │ 19 more lines',
  ]);
  expect(layOut([message(lines.slice(0, 4))], 80)).toHaveLength(3);
  expect(layOut([message(lines)], null)).toHaveLength(21);
});

it('whatever is told moves no cursor', () => {
  const hostile = `a${ESCAPE}[2J\u009b\u202e日本\u0007\nx`;
  const entries: Entry[] = [
    showEvent({ ...APPROVED, id: hostile, type: `timesheet.${hostile}`, employee: hostile }),
    ...Array(5).fill(showEvent({ ...APPROVED, id: hostile, employee: hostile })),
    { kind: 'note', text: hostile },
    { kind: 'day', date: 'Fri 20 Nov 2026' },
    delivery({ webhook: hostile, which: hostile, type: hostile }),
    {
      kind: 'message',
      at: '10:30',
      message: { kind: 'message', channel: hostile, lines: [{ text: hostile }] },
    },
  ];
  const lines = layOut(entries, 400, true).map((line) => stripVTControlCharacters(line));
  expect(lines).toHaveLength(6);
  expect(lines.filter((line) => /\p{C}/u.test(line))).toEqual([]);
});

function delivery(parts: Partial<ReceivedEvent>): Entry {
  const taken = { kind: 'delivery', webhook: 'payroll', did: 'took', type: 'timesheet.approved' } as const;
  return { kind: 'delivery', delivery: { ...taken, which: '1_1, sequence 2', isRefused: false, ...parts } };
}

function message(lines: readonly string[]): Entry {
  const texts = lines.map((text) => ({ text }));
  return {
    kind: 'message',
    at: '10:30',
    message: { kind: 'message', channel: 'slack #payroll', lines: texts },
  };
}

function layOut(entries: readonly Entry[], columns: number | null, colour = false): string[] {
  return layOutTogether(entries, { columns, colour });
}
