import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PersonAnswer } from '#console/answers/person.ts';
import { readPerson } from '#console/server/people/read-person.ts';
import { addDays, toLocalDate } from '#shared/core/dates.ts';
import { findRecord } from '#shared/operator/find-record.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { findTold, type SeededCompany, startSeededCompany } from './seeded-company.ts';
import { watchTimesheets } from './watched-timesheets.ts';

let seeded: SeededCompany;

beforeAll(async () => {
  seeded = await startSeededCompany();
  await seeded.live(240, 40);
});

afterAll(async () => await seeded?.stop());

async function readOwner(record: string): Promise<{ readonly id: string; readonly answer: PersonAnswer }> {
  const event = seeded.harness.published.find(({ subject }) => subject === record);
  const { employeeId: id = '' } = (event?.data ?? {}) as { readonly employeeId?: string };
  return { id, answer: await readPerson({ id, connection: 'main' }, seeded.context) };
}

test('a person has every change of each of the timesheets, newest first, with what each receiver got', async () => {
  const record = findTold(seeded.harness);
  const { id, answer } = await readOwner(record);
  const [found] = await findRecord({ record, since: '90d' }, seeded.target);
  const own = answer.changes.filter((change) => change.record === record);
  expect(own.map((change) => change.id)).toEqual(found?.chapters.map(({ event }) => event.id).reverse());
  const all = seeded.harness.published.filter(
    ({ data }) => (data as { employeeId?: string }).employeeId === id,
  );
  expect(new Set(answer.changes.map((change) => change.id))).toEqual(new Set(all.map((event) => event.id)));
  const told = found?.chapters.find(({ deliveries }) => deliveries.length > 0);
  const change = own.find((each) => each.id === told?.event.id);
  expect(change?.receivers).toContainEqual(
    expect.objectContaining({ name: 'webhook/payroll-system', outcome: told?.deliveries[0]?.outcome }),
  );
});

test('the timesheets are those that the source has of the person, on the dates that are named', async () => {
  const { id, answer } = await readOwner(findTold(seeded.harness));
  const { from, to, timesheets, name } = answer;
  expect(name).toMatch(/Example/);
  const expected = [...seeded.harness.timesheets.values()]
    .filter(({ employeeId, date }) => employeeId === id && String(date) >= from && String(date) <= to)
    .map((each) => each.id);
  expect(expected.length).toBeGreaterThan(3);
  expect(timesheets.map((each) => each.id).sort()).toEqual(expected.sort());
});

test('the dates are this pay period and the last, of each calendar', async () => {
  const today = toLocalDate(NOW, 'UTC');
  const period = (id: string, from: number) =>
    payPeriod({ id, startDate: addDays(today, from), finishDate: addDays(today, from + 6) });
  const context = await watchTimesheets({
    payPeriods: [period('1_7', -17), period('2_7', -10), period('3_7', -3), period('4_7', 4)],
    timesheets: [
      timesheet({ id: '1_7', employeeId: '2001_7', date: addDays(today, -10) }),
      timesheet({ id: '2_7', employeeId: '2001_7', date: addDays(today, 3) }),
      timesheet({ id: '3_7', employeeId: '2001_7', date: addDays(today, -11) }),
      timesheet({ id: '4_7', employeeId: '2002_7', date: today }),
    ],
  });
  const answer = await readPerson({ id: '2001_7', connection: 'main' }, context);
  expect(answer).toMatchObject({ from: addDays(today, -10), to: addDays(today, 3), name: null });
  expect(answer.timesheets.map(({ id }) => id)).toEqual(['2_7', '1_7']);
});

test('without pay periods and timesheets there are dates and nothing else', async () => {
  const answer = await readPerson({ id: 'nobody', connection: 'main' }, createFakeContext(createFakeLog()));
  expect(answer).toMatchObject({
    from: '2026-11-06',
    to: '2026-11-27',
    since: '2026-10-30T00:00:00.000Z',
    timesheets: [],
    changes: [],
  });
});
