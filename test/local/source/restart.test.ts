import { describe, expect, it } from 'vitest';
import { startSource } from '#local/source/server.ts';
import { DAY_MS, HOUR_MS, MORNING, openSource } from './support.ts';

describe('a sample source', () => {
  it('continues after a restart where one that never stopped would be', async () => {
    const lasting = await openSource({ speed: 30 });
    lasting.passReal(DAY_MS / 30);
    const restarted = await openSource({ speed: 30, resumeAt: MORNING + DAY_MS });
    const path = '/timesheets?dateFrom=2026-02-20';
    expect((await restarted.ask(path)).body).toEqual((await lasting.ask(path)).body);
    expect(JSON.stringify(restarted.company.history) === JSON.stringify(lasting.company.history)).toBe(true);
  });

  it('serves until it is closed', async () => {
    const source = await startSource({ startsAt: MORNING, resumeAt: MORNING + HOUR_MS, speed: 0, size: 5 });
    expect([source.now(), source.company.now()]).toEqual([MORNING + HOUR_MS, MORNING + HOUR_MS]);
    await source.close();
    await expect(fetch(`${source.baseUrl}/api/v1/helloworld`)).rejects.toThrow('fetch failed');
  });

  it('throws when its port is in use', async () => {
    const { baseUrl } = await openSource({ size: 1 });
    const port = Number(new URL(baseUrl).port);
    await expect(startSource({ size: 1, port })).rejects.toThrow('EADDRINUSE');
  });
});
