import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createPrinter, type Printer, type PrinterOptions } from '#local/run/output/printer.ts';
import { isReaderGone, wantsColour } from '#shared/terminal/output.ts';

const REVOKED = JSON.stringify({
  type: 'workforce.timesheet.approval_revoked',
  subject: '7_1',
  time: '2026-11-16T09:02:00Z',
  data: { changed: ['approvedHours'], current: { approvedHours: null }, previous: { approvedHours: 'x' } },
});
const COLUMNS = `2026-11-16 09:02:00  timesheet.approval_revoked          7_1${' '.repeat(9)}  approvedHours x → –\n`;

test('ndjson is the message byte for byte', async () => {
  expect(await printed('{"a": 1,\t"ü":"\\u00fc"}', { output: 'ndjson' })).toBe('{"a": 1,\t"ü":"\\u00fc"}\n');
});

test('text is one line of columns, without colour unless wanted', async () => {
  expect(await printed(REVOKED, {})).toBe(COLUMNS);
  const coloured = await printed(REVOKED, { colour: true });
  expect(coloured).toContain('\u001b[33mtimesheet.approval_revoked');
  expect(coloured.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g'), '')).toBe(COLUMNS);
});

test('a message that is not an event is printed as it is', async () => {
  expect(await printed('plain text', {})).toBe('plain text\n');
});

test('control characters are escaped: in ids, in a message that is no event, and in JSON on a terminal', async () => {
  const hostile = REVOKED.replace('7_1', '7\\u001b[2J\u009b_1');
  expect(await printed(hostile, {})).toContain(' 7\\u001b[2J\\u009b_1 ');
  expect(await printed('plain\u001b[2J', {})).toBe('plain\\u001b[2J\n');
  expect(await printed(hostile, { output: 'ndjson' })).toBe(`${hostile}\n`);
  const shown = await written(({ print }) => print(hostile), {
    output: 'ndjson',
    isTTY: true,
  });
  expect(shown).not.toMatch(/\p{Cc}(?!$)/u);
  expect(JSON.parse(shown)).toEqual(JSON.parse(hostile));
});

test('messages to people and systems are set apart, complete, and coloured if requested', async () => {
  const message = {
    label: 'slack #a',
    labelStyle: 'magenta',
    lines: [{ text: 'one' }, { text: 'two' }],
  } as const;
  expect(await written(({ show }) => show(message), {})).toBe('  slack #a | one\n           | two\n');
  expect(await written(({ show }) => show(message), { colour: true })).toContain('\u001b[35mslack #a');
});

test('colour is for terminals without NO_COLOR', () => {
  expect([
    wantsColour({ isTTY: true }, {}),
    wantsColour({ isTTY: true }, { NO_COLOR: '' }),
    wantsColour({ isTTY: true }, { NO_COLOR: '1' }),
    wantsColour({}, {}),
  ]).toEqual([true, true, false, false]);
});

test('printing settles once the line is written, and fails when the reader is gone', async () => {
  let take: (error?: Error) => void = () => {};
  const stream = new Writable({
    write: (_chunk, _encoding, done) => {
      take = done;
    },
  });
  stream.on('error', () => {});
  const { print } = createPrinter({ stream, output: 'ndjson', timeZone: 'UTC', colour: false });
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
  const error = await second.catch((reason: unknown) => reason);
  expect([isReaderGone(error), isReaderGone(new Error('other'))]).toEqual([true, false]);
});

async function printed(text: string, options: Partial<PrinterOptions>): Promise<string> {
  return written(({ print }) => print(text), options);
}

async function written(
  write: (printer: Printer) => Promise<void>,
  { isTTY = false, ...options }: Partial<PrinterOptions> & { readonly isTTY?: boolean },
): Promise<string> {
  let text = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  await write(
    createPrinter({
      stream: Object.assign(stream, { isTTY }),
      output: 'text',
      timeZone: 'UTC',
      colour: false,
      ...options,
    }),
  );
  return text;
}
