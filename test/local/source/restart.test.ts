import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createService, startSource } from '#local/source/server.ts';
import { DAY_MS, HOUR_MS, MORNING, makeSource } from './support.ts';

let folder: string;
let journal: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'source-'));
  journal = join(folder, 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a restarted emulator', () => {
  it('continues where one that never stopped would be', async () => {
    const lasting = makeSource({ speed: 30 });
    lasting.passReal(DAY_MS / 30);
    const restarted = makeSource({ speed: 30, resumeAt: MORNING + DAY_MS });
    const path = '/timesheets?dateFrom=2026-02-20';
    expect((await restarted.get(path)).body).toEqual((await lasting.get(path)).body);
    expect(restarted.service.company.history).toEqual(lasting.service.company.history);
  });

  it('repeats the manual changes, each at its instant', async () => {
    const options = { journal, speed: 0 };
    const first = makeSource(options);
    const created = await first.send('POST', '/control/changes', { change: 'create', date: '2026-03-07' });
    await first.send('POST', '/control/clock', { advanceMinutes: 100 });
    await first.send('POST', '/control/changes', { change: 'approve', id: created.body.record.id });
    await first.send('POST', '/control/changes', { change: 'approve', id: '1_1' });
    await first.send('POST', '/control/clock', { advanceMinutes: 100 });
    const second = makeSource(options);
    expect(second.service.company.now()).toBe(first.service.company.now());
    expect(second.service.company.timesheets()).toEqual(first.service.company.timesheets());
    expect(second.service.company.history).toEqual(first.service.company.history);
    expect(readFileSync(journal, 'utf8').trim().split('\n')).toHaveLength(5);
  });

  it('takes its start from the journal when none is given', () => {
    createService({ journal, speed: 0, startsAt: MORNING });
    const later = createService({ journal, speed: 0, realNow: () => MORNING + DAY_MS });
    expect(later.company.settings.startsAt).toBe(MORNING);
    const real = createService({ journal, realNow: () => MORNING + HOUR_MS });
    expect([real.company.settings.startsAt, real.clock.now()]).toEqual([MORNING, MORNING + HOUR_MS]);
  });

  it('goes on with two pay calendars', () => {
    const options = { journal, speed: 0, startsAt: MORNING, calendars: 2 } as const;
    const [first, second] = [createService(options), createService(options)];
    expect(second.company.payPeriods()).toEqual(first.company.payPeriods());
  });

  it('ignores a last line that a crash truncated', async () => {
    const first = makeSource({ journal, speed: 0 });
    await first.send('POST', '/control/changes', { change: 'create' });
    const whole = readFileSync(journal, 'utf8');
    appendFileSync(journal, '{"at":"2026-03');
    const second = makeSource({ journal, speed: 0 });
    expect(readFileSync(journal, 'utf8')).toBe(whole);
    expect(second.service.company.timesheets()).toEqual(first.service.company.timesheets());
  });

  it('refuses the journal of another company, and a file that is not a journal', () => {
    createService({ journal, startsAt: MORNING });
    expect(() => createService({ journal, seed: 2 })).toThrow(
      /belongs to another company.*"seed":1.*"seed":2/,
    );
    writeFileSync(journal, 'shopping list\n');
    expect(() => createService({ journal })).toThrow(/has an invalid line: shopping list/);
  });
});

describe('startSource', () => {
  it('serves the company over HTTP until it is closed', async () => {
    const source = await startSource({ startsAt: MORNING, resumeAt: MORNING + HOUR_MS, speed: 0, size: 5 });
    expect(source.now()).toBe(MORNING + HOUR_MS);
    expect(source.company.now()).toBe(MORNING + HOUR_MS);
    const headers = { authorization: `Bearer ${source.token}` };
    const hello = await fetch(`${source.baseUrl}/api/v1/helloworld`, { headers });
    expect(await hello.json()).toBe('Hello, Sample Company Head Office');
    await source.close();
    await expect(fetch(`${source.baseUrl}/api/v1/helloworld`)).rejects.toThrow('fetch failed');
  });

  it('throws when its port is in use', async () => {
    const one = await startSource({ size: 1 });
    const port = Number(new URL(one.baseUrl).port);
    await expect(startSource({ size: 1, port })).rejects.toThrow('EADDRINUSE');
    await one.close();
  });
});
