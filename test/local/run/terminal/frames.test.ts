import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry } from '#local/run/terminal/entry.ts';
import { createFrames } from '#local/run/terminal/frames.ts';
import { fitLine, type Paper } from '#local/run/terminal/screen-line.ts';
import { showEvent } from './entries.ts';
import { FakeTerminal } from './fake-terminal.ts';

const STATUS = '── status';
const footer = (paper: Paper) => [fitLine([{ text: STATUS, style: 'bold' }], paper)];

describe('frames', () => {
  it('keep the status below the lines, and let a burst become one line in its place', () => {
    const { terminal, tell, wait } = openTerminal(80, 20);
    tell(approve('1_1', '08:30:00'));
    tell(note('between'));
    for (const id of ['2_1', '3_1', '4_1']) tell(approve(id, '08:31:00'));
    expect(terminal.screen().map((line) => line.replace(/^08:51 .* /, ''))).toEqual([
      '1_1',
      '2_1',
      '3_1',
      '4_1',
      'between',
      STATUS,
    ]);
    tell(approve('5_1', '08:50:44'));
    const folded = '08:51   5 many, 08:30 to 08:50, 1 person';
    expect(terminal.screen()).toEqual([folded, 'between', STATUS]);
    wait(2_000);
    tell(approve('6_1', '08:52:00'));
    expect(terminal.screen().slice(0, 3)).toEqual([folded, 'between', expect.stringContaining('6_1')]);
  });

  it('are drawn anew at another width', () => {
    const { terminal, tell, resize } = openTerminal(160, 20);
    tell(approve('1_1', '08:30:00'));
    tell(note('a note that is longer than forty columns, so that it is wrapped there'));
    expect(terminal.screen()[0]).toMatch(/ {3}timesheet\.approved {2}1_1$/);
    resize(40, 20);
    expect(terminal.hasWrapped()).toBe(false);
    expect(terminal.screen()).toEqual([
      '08:51   Ana Lee: a change of 7.5 h from',
      '        08:30                        1_1',
      'a note that is longer than forty',
      'columns, so that it is wrapped there',
      STATUS,
    ]);
    resize(160, 20);
    expect(terminal.screen()).toHaveLength(3);
  });

  it('lose and repeat nothing while the width changes', () => {
    const sizes = { columns: fc.integer({ min: 80, max: 160 }), rows: fc.constant(24) };
    const told = play(sizes, ({ ids, terminal }) => {
      expect(countEvents(terminal.lines())).toBe(ids.length);
    });
    expect(told).toBeGreaterThan(500);
  });

  it('lose nothing in any size, though a terminal may keep a line that it pushed off its screen', () => {
    const sizes = { columns: fc.integer({ min: 40, max: 170 }), rows: fc.integer({ min: 4, max: 40 }) };
    play(sizes, ({ ids, terminal }) => {
      expect(countEvents(terminal.lines())).toBeGreaterThanOrEqual(ids.length);
    });
  });
});

interface Sizes {
  readonly columns: fc.Arbitrary<number>;
  readonly rows: fc.Arbitrary<number>;
}

interface Played {
  readonly ids: readonly string[];
  readonly terminal: FakeTerminal;
}

/** Plays random runs, checks the status at each step, and returns how many events they told. */
function play(sizes: Sizes, check: (played: Played) => void): number {
  let told = 0;
  fc.assert(
    fc.property(fc.array(step(sizes), { minLength: 1, maxLength: 30, size: 'max' }), (steps) => {
      const opened = openTerminal(100, 24);
      const ids: string[] = [];
      for (const each of steps) {
        take(each, opened, ids);
        expect(opened.terminal.screen().filter((line) => line === STATUS)).toHaveLength(1);
        expect(opened.terminal.screen().at(-1)).toBe(STATUS);
      }
      opened.end();
      check({ ids, terminal: opened.terminal });
      told += ids.length;
    }),
    { numRuns: 15, seed: 1 },
  );
  return told;
}

type Step = ReturnType<typeof step> extends fc.Arbitrary<infer Value> ? Value : never;

function take(
  { kind, type, count, milliseconds, columns, rows }: Step,
  { tell, wait, resize }: ReturnType<typeof openTerminal>,
  ids: string[],
): void {
  if (kind === 'wait') wait(milliseconds);
  if (kind === 'note') tell(note('n'.repeat(count * 20)));
  if (kind === 'resize') resize(columns, rows);
  for (let times = 0; kind === 'events' && times < count; times += 1) {
    ids.push(`id${ids.length}_1`);
    tell(approve(ids.at(-1) ?? '', '08:30:00', type));
  }
}

function step({ columns, rows }: Sizes) {
  return fc.record({
    kind: fc.constantFrom('events', 'events', 'events', 'wait', 'note', 'resize'),
    type: fc.constantFrom('timesheet.approved', 'timesheet.processed', 'timesheet.clocked_in'),
    count: fc.integer({ min: 1, max: 12 }),
    milliseconds: fc.integer({ min: 0, max: 3_000 }),
    columns,
    rows,
  });
}

/** Events that the lines tell of: one each, or as many as a burst counts. */
function countEvents(lines: readonly string[]): number {
  const counts = lines.map((line) => {
    const [, burst] = /^08:51 {3}(\d+) \S+/.exec(line) ?? [];
    return burst === undefined ? (line.match(/ id\d+_1/g)?.length ?? 0) : Number(burst);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

function openTerminal(columns: number, rows: number) {
  const terminal = new FakeTerminal(columns, rows);
  const frames = createFrames(true);
  let now = 0;
  const draw = () => {
    const { columns, height } = terminal;
    terminal.write(frames.draw({ now, columns, rows: height, footer }));
  };
  return {
    terminal,
    tell: (entry: Entry) => {
      frames.add(entry, now);
      draw();
    },
    wait: (milliseconds: number) => {
      now += milliseconds;
      draw();
    },
    resize: (width: number, height: number) => {
      terminal.resize(width, height);
      draw();
    },
    end: () => {
      now = Number.POSITIVE_INFINITY;
      draw();
    },
  };
}

function note(text: string): Entry {
  return { kind: 'note', text };
}

function approve(...[id, at, type]: [string, string, string?]): Entry {
  return showEvent({ id, at, ...(type === undefined ? {} : { type }) });
}
