import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDelays } from '#shared/operator/doctor/delay-check.ts';
import { type SeededCompany, startSeededCompany } from '#test/console/seeded-company.ts';

let seeded: SeededCompany;

beforeAll(async () => {
  seeded = await startSeededCompany();
  // Polled every half hour.
  await seeded.live(600, 30);
});
afterAll(() => seeded.stop());

test('how soon the changes of a day were found is said by the log', async () => {
  const { target } = seeded;
  const found = await checkDelays(target);
  expect(found.map(({ about, outcome }) => [about, outcome])).toEqual([['delay of main', 'ok']]);
  expect(found[0]?.says).toMatch(
    /^\d+ changes in the last 24 hours: found within \d+ min \(p50\), 30 min \(p99\)$/,
  );

  const tomorrow = { ...target.system, now: () => target.system.now() + 86_400_000 };
  const [later] = await checkDelays({ ...target, system: tomorrow });
  expect(later?.says).toBe('no changes in the last 24 hours');
});
