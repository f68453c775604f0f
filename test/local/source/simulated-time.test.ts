import { afterEach, expect, test, vi } from 'vitest';
import { type DataFolder, openDataFolder } from '#local/aws/engines/data-folder.ts';
import { readOptions } from '#local/run/options.ts';
import { createCompany } from '#local/source/company/company.ts';
import { keepTime, openSimulation } from '#local/source/simulated-time.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

const folders: DataFolder[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const folder of folders.splice(0)) folder.release();
});

test.each([
  ['today, a Monday', '2026-03-01T20:00:00Z', '2026-03-01T18:59:00.000Z'],
  ['Friday, when today is a Saturday', '2026-03-06T20:00:00Z', '2026-03-05T18:59:00.000Z'],
  ['Friday, when today is a Sunday', '2026-03-07T20:00:00Z', '2026-03-05T18:59:00.000Z'],
])('a new company starts at 07:59 in its time zone: %s', async (_, now, expected) => {
  vi.useFakeTimers({ now: Date.parse(now), toFake: ['Date'] });
  const simulation = openSimulation(await openFolder(), 'Pacific/Auckland');
  expect(new Date(simulation.startsAt).toISOString()).toBe(expected);
  expect(simulation.resumeAt).toBe(simulation.startsAt);
});

test.each(['2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06', '2026-03-07', '2026-03-08'])(
  'a start on %s shows a pay period closed within 160 seconds, with all its dates in the window',
  async (today) => {
    vi.useFakeTimers({ now: Date.parse(`${today}T12:00:00Z`), toFake: ['Date'] });
    const { startsAt } = openSimulation(await openFolder(), 'UTC');
    const { source, windowBackDays } = (await readOptions([], {})) ?? {};
    const speed = source?.kind === 'emulator' ? source.speed : 0;
    const company = createCompany({ seed: 1, startsAt, timeZone: 'UTC', size: 30 });
    const open = company.payPeriods().filter(({ closed }) => closed === null);
    company.advanceTo(startsAt + 160_000 * speed);
    const closed = open.map(({ id }) => company.payPeriod(id)).filter((period) => period?.closed);
    expect(closed).toHaveLength(1);
    const daysAgo = (startsAt - Date.parse(closed[0]?.startDate ?? '')) / 86_400_000;
    expect(daysAgo).toBeLessThan(windowBackDays ?? 0);
  },
);

test('after a kill at any moment the time continues, and never goes back', async () => {
  const folder = await openFolder();
  vi.useFakeTimers();
  const first = openSimulation(folder, 'UTC');
  const began = Date.now();
  const now = () => first.resumeAt + (Date.now() - began) * 600;
  keepTime(folder, first, { now, speed: 600 });
  for (let step = 0; step < 50; step += 1) {
    vi.advanceTimersByTime(99);
    const { resumeAt, startsAt } = openSimulation(folder, 'UTC');
    expect(startsAt).toBe(first.startsAt);
    expect(resumeAt).toBeGreaterThanOrEqual(now());
    expect(resumeAt).toBeLessThanOrEqual(now() + 2_000 * 600);
  }
});

test('after an orderly stop the time continues where it was', async () => {
  const folder = await openFolder();
  const first = openSimulation(folder, 'UTC');
  const now = first.startsAt + 123_456;
  keepTime(folder, first, { now: () => now, speed: 600 }).stop();
  expect(openSimulation(folder, 'UTC').resumeAt).toBe(now);
});

test('a company cannot change its time zone', async () => {
  const folder = await openFolder();
  keepTime(folder, openSimulation(folder, 'UTC'), { now: () => 0, speed: 1 }).stop();
  expect(() => openSimulation(folder, 'Asia/Tokyo')).toThrow(
    `the sample company in ${folder.path} is in the time zone UTC, not Asia/Tokyo; use --time-zone UTC`,
  );
});

async function openFolder(): Promise<DataFolder> {
  const folder = await openDataFolder(createTemporaryFolder('time'));
  folders.push(folder);
  return folder;
}
