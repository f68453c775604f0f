import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createNotes } from '#local/run/output/notes.ts';

test('control characters of a source do not reach the terminal; line breaks of a note do', () => {
  let text = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  createNotes(stream as NodeJS.WriteStream).say('the source said:\n\u001b[2Jgone');
  expect(text).toBe('the source said:\n\\u001b[2Jgone\n');
});
