import { beforeEach, describe, expect, test } from 'vitest';
import { beginWatermark } from '#shared/core/events/watermark.ts';
import { addIds, NO_EVENTS } from '#shared/core/events/watermark-contents.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import { createEventLog } from '#shared/flow/event-log.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { type RecordSelection, walkRows } from '#shared/flow/stored-records.ts';
import { type ForgetPorts, forgetEmployee } from '#shared/systems/flow/forget-employee.ts';
import type { Person } from '#shared/systems/forget/forget-in.ts';
import { DAY_MS, EPOCH, MINUTE_MS, NOW } from '#test/support/builders.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { seedStore } from '#test/support/seeded-store.ts';
import { CANARY, GIVEN, KEPT, NAME, OTHERS, REMOVED, seedPerson, sheet } from './forget-seeds.ts';

const REQUEST = { connection: 'main', employeeId: CANARY, retentionMs: 20 * DAY_MS };

let store: Store;
let now: number;
let erased: Person[];

beforeEach(async () => {
  [store, now, erased] = [createMemoryStore(), NOW + MINUTE_MS, []];
  await seedPerson(store);
});

describe('an employee who is forgotten', () => {
  test('goes out of all rows, which those of others stay in', async () => {
    expect(await forget()).toEqual({ timesheets: 3, items: 2 + 7 });

    expect((await rowsOf('timesheets')).map(({ id }) => id).sort()).toEqual([...OTHERS, GIVEN].sort());
    expect((await rowsOf('employees')).map(({ id }) => id)).toEqual(['2001_7']);
    const departments = (await rowsOf('departments')).map((row) => readState('departments', row));
    expect(departments.map((department) => department?.managerId ?? null)).toEqual([null, '2001_7']);
    const rest = [await store.loadHeads('main'), await store.loadState('main')];
    expect(JSON.stringify(rest)).not.toContain(CANARY);
  });

  test('is told of each timesheet once, behind its last event, which the next poll publishes', async () => {
    await forget();
    const told = await toldOf();
    expect(told.map(({ subject, sequence }) => [subject, sequence])).toEqual(
      [...KEPT.map((id) => [id, 2]), [REMOVED, 3]].sort(),
    );
    for (const { epoch } of told) expect(epoch).toBe(new Date(EPOCH).toISOString());
    const { operations } = (await store.loadState('main'))?.topics ?? {};
    expect((operations?.logged ?? '') > (operations?.published ?? '')).toBe(true);

    expect(await forget()).toEqual({ timesheets: 0, items: 7 });
    expect(await toldOf()).toEqual(told);
  });

  test('is erased in all else by their id, their name, and the timesheets that are theirs', async () => {
    await forget();
    const [person, ...others] = erased;
    expect(others).toEqual([]);
    expect(person).toMatchObject({ connection: 'main', employeeId: CANARY, name: NAME });
    expect([...(person?.timesheets ?? [])].sort()).toEqual([...KEPT, REMOVED]);
  });

  test('counts for the watermark of timesheets', async () => {
    const before = beginWatermark('w', NOW);
    await seedStore(store, { at: now, state: { watermarks: { timesheets: before } } });
    await forget();
    const ids = (await toldOf()).map(({ id }) => id);
    const digest = addIds(NO_EVENTS, ids);
    expect((await store.loadState('main'))?.watermarks.timesheets).toEqual({ ...before, count: 3, digest });
  });

  test('begins a new epoch with the event where the table was restored since', async () => {
    await seedStore(store, { at: now, state: { restoredAt: now } });
    await forget();
    const positions = (await toldOf()).map(({ epoch, sequence }) => [Date.parse(epoch) > now, sequence]);
    expect(positions).toEqual([1, 2, 3].map(() => [true, 1]));
  });

  test('who is unknown, or of a connection that was never polled, changes nothing', async () => {
    const before = await store.loadHeads('main');
    expect(await forget({}, 'nobody_7')).toEqual({ timesheets: 0, items: 7 });
    expect(await store.loadHeads('main')).toEqual(before);
    const other = forgetEmployee({ ...REQUEST, connection: 'other' }, portsOf({}));
    expect(await other).toEqual({ timesheets: 0, items: 0 });
  });
});

describe('the lease', () => {
  test('is waited for while a poll holds it, and is free afterwards', async () => {
    await store.takeLease('main', now + MINUTE_MS, now);
    await forget();
    expect(now).toBeGreaterThanOrEqual(NOW + 2 * MINUTE_MS);
    expect(await store.takeLease('main', now + MINUTE_MS, now)).not.toBeNull();
  });

  test('is given up after some minutes', async () => {
    const takeLease = async () => null;
    const contended = { code: 'store_contended', retryable: true };
    await expect(forget({ store: { ...store, takeLease } })).rejects.toMatchObject(contended);
  });

  test('that another poll has taken over ends the run, and the next one goes on', async () => {
    let commits = 0;
    const commit: Store['commit'] = async (...asked) => {
      commits += 1;
      if (commits === 2) await store.takeLease('main', now + 2 * MINUTE_MS, now + 10 * MINUTE_MS);
      return await store.commit(...asked);
    };
    await expect(forget({ store: { ...store, commit } })).rejects.toMatchObject({ code: 'lease_lost' });
    now += 20 * MINUTE_MS;
    await forget();
    expect((await toldOf()).map(({ subject }) => subject).sort()).toEqual([...KEPT, REMOVED]);
    expect((await rowsOf('timesheets')).map(({ id }) => id).sort()).toEqual([...OTHERS, GIVEN].sort());
  });
});

test('a run that is killed in the middle is finished by the next one, which finds the name', async () => {
  const forgetPerson = async () => {
    throw new Error('killed');
  };
  await expect(forget({ eraser: { ...ERASER, forgetPerson } })).rejects.toThrow('killed');
  expect((await rowsOf('employees')).map(({ id }) => id).sort()).toEqual(['2001_7', CANARY].sort());

  expect(await forget()).toEqual({ timesheets: 0, items: 8 });
  expect(erased).toMatchObject([{ name: NAME }]);
  expect(await toldOf()).toHaveLength(3);
});

test('thousands of timesheets are forgotten in as many transactions as it takes', async () => {
  const many = Array.from({ length: 3_000 }, (_, n) => sheet(`${50_000 + n}_7`, CANARY));
  await seedStore(store, { at: now, slices: [{ slice: '2026-03-03', rows: many }] });
  expect(await forget()).toMatchObject({ timesheets: 3_003 });
  expect(await toldOf()).toHaveLength(3_003);
  expect((await rowsOf('timesheets')).map(({ id }) => id).sort()).toEqual([...OTHERS, GIVEN].sort());
}, 20_000);

/** Seven items hold the person. */
const ERASER = {
  forgetPerson: async (each: Person) => {
    erased.push(each);
    return 7;
  },
  forgetConnection: async () => 0,
};

function portsOf(ports: Partial<ForgetPorts>): ForgetPorts {
  const clock = { now: () => now };
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  return { store, log: createEventLog(store), eraser: ERASER, clock, sleep, ...ports };
}

async function forget(ports: Partial<ForgetPorts> = {}, employeeId = CANARY) {
  return await forgetEmployee({ ...REQUEST, employeeId }, portsOf(ports));
}

async function rowsOf(feed: RecordSelection['feed']): Promise<StoredRow[]> {
  return (await Array.fromAsync(walkRows('main', { feed }, store))).flatMap(({ rows }) => rows);
}

interface Told {
  readonly id: string;
  readonly subject: string;
  readonly epoch: string;
  readonly sequence: number;
}

/** The events `employee.forgotten` of the log, by their records. */
async function toldOf(): Promise<Told[]> {
  const commits = await Array.fromAsync(store.readLog('main', '', 'operations'));
  const told = commits.flatMap(({ texts }) => texts.map((text) => JSON.parse(text) as Told));
  return told.sort((a, b) => (a.subject < b.subject ? -1 : 1));
}
