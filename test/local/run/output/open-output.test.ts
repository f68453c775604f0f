import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openRunOutput } from '#local/run/output/run-output.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { isReaderGone } from '#shared/terminal/output.ts';
import { buildEvent, wordsOf } from './entries.ts';
import { openStream } from './open-stream.ts';

const START = Date.parse('2026-11-20T08:00:00Z');
const TERMINAL = { isTTY: true, columns: 100 };
const FILE = { isTTY: false, columns: 100 };
const MESSAGE = { kind: 'message', channel: 'slack #payroll', lines: [{ text: 'closed' }] } as const;
const EVENT = JSON.stringify(buildEvent({ id: '1_1' }));
const LINE = `08:00   ${wordsOf({ id: '1_1' }, START)}`;
const TOLD = '08:00 │ slack #payroll  closed';
const DAY = '── Fri 20 Nov 2026 ──';

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('without a terminal that somebody looks at', () => {
  it.each([
    ['a pipe', FILE, {}],
    ['a terminal that does not say its width', { isTTY: true, columns: 0 }, { NO_COLOR: '1' }],
    ['TERM=dumb', TERMINAL, { TERM: 'dumb' }],
    ['CI', TERMINAL, { CI: 'true', NO_COLOR: '1' }],
  ])('%s gets whole lines, each as it comes', async (_, traits, environment) => {
    const { output, stdout, stderr } = openOutput({ traits, environment });
    output.notes.say('a note');
    for (let times = 0; times < 6; times += 1) await output.print(EVENT);
    await output.show(MESSAGE);
    const events = Array(6).fill(`${LINE}  timesheet.approved  1_1`);
    expect(stdout.lines()).toEqual([DAY, ...events, TOLD]);
    expect(stderr.lines()).toEqual(['a note']);
  });
});

describe('ndjson', () => {
  it('is what was published, byte for byte, and nothing else', async () => {
    const { output, stdout } = openOutput({ form: 'ndjson' });
    const text = '{"a": 1,\t"ü":"\\u00fc"}';
    await output.print(text);
    await output.show(MESSAGE);
    expect(stdout.lines()).toEqual([text]);
  });

  it('on a terminal has escape sequences in place of control characters', async () => {
    const { output, stdout } = openOutput({ form: 'ndjson', traits: TERMINAL });
    await output.print(EVENT.replace('1_1', '1\u009b_1'));
    const [line = ''] = stdout.lines();
    expect(line).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(line)).toMatchObject({ type: 'workforce.timesheet.approved' });
  });
});

describe('on a terminal', () => {
  it('what comes within half a second is told together, also when the run ends at once', async () => {
    const { output, stdout } = openOutput({ traits: TERMINAL, environment: { NO_COLOR: '1' } });
    for (let times = 0; times < 6; times += 1) await output.print(EVENT);
    expect(stdout.lines()).toEqual([]);
    vi.advanceTimersByTime(500);
    expect(stdout.lines()).toEqual([DAY, expect.stringMatching(/^08:00 {3}6 timesheets approved, /)]);
    await output.print(EVENT);
    const [flush] = process.listeners('exit').slice(-1);
    flush?.(0);
    expect(stdout.lines().slice(2)).toEqual([`${LINE.padEnd(77)}timesheet.approved  1_1`]);
    await output.show(MESSAGE);
    output.close();
    expect(stdout.lines().slice(3)).toEqual([TOLD]);
    expect([vi.getTimerCount(), process.listeners('exit').includes(flush as () => void)]).toEqual([0, false]);
  });

  it.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ])('with %j, whether it is coloured is %s', async (environment, expected) => {
    const { output, stdout } = openOutput({ traits: TERMINAL, environment });
    await output.print(EVENT);
    output.close();
    expect(stdout.lines().join('').includes('\u001b[1mEmployee 1001_1')).toBe(expected);
  });

  it('Enter prints where to look', () => {
    const { output, stderr, stdin } = openOutput({ traits: TERMINAL });
    output.follow({ clock: null, names: async () => NO_NAMES, addresses: () => ['console  a', 'queue  b'] });
    stdin.emit('data', '\n');
    expect(stderr.lines().slice(1)).toEqual(['console  a', 'queue  b']);
    output.close();
    expect(stdin.listenerCount('data')).toBe(0);
  });
});

it('control characters of a source do not reach the terminal by a note; its line breaks do', () => {
  const { output, stderr } = openOutput({});
  output.notes.say('the source said:\n\u001b[2Jgone');
  expect(stderr.lines()).toEqual(['the source said:', '\\u001b[2Jgone']);
});

it('printing settles once the line is written, and fails when the reader is gone', async () => {
  let take: (error?: Error) => void = () => {};
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      take = done;
    },
  });
  const streams = { stdout, stderr: stdout } as never;
  const { print } = openRunOutput({ output: 'ndjson', timeZone: 'UTC' }, {}, streams);
  let settled = false;
  const first = print('one').then(() => {
    settled = true;
  });
  await Promise.resolve();
  expect(settled).toBe(false);
  take();
  await first;
  const second = print('two');
  take(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  expect(isReaderGone(await second.catch((reason: unknown) => reason))).toBe(true);
});

interface Given {
  readonly traits?: { readonly isTTY: boolean; readonly columns: number };
  readonly environment?: NodeJS.ProcessEnv;
  readonly form?: 'text' | 'ndjson';
}

function openOutput({ traits = FILE, environment = {}, form = 'text' }: Given) {
  const [stdout, stderr] = [openStream(traits), openStream(traits)];
  const stdin = Object.assign(new EventEmitter(), { isTTY: true, pause: () => {} });
  const streams = { stdout: stdout.stream, stderr: stderr.stream, stdin } as never;
  const output = openRunOutput({ output: form, timeZone: 'UTC' }, environment, streams);
  return { output, stdout, stderr, stdin };
}
