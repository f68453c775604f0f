import { describe, expect, it } from 'vitest';
import type { Entry } from '#local/run/terminal/entry.ts';
import { layOutBlock } from '#local/run/terminal/lay-out.ts';
import { toPlainPaper } from '#local/run/terminal/screen-line.ts';
import { addEntry, type Block } from '#local/run/terminal/transcript.ts';
import type { ReceivedEvent, ReceivedMessage } from '#shared/terminal/received.ts';
import { type ShownEvent, showEvent } from './entries.ts';

const APPROVED: ShownEvent = { id: '101206_1', employee: '1019_1' };
const WIDTHS = [20, 40, 60, 80, 96, 100, 119, 120, 160];
const ESCAPE = String.fromCharCode(27);

describe('an event', () => {
  it.each([
    [
      120,
      '08:51   Ana Lee: a change of 7.5 h from 08:30                                               timesheet.approved  101206_1',
    ],
    [80, '08:51   Ana Lee: a change of 7.5 h from 08:30                           101206_1'],
    [Infinity, '08:51   Ana Lee: a change of 7.5 h from 08:30  timesheet.approved  101206_1'],
  ])('says at %i columns when it was told, whom it is about, the change, and its id', (columns, line) => {
    expect(show([APPROVED], columns)).toEqual([line]);
  });

  it('is wrapped, so that nothing of the change is lost, and its id stands below it where it has no room', () => {
    expect(show([APPROVED], 40)).toEqual([
      '08:51   Ana Lee: a change of 7.5 h from',
      '        08:30                   101206_1',
    ]);
    expect(show([APPROVED], 48)).toEqual([
      '08:51   Ana Lee: a change of 7.5 h from 08:30',
      `${' '.repeat(40)}101206_1`,
    ]);
  });

  it('that takes something back has a colour, and what it is about is bold', () => {
    const [line = ''] = layOut(
      [showEvent({ ...APPROVED, type: 'timesheet.approval_revoked' })],
      120,
      true,
    ).map(plain);
    expect(line).toContain(`${ESCAPE}[1m${ESCAPE}[35mAna Lee`);
    expect(layOut([showEvent(APPROVED)], 120, true).map(plain)[0]).toContain(`${ESCAPE}[1mAna Lee`);
  });
});

describe('a burst', () => {
  const events = Array.from({ length: 102 }, (_, index) => ({
    id: `${index}_1`,
    at: `08:${String(29 + Math.floor(index / 5)).padStart(2, '0')}:44`,
    employee: `10${index % 31}_1`,
    late: index === 0,
  }));

  it('counts, and says from when to when, of how many people, and how many are late', () => {
    expect(show(events, 80)).toEqual(['08:51   102 many, 08:29 to 08:49, 31 people, 1 late']);
  });

  it('of one minute and one person says only that', () => {
    expect(show(Array(5).fill(APPROVED), 80)).toEqual(['08:51   5 many, 08:30, 1 person']);
  });

  it('of deliveries counts them', () => {
    expect(layOut(Array(7).fill(delivery({})), 80).map(plain)).toEqual([
      '      → payroll took 7 timesheet.approved',
    ]);
  });
});

describe('a delivery', () => {
  it('names the record and its sequence', () => {
    expect(layOut([delivery({})], 80).map(plain)).toEqual([
      '      → payroll took timesheet.approved of 1_1, sequence 2',
    ]);
  });

  it('of an event about no record, and a sum of several, leave that out', () => {
    const summary = { did: 'refused (500) 3 times more', type: '', which: '', taken: 0, refused: 2 };
    const lines = [delivery({ which: '', type: 'trouble.began' }), delivery(summary)];
    expect(layOut(lines, 80).map(plain)).toEqual([
      '      → payroll took trouble.began',
      '      → payroll refused (500) 3 times more',
    ]);
  });
});

describe('a message', () => {
  const lines = [
    'Pay 739.5 h for Weekly 26 Oct - 1 Nov',
    ...Array.from({ length: 20 }, (_, at) => `line ${at}`),
  ];

  it('says who reads it and its heading, takes three lines of a terminal, and counts the rest', () => {
    expect(layOut([message(lines)], 80).map(plain)).toEqual([
      '10:30 │ slack #payroll  Pay 739.5 h for Weekly 26 Oct - 1 Nov',
      '      │ line 0',
      '      │ 19 more lines',
    ]);
    expect(layOut([message(lines.slice(0, 3))], 80)).toHaveLength(3);
  });

  it('is whole in a file', () => {
    expect(layOut([message(lines)], Infinity)).toHaveLength(21);
  });

  it('is wrapped, and what follows a bullet stands below its text', () => {
    expect(layOut([message(['Approve 6 timesheets by Tue 3 Nov 10:30'])], 44).map(plain)).toEqual([
      '10:30 │ slack #payroll  Approve 6 timesheets',
      '      │ by Tue 3 Nov 10:30',
    ]);
    const bullet = layOut([message(['A', '• Warehouse 3: Ana Lee and Bo Example 7'])], 36).map(plain);
    expect(bullet.slice(1)).toEqual(['      │ • Warehouse 3: Ana Lee and', '      │   Bo Example 7']);
  });
});

describe('whatever is told', () => {
  const hostile = `a${ESCAPE}[2J\u009b\u202e日本\u0007${'x'.repeat(200)}`;
  const entries: Entry[] = [
    showEvent({ ...APPROVED, id: hostile, type: `timesheet.${hostile}`, employee: hostile }),
    showEvent({ ...APPROVED, id: hostile, employee: hostile }),
    showEvent({ ...APPROVED, date: 'no date' }),
    { kind: 'note', text: `${hostile}\n${hostile}` },
    { kind: 'day', date: 'Fri 20 Nov 2026' },
    delivery({ webhook: hostile, which: hostile, type: hostile }),
    {
      kind: 'message',
      at: '10:30',
      message: { kind: 'message', channel: hostile, lines: [{ text: `1234567890. ${hostile}` }] },
    },
  ];

  it.each(WIDTHS)('fits %i columns and moves no cursor', (columns) => {
    const lines = layOut(entries, columns, true);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.columns > columns)).toEqual([]);
    expect(lines.map(({ text }) => unstyle(text)).filter((text) => /\p{C}/u.test(text))).toEqual([]);
  });
});

function delivery(parts: Partial<ReceivedEvent>): Entry {
  const taken: ReceivedEvent = {
    ...{ kind: 'delivery', webhook: 'payroll', did: 'took', type: 'timesheet.approved' },
    ...{ which: '1_1, sequence 2', taken: 1, refused: 0 },
  };
  return { kind: 'delivery', delivery: { ...taken, ...parts } };
}

function message(lines: readonly string[]): Entry {
  const received: ReceivedMessage = {
    kind: 'message',
    channel: 'slack #payroll',
    lines: lines.map((text) => ({ text })),
  };
  return { kind: 'message', at: '10:30', message: received };
}

function show(events: readonly ShownEvent[], columns: number): string[] {
  return layOut(events.map(showEvent), columns).map(plain);
}

function layOut(entries: readonly Entry[], columns: number, colour = false) {
  const blocks = entries.reduce<readonly Block[]>((known, entry) => addEntry(known, entry, 0), []);
  const paper = Number.isFinite(columns) ? { columns, colour, messageRows: 3 } : toPlainPaper(colour);
  return blocks.flatMap((block) => layOutBlock(block, paper));
}

function plain({ text }: { readonly text: string }): string {
  return text;
}

function unstyle(text: string): string {
  return text.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '');
}
