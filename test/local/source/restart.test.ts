import { describe, expect, it } from 'vitest';
import { startSource } from '#local/source/server.ts';
import { DAY_MS, HOUR_MS, MORNING, makeSource } from './support.ts';

describe('a restarted emulator', () => {
  it('continues where one that never stopped would be', async () => {
    const lasting = makeSource({ speed: 30 });
    lasting.passReal(DAY_MS / 30);
    const restarted = makeSource({ speed: 30, resumeAt: MORNING + DAY_MS });
    const path = '/timesheets?dateFrom=2026-02-20';
    expect((await restarted.ask(path)).body).toEqual((await lasting.ask(path)).body);
    expect(restarted.company.history).toEqual(lasting.company.history);
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
