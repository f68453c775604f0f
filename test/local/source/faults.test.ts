import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultInput } from '#local/source/http/faults.ts';
import { timesheetPageSchema } from '#local/source/schemas.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { eventually } from '#test/support/eventually.ts';
import { MORNING, makeSource, type SourceUnderTest } from './support.ts';

const LIST = '/timesheets?dateFrom=2026-03-01&dateTo=2026-03-10&pageSize=20';

describe('a fault', () => {
  let source: SourceUnderTest;
  beforeEach(() => {
    source = makeSource();
  });
  const set = (...faults: readonly FaultInput[]) => source.service.faults.add(...faults);

  it('answers with a status, headers and a body, once', async () => {
    set({
      action: { kind: 'status', status: 503, headers: { 'Retry-After': '7' }, body: { why: 'sample' } },
    });
    const { status, headers, body } = await source.get(LIST);
    expect([status, headers.get('retry-after'), body]).toEqual([503, '7', { why: 'sample' }]);
    expect((await source.get(LIST)).status).toBe(200);
  });

  it('applies to one operation, one page, after some requests, some times', async () => {
    set({
      operation: 'listTimesheets',
      page: 2,
      skip: 1,
      times: 2,
      action: { kind: 'status', status: 500 },
    });
    const statuses: number[] = [];
    for (const page of [1, 2, 1, 2, 3, 2, 2])
      statuses.push((await source.get(`${LIST}&page=${page}`)).status);
    expect((await source.get('/payperiods?page=2')).status).toBe(200);
    expect(statuses).toEqual([200, 200, 200, 500, 200, 500, 200]);
    expect(source.service.faults.list()).toEqual([]);
  });

  it('applies to lists that include one date', async () => {
    set({ date: '2026-03-04', times: 'always', action: { kind: 'status', status: 500 } });
    const list = async (dates: string) => (await source.get(`/timesheets?${dates}`)).status;
    expect(await list('dateFrom=2026-03-04&dateTo=2026-03-04')).toBe(500);
    expect(await list('dateFrom=2026-03-01&dateTo=2026-03-10')).toBe(500);
    expect(await list('dateFrom=2026-03-05&dateTo=2026-03-10')).toBe(200);
    expect((await source.get('/payperiods')).status).toBe(200);
  });

  it('applies always until it is cleared', async () => {
    set({ operation: 'listPayPeriods', times: 'always', action: { kind: 'status', status: 403 } });
    for (let n = 0; n < 3; n += 1) expect((await source.get('/payperiods')).status).toBe(403);
    source.service.faults.clear();
    expect((await source.get('/payperiods')).status).toBe(200);
  });

  it('cuts JSON in the middle', async () => {
    set({ action: { kind: 'truncated' } });
    const { status, text, body } = await source.get(LIST);
    expect([status, body]).toEqual([200, undefined]);
    expect((await source.get(LIST)).text.startsWith(text)).toBe(true);
  });

  it('delays the real answer', async () => {
    const waited: number[] = [];
    const { service } = source;
    Object.assign(service, { wait: async (milliseconds: number) => void waited.push(milliseconds) });
    set({ action: { kind: 'delay', milliseconds: 30_000 } });
    expect((await source.get(LIST)).status).toBe(200);
    expect(waited).toEqual([30_000]);
  });

  it('holds the real answer until the faults are cleared', async () => {
    set({ action: { kind: 'hold' } });
    let answered = false;
    const held = source.get(LIST).finally(() => {
      answered = true;
    });
    await eventually(() => expect(source.service.faults.list()).toEqual([]));
    expect((await source.get(LIST)).status).toBe(200);
    expect(answered).toBe(false);
    source.service.faults.clear();
    expect((await held).status).toBe(200);
  });

  it('links a page to itself, or to another host', async () => {
    set({ action: { kind: 'page-loop' } }, { skip: 1, action: { kind: 'foreign-next-page' } });
    expect((await source.get(LIST)).body.pagination.nextPage).toBe(`/api/v1${LIST}`);
    expect((await source.get(LIST)).body.pagination.nextPage).toMatch(/^https:\/\/elsewhere\.example\//);
  });

  it('repeats an id, or corrupts a record, and leaves the others alone', async () => {
    const { data } = (await source.get(LIST)).body;
    set(
      { action: { kind: 'duplicate-ids' } },
      { skip: 1, action: { kind: 'poison-record', members: { hoursToPay: null } } },
    );
    expect((await source.get(LIST)).body.data).toEqual([...data, data[0]]);
    const poisoned = (await source.get(LIST)).body;
    expect(poisoned.data).toEqual([{ ...data[0], hoursToPay: null }, ...data.slice(1)]);
    expect(timesheetPageSchema.safeParse(poisoned).success).toBe(false);
  });

  it.each([
    ['delete', -3, 'a record is missed'],
    ['insert', 3, 'a record comes twice'],
  ] as const)('shifts the following pages: after %s, %s records, and %s', async (...[change, difference]) => {
    const before = (await source.get(LIST)).body.pagination.totalRecords;
    set({ page: 1, action: { kind: 'drift', change, count: 3 } });
    const first = (await source.get(LIST)).body;
    expect(first.pagination.totalRecords).toBe(before);
    const second = (await source.get(first.pagination.nextPage)).body;
    expect(second.pagination.totalRecords).toBe(before + difference);
    const seen = new Set(first.data.map(({ id }: { id: string }) => id));
    const again = second.data.filter(({ id }: { id: string }) => seen.has(id));
    expect(again).toHaveLength(Math.max(0, difference));
  });
});

describe('a fault of the connection', () => {
  let running: RunningSource;
  beforeAll(async () => {
    running = await startSource({ startsAt: MORNING, speed: 0, size: 5 });
  });
  afterAll(() => running.close());
  const ask = (init: RequestInit = {}) =>
    fetch(`${running.baseUrl}/api/v1/helloworld`, {
      headers: { authorization: `Bearer ${running.token}` },
      ...init,
    });
  const set = (fault: FaultInput) => running.faults.add(fault);

  it('cuts it', async () => {
    set({ action: { kind: 'reset' } });
    await expect(ask()).rejects.toThrow('fetch failed');
    expect((await ask()).status).toBe(200);
  });

  it('never answers while the client waits', async () => {
    set({ action: { kind: 'hang' } });
    const controller = new AbortController();
    const hanging = ask({ signal: controller.signal });
    // Other requests are answered meanwhile.
    expect((await ask()).status).toBe(200);
    controller.abort();
    await expect(hanging).rejects.toThrow('aborted');
  });
});
