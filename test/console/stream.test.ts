import { afterEach, describe, expect, test, vi } from 'vitest';
import type { LinesAnswer } from '#console/routes/lines.ts';
import type { Status } from '#console/routes/overview.ts';
import { LogFollower } from '#console/server/lines/log-follower.ts';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import { createFakeContext, createFakeLog, type FakeLog, NOW } from './fake-log.ts';
import { enter, linesOf, readStream, type Visitor } from './visitor.ts';

let running: RunningConsole | null = null;

afterEach(async () => {
  await running?.stop();
  running = null;
});

async function visit(log: FakeLog): Promise<Visitor> {
  running = await startConsole({ open: async () => createFakeContext(log), port: 0 });
  return await enter(running.address);
}

async function list(visitor: Visitor, query = ''): Promise<LinesAnswer> {
  return (await (await visitor.get(`/api/events?${query}`)).json()) as LinesAnswer;
}

function numbers(lines: readonly { readonly id: string }[]): number[] {
  return lines.map(({ id }) => Number(id.slice('event-'.length)));
}

function count(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('the list', () => {
  test('is newest first, and goes on where it ended until the log begins', async () => {
    const log = createFakeLog();
    for (let hour = 40; hour > 0; hour -= 1) log.commit(NOW - hour * 3_600_000, 5);
    const visitor = await visit(log);
    const found: number[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const answer: LinesAnswer = await list(
        visitor,
        `limit=33&before=${encodeURIComponent(next)}`.replace(/&before=$/, ''),
      );
      found.push(...numbers(answer.lines));
      next = answer.next;
    }
    expect(found).toEqual(count(1, 200).reverse());
  });

  test('has only what is asked for', async () => {
    const log = createFakeLog();
    log.commit(NOW - 4_000, 2);
    log.commit(NOW - 3_000, 1, { type: 'timesheet.clocked_in', departmentId: '502_7' });
    log.commit(NOW - 2_000, 1, { late: ['approval'] });
    log.commit(NOW - 1_000, 1, { type: 'timesheet.something_new' });
    const visitor = await visit(log);
    const ask = async (query: string) => numbers((await list(visitor, query)).lines);
    expect(await ask('type=timesheet.clock*')).toEqual([3]);
    expect(await ask('type=timesheet.clocked_in,timesheet.something_new')).toEqual([5, 3]);
    expect(await ask('department=502_7')).toEqual([3]);
    expect(await ask('late=yes')).toEqual([4]);
    expect(await ask('calendar=Weekly')).toEqual([]);
    expect(await ask('connection=other')).toEqual([]);
    expect((await list(visitor, 'type=timesheet.something_new')).lines[0]?.says).toBe(
      'timesheet something new 5_7',
    );
  });

  test('of a moment has what was committed until then', async () => {
    const log = createFakeLog();
    log.commit(NOW - 3_000, 1);
    log.commit(NOW - 1_000, 1);
    const visitor = await visit(log);
    const before = new Date(NOW - 1_000).toISOString();
    expect(numbers((await list(visitor, `before=${before}`)).lines)).toEqual([1]);
  });
});

describe('the stream', () => {
  test('has what is committed once it is open, each line once, in the order of the log', async () => {
    const log = createFakeLog();
    log.commit(NOW - 5_000, 4);
    const visitor = await visit(log);
    const reading = readStream(visitor, '/api/events/stream', {
      isEnough: (all) => linesOf(all).at(-1)?.id === 'event-2000',
    });
    const writing = setInterval(() => {
      if (log.size < 2_000) log.commit(NOW - 4_000 + log.size, 4);
      else clearInterval(writing);
    }, 5);
    expect(numbers(linesOf(await reading))).toEqual(count(1, 2_000));
  });

  test('has only what is asked for', async () => {
    const log = createFakeLog();
    const visitor = await visit(log);
    log.commit(NOW - 2_000, 1, { type: 'timesheet.clocked_in' });
    log.commit(NOW - 1_000, 1);
    const messages = await readStream(visitor, '/api/events/stream?type=timesheet.approved', {
      isEnough: (all) => linesOf(all).length >= 1,
    });
    expect(numbers(linesOf(messages))).toEqual([2]);
  });

  test('of a burst has what a page lists: the newest', async () => {
    const log = createFakeLog();
    log.commit(NOW - 1_000, 3_000);
    const messages = await readStream(await visit(log), '/api/events/stream', {
      isEnough: (all) => linesOf(all).length > 0,
    });
    expect(numbers(linesOf(messages))).toEqual(count(2_501, 3_000));
  });

  test('finds a batch that was committed late, with an earlier time', async () => {
    const log = createFakeLog();
    log.commit(NOW - 1_000, 1);
    const messages = await readStream(await visit(log), '/api/events/stream', {
      isEnough: (all) => {
        if (log.size === 1 && linesOf(all).length === 1) log.commit(NOW - 30_000, 1);
        return linesOf(all).length >= 2;
      },
    });
    expect(numbers(linesOf(messages))).toEqual([1, 2]);
  });

  test('says why the log cannot be read, and goes on by itself', async () => {
    const log = createFakeLog();
    const visitor = await visit(log);
    log.failure = new Error('the table is gone');
    log.commit(NOW - 1_000, 1);
    let failed = 0;
    const messages = await readStream(visitor, '/api/events/stream', {
      isEnough: (all) => {
        const troubles = all.filter(
          ({ event, data }) => event === 'status' && statusOf(data).trouble !== null,
        );
        failed = troubles.length;
        if (failed > 0) log.failure = null;
        return linesOf(all).length >= 1;
      },
    });
    expect(numbers(linesOf(messages))).toEqual([1]);
    expect(failed).toBeGreaterThan(0);
  });

  test('nobody reads the log while nobody looks', async () => {
    vi.useFakeTimers();
    let reads = 0;
    const log = createFakeLog();
    const read: typeof log.read = (...asked) => {
      reads += 1;
      return log.read(...asked);
    };
    const follower = new LogFollower(createFakeContext({ read }));
    const forget = follower.listen(() => {});
    await vi.advanceTimersByTimeAsync(1_000);
    const known = reads;
    expect(known).toBeGreaterThan(50);
    forget();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(reads).toBe(known);
    vi.useRealTimers();
  });
});

function statusOf(data: string): Status {
  return JSON.parse(data) as Status;
}
