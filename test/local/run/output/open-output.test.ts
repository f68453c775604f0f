import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readOptions } from '#local/run/options.ts';
import { createRunStats } from '#local/run/output/stats.ts';
import { openRunOutput } from '#local/run/run.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { buildEvent, wordsOf } from '../terminal/entries.ts';
import { createFakeStream, type StreamTraits } from './fake-stream.ts';

const START = Date.parse('2026-11-20T08:00:00Z');
const SPEED = 600;
const NOBODY = async () => NO_NAMES;
const TERMINAL = { isTTY: true, columns: 100 };
const MESSAGE = { kind: 'message', channel: 'slack #payroll', lines: [{ text: 'closed' }] } as const;
const EVENT = `08:00   ${wordsOf({ id: '1_1' }, START)}`;
const TOLD = '08:00 │ slack #payroll  closed';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('without a terminal that can be drawn on', () => {
  it.each([
    ['a pipe', { isTTY: false, columns: 100 }, {}],
    ['a terminal that does not say its width', { isTTY: true, columns: 0 }, { NO_COLOR: '1' }],
    ['TERM=dumb', TERMINAL, { TERM: 'dumb' }],
    ['CI', TERMINAL, { CI: 'true', NO_COLOR: '1' }],
  ])('%s gets the lines that it always got', async (_, traits, environment) => {
    const run = await openRun({ traits, environment });
    await tellAll(run);
    run.output.conclude(run.stats);
    run.output.close();
    expect(run.stdout.written()).toBe(
      ['── Fri 20 Nov 2026 ──', `${EVENT}  timesheet.approved  1_1`, TOLD, ''].join('\n'),
    );
    expect(run.stderr.written()).toMatch(
      /^a note\n1 event \(timesheet.approved 1\), 0 polls, 0 requests, \d+\.\d s\n$/,
    );
  });

  it('ndjson is what was published, on a terminal too', async () => {
    const run = await openRun({ traits: TERMINAL, environment: {}, args: ['--output', 'ndjson'] });
    await run.output.print(JSON.stringify(buildEvent({ id: '1_1' })));
    expect(run.stdout.written()).toBe(`${JSON.stringify(buildEvent({ id: '1_1' }))}\n`);
  });
});

describe('on a terminal', () => {
  it('lines stand above a status, which follows the clock of the company', async () => {
    const { output, stats, stdout } = await openRun();
    const clock = { startsAtMs: START, anchorMs: START, speed: SPEED };
    output.follow({ stats, clock, names: NOBODY, addresses });
    await tellAll({ output, stats });
    const event = `${EVENT.padEnd(77)}timesheet.approved  1_1`;
    const lines = ['a note', '── Fri 20 Nov 2026 ──', event, TOLD];
    const status = (time: string) => [
      `── Fri 20 Nov, ${time} · 1 event · 1 message · 0 delivered · Enter: console`,
    ];
    expect(stdout.terminal?.screen()).toEqual([...lines, ...status('08:00')]);
    vi.advanceTimersByTime(3_000);
    expect(stdout.terminal?.screen()).toEqual([...lines, ...status('08:30')]);
    stdout.resize(60, 30);
    expect(stdout.terminal?.screen().slice(2)).toEqual([
      EVENT,
      `${' '.repeat(57)}1_1`,
      TOLD,
      '── Fri 20 Nov, 08:30 · 1 event · 1 message · 0 delivered',
      '   Enter: console',
    ]);
    output.close();
    expect(stdout.terminal?.screen().at(-1)).toBe('');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a table takes the place of the status in the end, and nothing is drawn after it', async () => {
    const { output, stats, stdout } = await openRun();
    output.follow({ stats, clock: null, names: NOBODY, addresses });
    await tellAll({ output, stats });
    output.conclude(stats);
    vi.advanceTimersByTime(3_000);
    stdout.resize(60, 30);
    output.close();
    const lines = stdout.terminal?.lines() ?? [];
    expect(lines.slice(3, 8)).toEqual([
      TOLD,
      '',
      'published           events',
      'timesheet.approved       1',
      '',
    ]);
    expect(lines.slice(-3)).toEqual([
      'to see what happened to one record, and who was told:',
      'npm run notifier -- events 1_1 --data .data',
      '',
    ]);
    expect(process.listenerCount('SIGCONT')).toBe(0);
  });

  it('what was on the screen before Ctrl-Z is left as it is', async () => {
    const { output, stats, stdout } = await openRun();
    output.follow({ stats, clock: null, names: NOBODY, addresses });
    await tellAll({ output, stats });
    stdout.terminal?.write('$ fg\r\n');
    process.emit('SIGCONT');
    expect(stdout.terminal?.screen().slice(-4)).toEqual([
      expect.stringMatching(/^\$ fg/),
      expect.stringContaining(EVENT),
      TOLD,
      expect.stringMatching(/^── Fri 20 Nov, 08:00/),
    ]);
    output.close();
  });

  it('notes stay on stderr when that is a file', async () => {
    const { output, stdout, stderr } = await openRun({ errors: { isTTY: false } });
    output.notes.say('a note');
    expect([stdout.written(), stderr.written()]).toEqual(['', 'a note\n']);
    output.close();
  });

  it.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ])('with %j, whether it is coloured is %s', async (environment, expected) => {
    const run = await openRun({ environment });
    await tellAll(run);
    expect(run.stdout.written().includes('\u001b[1mEmployee 1001_1')).toBe(expected);
    run.output.close();
  });

  it('Enter prints where to look, in place of the line that it moved', async () => {
    const { output, stats, stdout, stdin } = await openRun();
    output.follow({ stats, clock: null, names: NOBODY, addresses });
    await tellAll({ output, stats });
    stdout.terminal?.write('\r\n');
    stdin.emit('data', '\n');
    expect(stdout.terminal?.screen().slice(-3)).toEqual([
      TOLD,
      'console  http://127.0.0.1:4600/',
      expect.stringMatching(/^── Fri 20 Nov, 08:00/),
    ]);
    output.close();
    expect(stdin.listenerCount('data')).toBe(0);
  });
});

interface RunTraits {
  readonly traits?: StreamTraits;
  readonly errors?: StreamTraits;
  readonly environment?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
}

async function openRun({ traits = TERMINAL, errors = traits, environment = {}, args = [] }: RunTraits = {}) {
  const stdout = createFakeStream(traits);
  const stderr = createFakeStream(errors);
  const options = await readOptions(args, {});
  if (options === null) throw new Error('no options');
  const stdin = Object.assign(new EventEmitter(), { isTTY: true, pause: () => {} });
  const streams = {
    stdout: stdout.stream,
    stderr: stderr.stream,
    stdin: stdin as unknown as NodeJS.ReadStream,
  };
  const output = openRunOutput(options, environment, streams);
  return { output, stats: createRunStats(), stdout, stderr, stdin };
}

async function tellAll({
  output,
  stats,
}: Pick<Awaited<ReturnType<typeof openRun>>, 'output' | 'stats'>): Promise<void> {
  const text = JSON.stringify(buildEvent({ id: '1_1' }));
  output.notes.say('a note');
  await output.print(text);
  stats.countEvent(text);
  stats.countReceived(MESSAGE);
  await output.show(MESSAGE);
}

function addresses(): string[] {
  return ['console  http://127.0.0.1:4600/'];
}
