import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { clocking, DATE, payPeriod, storedRow, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { seedStore } from '#test/support/seeded-store.ts';

test('an event that does not fit its schema is not committed: its record is a bad one, and the others are told', async () => {
  const harness = new PollHarness();
  harness.put(timesheet({ id: '1_7' }), timesheet({ id: '2_7' }));
  await harness.poll();
  // As no release stores it.
  const odd = storedRow(timesheet({ id: '1_7' }));
  const rows = [
    { ...odd, text: odd.text?.replace('7.5', '"many"') ?? null },
    storedRow(timesheet({ id: '2_7' })),
  ];
  await seedStore(harness.store, { at: harness.now, slices: [{ slice: DATE, rows }] });
  harness.news();

  harness.change({ hoursToPay: 8 });
  await harness.pollFor(2);
  expect(harness.news()).toEqual(['timesheet.changed 2_7', `began records_unreadable ${DATE}`]);
  expect(JSON.parse(harness.texts.at(-1) ?? '').data).toMatchObject({
    about: ['1_7'],
    cause: 'data.previous.hoursToPay',
  });
});

test('every event that is published fits its JSON Schema', async () => {
  const harness = new PollHarness({ connection: { watermark: true } });
  const stamp = '2026-03-05T00:30:00.000Z';
  harness.lists['pay-periods'] = [payPeriod()];
  harness.put(timesheet({ id: '1_7' }), timesheet({ id: '2_7' }));
  await harness.poll();
  for (const values of [
    { clockIn: clocking() },
    { clockOut: clocking({ id: '8' }), hoursToPay: 8 },
    { approvedHours: stamp, approvedPayroll: 'P-1', processed: stamp },
    { processed: null, approvedHours: null, clockIn: null },
    { hoursToPay: 'many' },
    { hoursToPay: 9 },
  ]) {
    harness.change(values, ['1_7']);
    await harness.poll();
  }
  harness.remove('2_7');
  harness.lists['pay-periods'] = [payPeriod({ closed: '2026-03-05' }), payPeriod({ id: '4_7' })];
  await harness.pollFor(8);
  harness.lists['pay-periods'] = [payPeriod(), payPeriod({ id: '4_7' })];
  await harness.pollFor(2);

  const misfits = harness.texts.filter((text) => !validate(text));
  expect(misfits).toEqual([]);
  expect(new Set(harness.texts.map(typeOf)).size).toBeGreaterThan(16);
});

const schemas = new Map<string, ValidateFunction>();

function validate(text: string): boolean {
  const type = typeOf(text);
  const known = schemas.get(type) ?? compile(type);
  schemas.set(type, known);
  return known(JSON.parse(text)) as boolean;
}

function compile(type: string): ValidateFunction {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  return ajv.compile(JSON.parse(readFileSync(`docs/schemas/${type}.json`, 'utf8')));
}

function typeOf(text: string): string {
  return (JSON.parse(text) as { type: string }).type.replace('workforce.', '');
}
