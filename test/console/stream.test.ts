import { afterEach, describe, expect, test, vi } from 'vitest';
import { LogFollower } from '#console/server/lines/log-follower.ts';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import { createFakeContext, createFakeLog, type FakeLog, NOW } from './fake-log.ts';
import { earlierOf, enter, eventsOf, readStream, rowsOf, toText, type Visitor } from './visitor.ts';

let running: RunningConsole | null = null;

afterEach(async () => {
  await running?.stop();
  running = null;
});

async function visit(log: FakeLog): Promise<Visitor> {
  running = await startConsole({ open: async () => createFakeContext(log), port: 0 });
  return await enter(running.address);
}

function numbers(ids: readonly string[]): number[] {
  return ids.map((id) => Number(id.slice('event-'.length)));
}

function count(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

describe('the page', () => {
  test('is newest first, and goes on where it ended until the log begins', async () => {
    const log = createFakeLog();
    // A type of its own for each, so that no line goes into a group.
    for (let hour = 80; hour > 0; hour -= 1)
      log.commit(NOW - hour * 3_600_000, 10, { typeOf: (number) => `timesheet.kind_${number}` });
    const visitor = await visit(log);
    const found: number[] = [];
    for (let path: string | null = 'now'; path !== null; ) {
      const page = await visitor.read(path);
      found.push(...numbers(eventsOf(page)));
      path = earlierOf(page);
    }
    expect(found).toEqual(count(1, 800).reverse());
  });

  test('has only what is asked for', async () => {
    const log = createFakeLog();
    log.commit(NOW - 90_000_000, 1);
    log.commit(NOW - 4_000, 1);
    log.commit(NOW - 3_000, 1, { type: 'timesheet.clocked_in', departmentId: '502_7' });
    log.commit(NOW - 2_000, 1, { late: ['approval'] });
    log.commit(NOW - 1_000, 1, { type: 'timesheet.something_new' });
    log.commit(NOW - 500, 1, { type: 'feed.complete' });
    const visitor = await visit(log);
    const ask = async (query: string) => numbers(eventsOf(await visitor.read(`now?${query}`)));
    expect(await ask('type=timesheet.clock*')).toEqual([3]);
    expect(await ask('type=timesheet.clocked_in,timesheet.something_new')).toEqual([5, 3]);
    expect(await ask('department=502_7&type=')).toEqual([3]);
    expect(await ask('late=yes')).toEqual([4]);
    expect(await ask('connection=other')).toEqual([]);
    expect(await ask('day=2026-11-19')).toEqual([1]);
    expect(await ask('day=2026-11-18')).toEqual([]);
    // That all is published is news only to whoever asks.
    expect(await ask('')).toEqual([5, 4, 3, 2, 1]);
    expect(await ask('type=feed.*')).toEqual([6]);
  });

  test('tells many of one type as one line, which opens to each', async () => {
    const log = createFakeLog();
    log.commit(NOW - 60_000, 7, { type: 'timesheet.clocked_in' });
    const page = await (await visit(log)).read('now');
    expect(page.match(/<details>/g)).toHaveLength(1);
    expect(toText(page)).toMatch(/7 clock-ins\b/);
    expect(numbers(eventsOf(page))).toEqual(count(1, 7).reverse());
  });
});

describe('the stream', () => {
  test('has what is committed since the page was read, each row once, in the order of the log', async () => {
    const log = createFakeLog();
    log.commit(NOW - 5_000, 4);
    const visitor = await visit(log);
    const [, stream = ''] = /data-stream="([^"]+)"/.exec(await visitor.read('now')) ?? [];
    const writing = setInterval(() => {
      if (log.size < 2_000) log.commit(NOW - 4_000 + log.size, 4);
      else clearInterval(writing);
    }, 5);
    const messages = await readStream(visitor, stream.replaceAll('&amp;', '&'), (all) =>
      rowsOf(all).includes('event-2000'),
    );
    // The script leaves out what the page has.
    const came = numbers(rowsOf(messages)).filter((number) => number > 4);
    expect(came.toSorted((a, b) => a - b)).toEqual(count(5, 2_000));
  });

  test('has only what is asked for', async () => {
    const log = createFakeLog();
    const visitor = await visit(log);
    log.commit(NOW - 2_000, 1, { type: 'timesheet.clocked_in' });
    log.commit(NOW - 1_000, 1);
    const messages = await readStream(
      visitor,
      'stream?type=timesheet.approved',
      (all) => rowsOf(all).length >= 1,
    );
    expect(numbers(rowsOf(messages))).toEqual([2]);
  });

  test('of a burst has what a page lists: the newest', async () => {
    const log = createFakeLog();
    log.commit(NOW - 1_000, 3_000);
    const messages = await readStream(await visit(log), 'stream', (all) => rowsOf(all).length > 0);
    expect(numbers(rowsOf(messages))).toEqual(count(2_501, 3_000));
  });

  test('finds a batch that was committed late, with an earlier time', async () => {
    const log = createFakeLog();
    log.commit(NOW - 1_000, 1);
    const messages = await readStream(await visit(log), 'stream', (all) => {
      if (log.size === 1 && rowsOf(all).length === 1) log.commit(NOW - 30_000, 1);
      return rowsOf(all).length >= 2;
    });
    expect(numbers(rowsOf(messages))).toEqual([1, 2]);
  });

  test('says that the log cannot be read, and goes on by itself', async () => {
    const log = createFakeLog();
    const visitor = await visit(log);
    log.failure = new Error('the table is gone');
    log.commit(NOW - 1_000, 1);
    let failed = 0;
    const messages = await readStream(visitor, 'stream', (all) => {
      failed = all.filter(
        ({ event, data }) => event === 'status' && data.includes('The table is gone'),
      ).length;
      if (failed > 0) log.failure = null;
      return rowsOf(all).length >= 1;
    });
    expect(numbers(rowsOf(messages))).toEqual([1]);
    expect(failed).toBeGreaterThan(0);
  });

  test('of a page that stays as it was read says when it is old, and reads no log', async () => {
    const log = countReads();
    running = await startConsole({ open: async () => createFakeContext(log), port: 0 });
    const visitor = await enter(running.address);
    const read = async (at: number) => {
      const [first] = await readStream(visitor, `stream?page=periods&read=${at}`, (all) => all.length > 0);
      return first?.data;
    };
    expect(await read(NOW - 30_000)).not.toContain('href');
    expect(await read(NOW - 120_000)).toContain('href="periods"');
    expect(log.reads()).toBe(0);
  });

  test('nobody reads the log while nobody looks', async () => {
    vi.useFakeTimers();
    const log = countReads();
    const follower = new LogFollower(createFakeContext(log));
    const forget = follower.listen(() => {});
    await vi.advanceTimersByTimeAsync(1_000);
    const known = log.reads();
    expect(known).toBeGreaterThan(50);
    forget();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(log.reads()).toBe(known);
    vi.useRealTimers();
  });
});

/** An empty log that counts how often it is read. */
function countReads() {
  const { read } = createFakeLog();
  let reads = 0;
  const counting: typeof read = (...asked) => {
    reads += 1;
    return read(...asked);
  };
  return { read: counting, reads: () => reads };
}
