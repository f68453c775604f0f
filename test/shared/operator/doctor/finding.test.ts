import { expect, test } from 'vitest';
import { NotifierError, SourceError } from '#shared/core/errors.ts';
import { finding } from '#shared/operator/doctor/finding.ts';

test('keeps the message of the source apart, so that it can be left out, and has none for other errors', async () => {
  const message = 'the source failed (500) at https://a.example; ask who runs it if this lasts';
  const error = new SourceError('source_failed', message, { status: 500, said: 'no timesheet of Jane Doe' });
  expect(await finding('source of main', () => Promise.reject(error))).toEqual({
    ...{ about: 'source of main', outcome: 'wrong', says: 'the source failed (500) at https://a.example' },
    ...{ mend: 'ask who runs it if this lasts', said: 'no timesheet of Jane Doe' },
  });
  const missing = new NotifierError('part_missing', 'no queue; deploy');
  const found = await finding('queue', () => Promise.reject(missing));
  expect(found).toEqual({ about: 'queue', outcome: 'wrong', says: 'no queue', mend: 'deploy' });
});

test('is none for a table of another format: nothing else of it is checked', async () => {
  const error = new NotifierError('store_format_unknown', 'not of format 1; deploy a new stack');
  await expect(finding('main timesheets', () => Promise.reject(error))).rejects.toBe(error);
});
