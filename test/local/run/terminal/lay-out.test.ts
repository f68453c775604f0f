import { describe, expect, it } from 'vitest';
import type { Entry } from '#local/run/terminal/entry.ts';
import { layOutBlock } from '#local/run/terminal/lay-out.ts';
import { addEntry, type Block } from '#local/run/terminal/transcript.ts';
import type { ReceivedMessage } from '#shared/terminal/format-message.ts';
import { type ShownEvent, showEvent } from './entries.ts';

const APPROVED: ShownEvent = { id: '101206_1', employee: '1019_1' };
const WIDTHS = [20, 40, 60, 80, 96, 100, 119, 120, 160];
const ESCAPE = String.fromCharCode(27);

describe('an event', () => {
  it.each([
    [
      160,
      '2026-11-20 08:30:00  timesheet.approved             101206_1      approvedHours – → 08:30:00  employee 1019_1, 2026-11-20',
    ],
    [
      100,
      '      08:30:00  approved             101206_1      approvedHours – → 08:30:00  employee 1019_1, 202…',
    ],
    [60, '08:30:00  approved             101206_1  approvedHours – →…'],
    [32, '08:30:00  approved     101206_1…'],
    [24, '08:30:00  ap…  101206_1…'],
  ])('at %i columns', (columns, line) => {
    expect(show([APPROVED], columns)).toEqual([line]);
  });

  it('of another day has its date', () => {
    const yesterday = { ...APPROVED, date: '2026-11-19' };
    expect(show([yesterday], 100)[0]).toMatch(/^11-19 08:30:00 {2}approved {13}101206_1/);
    expect(show([yesterday], 60)[0]).toMatch(/^11-19 08:30:00 {2}approved {13}101206_1/);
  });

  it('that is late says so, also where the end of its line is cut', () => {
    const late = { ...APPROVED, late: true };
    expect(show([late], 140)[0]).toMatch(
      /approvedHours – → 08:30:00 {2}\[late: after close\] {2}employee 1019_1/,
    );
    expect(show([late], 60)[0]).toMatch(/101206_1 {2}\[late\] {2}appro.*…$/);
  });
});

describe('a burst', () => {
  const events = Array.from({ length: 102 }, (_, index) => ({
    type: 'timesheet.payroll_approved',
    id: `${index}_1`,
    at: `08:${String(29 + Math.floor(index / 5)).padStart(2, '0')}:44`,
    department: `20${index % 4}_1`,
    employee: `10${index % 31}_1`,
    late: index === 0,
  }));

  it.each([
    [
      160,
      '2026-11-20 08:29:44  102 timesheet.payroll_approved until 08:49:44, 4 departments, 31 employees, 1 late',
    ],
    [100, '      08:29:44  102 payroll_approved until 08:49:44, 4 departments, 31 employees, 1 late'],
    [60, '08:29:44  102 payroll_approved until 08:49:44, 4 department…'],
  ])('counts, and says from when to when and how widely, at %i columns', (columns, line) => {
    expect(show(events, columns)).toEqual([line]);
  });

  it('of one instant and one department says only that', () => {
    expect(show(Array(5).fill(APPROVED), 100)).toEqual([
      '      08:30:00  5 approved, 1 department, 1 employee',
    ]);
  });

  it('of deliveries counts them', () => {
    const verified: ReceivedMessage = {
      label: 'webhook payroll',
      labelStyle: 'blue',
      lines: [{ text: 'verified  timesheet.approved  1_1  sequence 1' }],
      alike: 'verified  timesheet.approved',
    };
    const lines = layOut(Array(7).fill({ kind: 'message', message: verified }), 100);
    expect(lines.map(plain)).toEqual(['  webhook payroll | 7 verified  timesheet.approved']);
  });
});

describe('a message', () => {
  const message: ReceivedMessage = {
    label: 'slack #payroll',
    labelStyle: 'magenta',
    lines: [{ text: 'Pay period Weekly 12-18 Nov closed: 978.5 h, 30 employees, 130 timesheets.' }],
  };

  it('is wrapped beside its label, and below it where that leaves no room', () => {
    expect(layOut([{ kind: 'message', message }], 60).map(plain)).toEqual([
      '  slack #payroll | Pay period Weekly 12-18 Nov closed: 978.5',
      '                 | h, 30 employees, 130 timesheets.',
    ]);
    expect(layOut([{ kind: 'message', message }], 40).map(plain)).toEqual([
      '  slack #payroll',
      '    | Pay period Weekly 12-18 Nov',
      '    | closed: 978.5 h, 30 employees, 130',
      '    | timesheets.',
    ]);
  });

  it('that is long is counted from its twelfth line on', () => {
    const lines = Array.from({ length: 20 }, (_, index) => ({ text: `line ${index + 1}` }));
    const shown = layOut([{ kind: 'message', message: { ...message, lines } }], 100).map(plain);
    expect(shown).toHaveLength(12);
    expect(shown.slice(-2)).toEqual(['                 | line 11', '                 | … 9 more lines']);
  });
});

describe('whatever is told', () => {
  const hostile = `a${ESCAPE}[2J\u009b\u202e日本\u0007${'x'.repeat(200)}`;
  const entries: Entry[] = [
    showEvent({ ...APPROVED, id: hostile, type: `timesheet.${hostile}`, employee: hostile }),
    showEvent({ ...APPROVED, date: 'no date' }),
    { kind: 'note', text: `${hostile}\n${hostile}` },
    { kind: 'day', date: 'Fri 20 Nov 2026' },
    {
      kind: 'message',
      message: { label: hostile, labelStyle: 'red', lines: [{ text: `1234567890. ${hostile}` }] },
    },
  ];

  it.each(WIDTHS)('fits %i columns and moves no cursor', (columns) => {
    const lines = layOut(entries, columns, true);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.columns > columns)).toEqual([]);
    expect(lines.map(({ text }) => unstyle(text)).filter((text) => /\p{C}/u.test(text))).toEqual([]);
  });
});

function show(events: readonly ShownEvent[], columns: number): string[] {
  return layOut(events.map(showEvent), columns).map(plain);
}

function layOut(entries: readonly Entry[], columns: number, colour = false) {
  const blocks = entries.reduce<readonly Block[]>((known, entry) => addEntry(known, entry, 0), []);
  return blocks.flatMap((block) => layOutBlock(block, { columns, colour }));
}

function plain({ text }: { readonly text: string }): string {
  return text;
}

function unstyle(text: string): string {
  return text.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '');
}
