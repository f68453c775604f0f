import { expect, test } from 'vitest';
import { type Company, createCompany } from '#local/source/company/company.ts';
import type { Timesheet } from '#local/source/schemas.ts';
import type { SampleRecord } from '#test/support/builders.ts';
import { PollHarness, type PublishedEvent } from '#test/support/poll-harness.ts';

const TIME_ZONE = 'Pacific/Auckland';
/** A Thursday, 06:00 in Auckland. */
const START = Date.parse('2026-03-04T17:00:00Z');
const DATES = ['2026-03-04', '2026-03-05', '2026-03-06'];
const STEP_MS = 15 * 60_000;
/** After the first polls; nobody's work begins in the minutes before. */
const IN_FORCE_AT = START + 30 * 60_000;
const LIFE_MS = 17 * 3_600_000;
const QUARTER_MS = 15 * 60_000;
const THREE_HOURS_MS = 3 * 3_600_000;

test('in a day of the sample company some come late, some not at all, and some forget to clock out', async () => {
  const company = createCompany({ seed: 7, size: 80, timeZone: TIME_ZONE, startsAt: START });
  const harness = new PollHarness({
    connection: {
      timeZone: TIME_ZONE,
      window: { backDays: 1, forwardDays: 1 },
      absences: { clockInMinutes: 15, clockOutHours: 3 },
    },
    startAt: new Date(START).toISOString(),
  });
  const told = new Set<string>();
  for (let at = START; at < START + LIFE_MS; at += STEP_MS) {
    await pollAt(at, { harness, company });
    // The first polls bring the thresholds into force.
    if (at < START + 2 * STEP_MS) harness.news();
    for (const event of harness.published.splice(0)) note(event, told);
    if (at > START + 4 * STEP_MS) expect([...told].toSorted()).toEqual(listMissing(company, at));
  }
  const types = harness.texts.map((text) => (JSON.parse(text) as PublishedEvent).type);
  const count = (type: string) => types.filter((each) => each === `workforce.timesheet.${type}`).length;
  expect(count('clock_in_missing')).toBeGreaterThan(0);
  expect(count('clock_out_missing')).toBeGreaterThan(0);
});

interface Stage {
  readonly harness: PollHarness;
  readonly company: Company;
}

async function pollAt(at: number, { harness, company }: Stage): Promise<void> {
  company.advanceTo(at);
  const now = listWatched(company);
  const ids = new Set(now.map(({ id }) => id));
  for (const { id } of harness.timesheets) if (!ids.has(id)) harness.remove(id);
  harness.put(...(now as unknown as readonly SampleRecord[]));
  harness.now = at;
  await harness.poll({ scope: 'window' });
}

/** Those of the window's dates. */
function listWatched(company: Company): readonly Timesheet[] {
  return company.timesheets().filter(({ date }) => DATES.includes(date));
}

function note({ type, subject, data }: PublishedEvent, told: Set<string>): void {
  const kind = /timesheet\.(clock_\w+)_missing/.exec(type)?.[1];
  if (kind !== undefined && type.endsWith('_missing')) told.add(`${kind} ${subject}`);
  const { clockInMissing, clockOutMissing } = (data.previous ?? {}) as Record<string, unknown>;
  if (clockInMissing != null) told.delete(`clock_in ${subject}`);
  if (clockOutMissing != null) told.delete(`clock_out ${subject}`);
  if (type.endsWith('.removed')) for (const each of told) if (each.endsWith(` ${subject}`)) told.delete(each);
}

/** What has been missing since the thresholds are in force, by the company's own book. */
function listMissing(company: Company, at: number): string[] {
  const isOver = (time: string, wait: number) =>
    Date.parse(time) >= IN_FORCE_AT && Date.parse(time) + wait <= at;
  const isOpen = ({ approvedHours, approvedPayroll, processed }: Timesheet) =>
    approvedHours === null && approvedPayroll === null && processed === null;
  return listWatched(company)
    .filter(isOpen)
    .flatMap(({ id, startTime, finishTime, clockIn, clockOut, includesLeave }) => [
      ...(clockIn === null && !includesLeave && isOver(startTime, QUARTER_MS) ? [`clock_in ${id}`] : []),
      ...(clockIn !== null && clockOut === null && isOver(finishTime, THREE_HOURS_MS)
        ? [`clock_out ${id}`]
        : []),
    ])
    .sort();
}
