import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { TYPE_CHOICES } from '#console/page/live/words.ts';
import type { ConsoleContext } from '#console/server/context.ts';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { askSession, enter, requestRaw } from './visitor.ts';

let running: RunningConsole | null = null;

afterEach(async () => {
  await running?.stop();
  running = null;
});

async function start(values: Partial<ConsoleContext> = {}, now?: () => number): Promise<RunningConsole> {
  const log = createFakeLog();
  log.commit(NOW - 60_000, 3);
  running = await startConsole({ open: async () => createFakeContext(log, values), port: 0, now });
  return running;
}

describe('who may read', () => {
  test('the address opens the console once, with a secret that no other page of the machine is sent', async () => {
    const { address, origin } = await start();
    expect(new URL(address).hash).toMatch(/^#token=[\w-]{32}$/);
    const page = await fetch(address);
    expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null]);
    const { session } = await askSession(address);
    expect(session).toMatch(/^[\w-]{32}$/);
    expect(await askSession(address)).toEqual({ error: 'address_used' });
    const headers = { Authorization: `Bearer ${session}` };
    const overview = await fetch(`${origin}/api/overview`, { headers });
    expect([overview.status, overview.headers.get('set-cookie')]).toEqual([200, null]);
  });

  test('without the secret there are no data; the page itself has none', async () => {
    const { address, origin } = await start();
    const token = new URL(address).hash.slice('#token='.length);
    for (const path of [
      '/api/overview',
      '/api/events',
      '/api/events/stream',
      '/api/period.csv?id=1',
      '/api/records?id=1',
      '/api/unknown',
    ]) {
      expect((await fetch(origin + path)).status, path).toBe(401);
      for (const wrong of [token, 'x'.repeat(32)]) {
        const headers = { Authorization: `Bearer ${wrong}` };
        expect((await fetch(origin + path, { headers })).status, path).toBe(401);
      }
    }
    expect((await fetch(`${origin}/records/1_7`)).status).toBe(200);
  });

  test('a wrong and an incomplete address do not use up the right one', async () => {
    const { address } = await start();
    expect(await askSession(address, 'x'.repeat(32))).toEqual({ error: 'address_wrong' });
    expect(await askSession(address, '')).toEqual({ error: 'address_needed' });
    expect(await askSession(address)).toEqual({ session: expect.any(String) });
  });

  test('an address that nobody opened is valid for ten minutes', async () => {
    const clock = { now: NOW };
    const { address } = await start({}, () => clock.now);
    clock.now += 10 * 60_000;
    expect(await askSession(address)).toEqual({ error: 'address_expired' });
    clock.now -= 1;
    expect(await askSession(address)).toEqual({ session: expect.any(String) });
  });

  test('a session lasts for a day', async () => {
    const clock = { now: NOW };
    const { address } = await start({}, () => clock.now);
    const visitor = await enter(address);
    clock.now += 24 * 3_600_000 - 1;
    expect((await visitor.get('/api/overview')).status).toBe(200);
    clock.now += 1;
    const ended = await visitor.get('/api/overview');
    expect([ended.status, await ended.json()]).toEqual([401, { error: 'session_ended' }]);
  });

  test('a page of another origin begins no session, even with the token', async () => {
    const { address, origin } = await start();
    const token = new URL(address).hash.slice('#token='.length);
    for (const from of ['http://127.0.0.1:1', 'https://page.example', 'null']) {
      const headers = { Authorization: `Bearer ${token}`, Origin: from };
      const answer = await fetch(`${origin}/api/session`, { method: 'POST', headers });
      expect([answer.status, await answer.json()]).toEqual([403, { error: 'origin_wrong' }]);
    }
    expect(await askSession(address)).toEqual({ session: expect.any(String) });
  });

  test.each(['evil.example', 'evil.example:4600', '127.0.0.1', 'localhost:1'])(
    'a request for the host %s is refused',
    async (host) => {
      const { origin } = await start();
      expect((await requestRaw(`${origin}/`, { host })).status).toBe(421);
    },
  );

  test('the secret of a session opens no later console', async () => {
    const before = await start();
    const visitor = await enter(before.address);
    await before.stop();
    const open = async () => createFakeContext(createFakeLog());
    running = await startConsole({ open, port: Number(new URL(before.origin).port) });
    expect((await visitor.get('/api/overview')).status).toBe(401);
  });
});

describe('what is sent', () => {
  test('nothing inline, nothing from elsewhere, nothing kept', async () => {
    const { origin } = await start();
    for (const path of ['/', '/page.js', '/page.css', '/icon.svg', '/api/overview']) {
      const { headers } = await fetch(origin + path);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy, path).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    const html = await (await fetch(origin)).text();
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|https?:\/\//);
  });

  test.each(TYPE_CHOICES)(
    'the choice "$label" of the filter is one that the server takes',
    async ({ pattern }) => {
      const visitor = await enter((await start()).address);
      expect((await visitor.get(`/api/events?type=${encodeURIComponent(pattern)}`)).status).toBe(200);
    },
  );

  test('a wrong query is refused with what is wrong', async () => {
    const visitor = await enter((await start()).address);
    const refused = await visitor.get('/api/events?limit=0');
    expect([refused.status, ((await refused.json()) as { readonly message: string }).message]).toEqual([
      400,
      expect.stringMatching(/^✖ Too small: .*at limit$/s),
    ]);
    expect((await visitor.get('/api/event?id=1')).status).toBe(400);
  });

  test('a target that cannot be opened is opened again for the next request', async () => {
    let tries = 0;
    const open = async () => {
      tries += 1;
      if (tries === 1) throw new NotifierError('data_folder_locked', 'try again');
      return createFakeContext(createFakeLog());
    };
    running = await startConsole({ open, port: 0 });
    const visitor = await enter(running.address);
    const refused = await visitor.get('/api/overview');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: 'data_folder_locked', message: 'try again' },
    ]);
    expect((await visitor.get('/api/overview')).status).toBe(200);
  });
});

describe('sending again', () => {
  const body = JSON.stringify({
    receiver: 'webhooks/a',
    event: { id: 'event-1', connection: 'main', committedAt: '2026-11-20T08:59:00.000Z' },
  });

  test('is refused for another origin, and where the console only reads', async () => {
    const { address, origin } = await start();
    const visitor = await enter(address);
    expect((await visitor.post('/api/deliveries/resend', body, 'http://evil.example')).status).toBe(403);
    const refused = await visitor.post('/api/deliveries/resend', body, origin);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'read_only' }),
    ]);
  });

  test('knows only webhooks of the config', async () => {
    const { address, origin } = await start({ allowsWrites: true });
    const visitor = await enter(address);
    const refused = await visitor.post('/api/deliveries/resend', body, origin);
    expect(await refused.json()).toMatchObject({ error: 'receiver_unknown' });
  });
});

test('the page calls nothing the source, which is no word of those who read it', async () => {
  const { origin } = await start();
  const script = await (await fetch(`${origin}/page.js`)).text();
  expect(script).toContain('the workforce service');
  expect(script).not.toMatch(/\bthe source\b/i);
});

test('script and styles of the page fit 40 KB', async () => {
  const { origin } = await start();
  const paths = ['/page.js', '/page.css'];
  const texts = await Promise.all(paths.map(async (path) => (await fetch(origin + path)).text()));
  const size = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(size).toBeGreaterThan(20_000);
  expect(size).toBeLessThanOrEqual(40 * 1_024);
});
