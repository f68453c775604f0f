import { afterEach, describe, expect, test } from 'vitest';
import type { ConsoleContext } from '#console/server/context.ts';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { askSession, enter, requestRaw, toText } from './visitor.ts';

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
  test('the address opens the console once; its cookie goes to no other server of this machine', async () => {
    const { address } = await start();
    expect(new URL(address).hash).toMatch(/^#token=[\w-]{32}$/);
    const page = await fetch(address);
    expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null]);
    const answer = await askSession(address);
    const { place } = (await answer.json()) as { readonly place: string };
    // A browser sends it to every port, and there only below a path that nobody else knows.
    expect(place).toMatch(/^\/~[\w-]{12}\/$/);
    const cookie = answer.headers.get('set-cookie');
    expect(cookie).toMatch(
      /^session=[\w-]{32}; Max-Age=86400; Path=\/~[\w-]{12}\/; HttpOnly; SameSite=Strict$/,
    );
    expect(cookie).toContain(`Path=${place};`);
    const again = await askSession(address);
    expect([again.headers.get('set-cookie'), await again.json()]).toEqual([null, { error: 'address_used' }]);
  });

  test('without the cookie there are no data, and the place is not told', async () => {
    const { address, origin } = await start();
    const { place } = await enter(address);
    for (const path of [
      'now',
      'stream',
      'periods',
      'periods/1/pay.csv?connection=main',
      'records/1',
      'unknown',
    ]) {
      expect((await fetch(place + path)).status, path).toBe(401);
      for (const wrong of ['', 'x'.repeat(32)]) {
        const response = await fetch(place + path, { headers: { Cookie: `session=${wrong}` } });
        expect(response.status, path).toBe(401);
        expect(await response.text()).not.toContain('data-event');
      }
    }
    for (const path of ['/', '/now', '/records/1_7', '/nowhere', '/%E0%A4%A', '/~other/now'])
      expect(await (await fetch(origin + path)).text(), path).not.toContain(new URL(place).pathname);
  });

  test('a wrong and an incomplete address do not use up the right one', async () => {
    const { address } = await start();
    expect(await (await askSession(address, 'x'.repeat(32))).json()).toEqual({ error: 'address_wrong' });
    expect(await (await askSession(address, '')).json()).toEqual({ error: 'address_needed' });
    expect((await askSession(address)).status).toBe(200);
  });

  test('another address takes the place of the one before, and who opens it ends the session before', async () => {
    const { address, renewAddress } = await start();
    const before = await enter(address);
    const unused = renewAddress();
    const renewed = renewAddress();
    expect(await (await askSession(unused)).json()).toEqual({ error: 'address_wrong' });
    expect((await before.get('now')).status).toBe(200);
    const after = await enter(renewed);
    expect([(await before.get('now')).status, (await after.get('now')).status]).toEqual([401, 200]);
  });

  test('an address that nobody opened is valid for ten minutes, and a session for a day', async () => {
    const clock = { now: NOW };
    const { address } = await start({}, () => clock.now);
    clock.now += 10 * 60_000;
    expect(await (await askSession(address)).json()).toEqual({ error: 'address_expired' });
    clock.now -= 1;
    const visitor = await enter(address);
    clock.now += 24 * 3_600_000 - 1;
    expect((await visitor.get('now')).status).toBe(200);
    clock.now += 1;
    expect((await visitor.get('now')).status).toBe(401);
  });

  test('a page of another origin begins no session, even with the token', async () => {
    const { address, origin } = await start();
    const token = new URL(address).hash.slice('#token='.length);
    for (const from of ['http://127.0.0.1:1', 'https://page.example', 'null']) {
      const headers = { Authorization: `Bearer ${token}`, Origin: from };
      const answer = await fetch(`${origin}/session`, { method: 'POST', headers });
      expect([answer.status, await answer.json()]).toEqual([403, { error: 'origin_wrong' }]);
    }
    expect((await askSession(address)).status).toBe(200);
  });

  test.each(['evil.example', 'evil.example:4600', '127.0.0.1', 'localhost:1'])(
    'a request for the host %s is refused',
    async (host) => {
      const { origin } = await start();
      expect((await requestRaw(`${origin}/`, { host })).status).toBe(421);
    },
  );

  test('a session opens no later console', async () => {
    const before = await start();
    const visitor = await enter(before.address);
    await before.stop();
    const open = async () => createFakeContext(createFakeLog());
    running = await startConsole({ open, port: Number(new URL(before.origin).port) });
    expect((await visitor.get('now')).status).toBe(401);
  });
});

describe('what is sent', () => {
  test('nothing inline, nothing from elsewhere, nothing kept', async () => {
    const { address, origin } = await start();
    const { place, get } = await enter(address);
    const others = await Promise.all(
      ['/', '/page.js', '/page.css', '/icon.svg'].map((path) => fetch(origin + path)),
    );
    for (const { url, headers } of [...others, await get('now'), await get('nowhere'), await get('stream')]) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy, url).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
    }
    for (const html of [await (await fetch(origin)).text(), await (await get('now')).text()])
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|https?:\/\//);
    expect(place).toContain(origin);
  });

  test('a wrong query is refused with what is wrong, as a page', async () => {
    const visitor = await enter((await start()).address);
    for (const path of ['now?day=tomorrow', 'deliveries?outcome=lost', `find?q=${'x'.repeat(201)}`]) {
      const refused = await visitor.get(path);
      const [, name = ''] = /\?(\w+)=/.exec(path) ?? [];
      expect([refused.status, await refused.text()], path).toEqual([
        400,
        expect.stringContaining(`at ${name}`),
      ]);
    }
    expect((await visitor.get('nowhere')).status).toBe(404);
  });

  test('a target that cannot be opened says why, and is opened again for the next page', async () => {
    let tries = 0;
    const open = async () => {
      tries += 1;
      if (tries === 1) throw new NotifierError('data_folder_locked', 'it is in use; try again');
      return createFakeContext(createFakeLog());
    };
    running = await startConsole({ open, port: 0 });
    const visitor = await enter(running.address);
    const refused = await visitor.get('now');
    expect([refused.status, toText(await refused.text())]).toEqual([
      400,
      expect.stringContaining('in use; try again'),
    ]);
    expect((await visitor.get('now')).status).toBe(200);
  });
});

test('when its run has ended, a data folder is opened again, and the page says so without names of tables', async () => {
  const log = createFakeLog();
  log.failure = new NotifierError('store_unreachable', 'table "workforce-table" does not answer');
  const [before, after] = [createFakeContext(log), createFakeContext(createFakeLog())];
  let opened = 0;
  const open = async () => {
    opened += 1;
    return opened === 1 ? before : { ...after, target: { ...after.target, isStopped: true } };
  };
  running = await startConsole({ open, port: 0 });
  const visitor = await enter(running.address);
  const pages = await Promise.all([visitor.read('now'), visitor.read('now'), visitor.read('now')]);
  expect(opened).toBe(2);
  for (const page of pages) {
    expect(toText(page)).toContain('The run has ended');
    expect(page).not.toContain('workforce-table');
  }
});

describe('sending again', () => {
  const fields = {
    ...{ receiver: 'webhooks/a', id: 'event-1', connection: 'main' },
    committedAt: '2026-11-20T08:59:00.000Z',
  };

  test('is refused for another origin, and where the console only reads', async () => {
    const { address, origin } = await start();
    const visitor = await enter(address);
    for (const from of ['http://evil.example', 'http://127.0.0.1:1'])
      expect((await visitor.post('resend', fields, from)).status).toBe(403);
    const refused = await visitor.post('resend', fields, origin);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('--allow-writes')]);
  });

  test('knows only webhooks of the config', async () => {
    const { address, origin } = await start({ allowsWrites: true });
    const visitor = await enter(address);
    const refused = await visitor.post('resend', fields, origin);
    expect(await refused.text()).toContain('There is no webhook');
  });
});
