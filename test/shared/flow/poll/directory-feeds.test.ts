import { describe, expect, test } from 'vitest';
import { DIRECTORY_FEEDS } from '#shared/core/feeds.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { DAY_MS, MINUTE_MS, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PollValues } from '#test/support/poll-harness.ts';

/** As `poll.directory` polls both lists. */
const EVERY_MS = 20 * MINUTE_MS;

describe('a directory that is polled from some day on', () => {
  test('is stored silently, and each change after that is told once, with ids and no name', async () => {
    const harness = new PollHarness();
    await harness.see();
    await harness.see(timesheet({ id: '1_7' }));
    harness.news();
    const before = list(harness, ['2001_7', '501_7'], ['2002_7', '502_7']);
    await look(harness);
    expect(harness.news()).toEqual(['baseline.completed', 'baseline.completed']);

    harness.directory.employees = [employee('2001_7', '502_7'), employee('2003_7', '501_7')];
    harness.directory.departments = before.departments.map((each) => ({
      ...each,
      ...(each.id === '501_7' ? { name: 'Main Kitchen' } : { manager: 'Jo Quill' }),
    }));
    await look(harness);
    await look(harness);
    expect(harness.headings.toSorted()).toEqual([
      ...['department.manager_changed 502_7', 'department.renamed 501_7'],
      ...['employee.joined 2003_7', 'employee.left 2002_7', 'employee.moved 2001_7'],
    ]);
    expect(JSON.stringify(harness.published)).not.toMatch(/Kitchen|Quill|Place/);
  });

  test('tells no watermark, also where the others do', async () => {
    const harness = new PollHarness({ connection: { watermark: true } });
    list(harness, ['2001_7', '501_7']);
    for (let looks = 0; looks < 5; looks += 1) await look(harness);
    expect(harness.news()).toEqual(['baseline.completed', 'baseline.completed']);
    await harness.see();
    await harness.pollFor(10);
    expect(harness.news()).toContain('feed.complete');
  });

  test('that was not polled for a month tells what happened meanwhile, with the look before that', async () => {
    const harness = new PollHarness();
    list(harness, ['2001_7', '501_7'], ['2002_7', '501_7']);
    await look(harness);
    const lastLook = new Date(harness.now).toISOString();
    harness.news();
    harness.now += 30 * DAY_MS;
    list(harness, ['2001_7', '502_7']);
    await look(harness);
    expect(harness.headings).toEqual(['employee.moved 2001_7', 'employee.left 2002_7']);
    for (const { data } of harness.published) {
      const { after } = data.observed as { readonly after: string };
      expect(after <= lastLook).toBe(true);
    }
  });
});

describe('a directory that is polled for its names', () => {
  test('is stored as it is and told to nobody, and from the day on that somebody asks it goes on from there', async () => {
    const harness = new PollHarness();
    list(harness, ['2001_7', '501_7'], ['2002_7', '501_7']);
    await look(harness, { isSilent: true });
    list(harness, ['2001_7', '502_7'], ['2003_7', '501_7']);
    await look(harness, { isSilent: true });
    expect(harness.news()).toEqual([]);

    await look(harness);
    expect(harness.news()).toEqual([]);
    list(harness, ['2001_7', '501_7'], ['2002_7', '501_7']);
    await look(harness);
    await look(harness);
    const told = harness.published.map(({ type, subject, sequence }) => [type, subject, sequence]);
    expect(told.toSorted()).toEqual([
      ['workforce.employee.joined', '2002_7', 1],
      ['workforce.employee.left', '2003_7', 1],
      ['workforce.employee.moved', '2001_7', 1],
    ]);
  });

  test('tells nothing after a restore', async () => {
    const live = new PollHarness();
    list(live, ['2001_7', '501_7']);
    await look(live, { isSilent: true });
    const restored = new PollHarness({ store: live.store.restored(), startAt: '2026-03-06T03:00:00Z' });
    list(restored, ['2001_7', '502_7']);
    for (let looks = 0; looks < 3; looks += 1) await look(restored, { isSilent: true });
    expect(restored.headings).toEqual([]);
  });
});

test('a new name of an employee is stored, and no event', async () => {
  const harness = new PollHarness();
  list(harness, ['2001_7', '501_7']);
  await look(harness);
  harness.news();
  harness.directory.employees = [{ ...employee('2001_7', '501_7'), lastName: 'Quill-Reed' }];
  await look(harness);
  expect(harness.news()).toEqual([]);
  const names = await createNameReader(harness.store).load('main', ['employees']);
  expect([...names.employees]).toEqual([['2001_7', 'Jo Quill-Reed']]);
});

describe('employees that vanish', () => {
  const many = Array.from({ length: 30 }, (_, n) => [`${2001 + n}_7`, '501_7'] as const);

  test('many at once are held as timesheets are, and told when they are proved to be gone for long', async () => {
    const harness = new PollHarness();
    list(harness, ...many);
    await look(harness);
    harness.news();
    list(harness, ...many.slice(0, 5));
    await look(harness);
    expect(harness.news()).toEqual(['began dates_doubtful all']);
    await look(harness);
    expect(harness.news()).toEqual([]);
    await look(harness);
    const told = harness.news();
    expect(told.filter((each) => each.startsWith('employee.left'))).toHaveLength(25);
    await look(harness);
    expect(harness.news()).toEqual(['ended dates_doubtful all']);
  });

  test('many that come back had never left', async () => {
    const harness = new PollHarness();
    list(harness, ...many);
    await look(harness);
    list(harness);
    await look(harness);
    harness.news();
    list(harness, ...many);
    await look(harness);
    expect(harness.news()).toEqual(['ended dates_doubtful all']);
  });

  test('one whom the list leaves out and the address has did not leave', async () => {
    const harness = new PollHarness();
    const all = list(harness, ['2001_7', '501_7'], ['2002_7', '501_7']);
    await look(harness);
    harness.news();
    const { pollOnce } = harness;
    harness.pollOnce = (values, rewire = (ports) => ports) =>
      pollOnce.call(harness, values, (ports) =>
        rewire({ ...ports, source: { ...ports.source, pages: withoutRecord('2002_7', ports.source.pages) } }),
      );
    await look(harness);
    await look(harness);
    expect(harness.news()).toEqual([]);
    harness.directory.employees = all.employees.slice(0, 1);
    await look(harness);
    expect(harness.news()).toEqual(['employee.left 2002_7']);
  });
});

test('a restored table tells of each employee and department as it is, in a new epoch', async () => {
  const live = new PollHarness();
  list(live, ['2001_7', '501_7'], ['2002_7', '501_7']);
  await look(live);
  const backup = live.store.restored();
  list(live, ['2001_7', '502_7'], ['2002_7', '501_7'], ['2003_7', '501_7']);
  await look(live);

  const restored = new PollHarness({ store: backup, startAt: '2026-03-06T03:00:00Z' });
  // Who joined after the backup left again, and who moved is back: nobody who folds is told of it but by this.
  list(restored, ['2001_7', '501_7'], ['2002_7', '501_7']);
  for (let looks = 0; looks < 3; looks += 1) await look(restored);
  expect(restored.headings.toSorted()).toEqual([
    ...['department.snapshot 501_7', 'department.snapshot 502_7'],
    ...['employee.snapshot 2001_7', 'employee.snapshot 2002_7'],
  ]);
  expect(restored.published.every(({ epoch, data }) => data.current !== null && epoch !== undefined)).toBe(
    true,
  );
});

test('a clock that is set back tells nothing twice and loses nothing', async () => {
  const harness = new PollHarness();
  list(harness, ['2001_7', '501_7']);
  await look(harness);
  harness.news();
  harness.now += DAY_MS;
  list(harness, ['2001_7', '502_7']);
  await look(harness);
  harness.now -= DAY_MS;
  list(harness, ['2001_7', '501_7']);
  for (let looks = 0; looks < 3; looks += 1) await look(harness);
  expect(harness.published.map(({ type, sequence }) => [type, sequence])).toEqual([
    ['workforce.employee.moved', 1],
    ['workforce.employee.moved', 2],
  ]);
});

type Pages = Parameters<Parameters<PollHarness['pollOnce']>[1] & object>[0]['source']['pages'];

function withoutRecord(id: string, pages: Pages): Pages {
  return async function* (...range) {
    const walk = pages(...range);
    let next = await walk.next();
    while (next.done !== true) {
      const records = next.value.records.filter((each) => (each as SampleRecord).id !== id);
      yield { ...next.value, records };
      next = await walk.next();
    }
    return next.value;
  };
}

async function look(harness: PollHarness, values: PollValues = {}): Promise<void> {
  harness.now += EVERY_MS;
  for (const feed of DIRECTORY_FEEDS) await harness.poll({ feed, ...values });
}

/** What the source lists: employees with their departments, and two departments. */
function list(harness: PollHarness, ...employees: readonly (readonly [id: string, department: string])[]) {
  harness.directory.employees = employees.map(([id, department]) => employee(id, department));
  harness.directory.departments = ['501_7', '502_7'].map((id) => ({ id, name: `Place ${id}`, manager: '' }));
  return { ...harness.directory };
}

function employee(id: string, department: string): SampleRecord {
  return { id, firstNames: 'Jo', lastName: 'Quill', contractedHours: [{ department: { id: department } }] };
}
