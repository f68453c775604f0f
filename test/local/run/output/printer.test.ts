import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createJsonPrinter, createTextPrinter, type Printer } from '#local/run/output/printer.ts';
import { isReaderGone, wantsColour } from '#shared/terminal/output.ts';
import { buildEvent } from '../terminal/entries.ts';

const EVENT = JSON.stringify(buildEvent({ id: '7_1' }));

test('json is the message byte for byte', async () => {
  expect(await printed(createJson, '{"a": 1,\t"ü":"\\u00fc"}')).toBe('{"a": 1,\t"ü":"\\u00fc"}\n');
});

test('text is whole lines in words', async () => {
  expect(await printed(createText, EVENT)).toMatch(
    /\d\d:\d\d {3}Employee 1001_1.*: .+ {2}timesheet\.approved {2}7_1\n$/,
  );
  expect(await printed(createText, 'plain text')).toMatch(/plain text\n$/);
});

test('control characters are escaped: in ids, in a message that is no event, and in JSON on a terminal', async () => {
  const hostile = EVENT.replaceAll('7_1', '7\\u001b[2J\\u009b_1');
  expect(await printed(createText, hostile)).toContain(' 7\\u001b[2J\\u009b_1\n');
  expect(await printed(createText, 'plain\u001b[2J')).toContain('plain\\u001b[2J\n');
  expect(await printed(createJson, hostile)).toBe(`${hostile}\n`);
  const shown = await printed(createJson, EVENT.replace('7_1', '7\u009b_1'), true);
  expect(shown).not.toMatch(/\p{Cc}(?!$)/u);
  expect(JSON.parse(shown)).toMatchObject({ type: 'workforce.timesheet.approved' });
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
  const { print } = createJsonPrinter({ stream });
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

type Create = (stream: Writable) => Printer;

const createJson: Create = (stream) => createJsonPrinter({ stream });
const createText: Create = (stream) => createTextPrinter({ stream, timeZone: 'UTC', colour: false });

async function printed(create: Create, text: string, isTTY = false): Promise<string> {
  let written = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  await create(Object.assign(stream, { isTTY })).print(text);
  return written;
}
