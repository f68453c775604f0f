import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renderConfig, UNANSWERED } from '#cli/init/render-config.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { execute, executeHere } from '#test/cli/execute.ts';
import { CLI_EXAMPLES } from '#test/docs/cli-samples.ts';

const HOSTILE = "Bad'}\n // \u2028 process.exit(1)";

const folder = mkdtempSync(join(tmpdir(), 'notifier-init-'));
const file = join(folder, 'notifier.config.ts');
let source: RunningSource;

beforeAll(async () => {
  source = await startSource({
    timeZone: 'Pacific/Auckland',
    calendars: 2,
    startsAt: Date.parse('2026-11-19T04:00:00Z'),
    speed: 0,
  });
});

beforeEach(() => rmSync(file, { force: true }));

afterAll(async () => {
  await source.close();
  rmSync(folder, { recursive: true });
});

/** `run`: as a user does where it is about the whole program, and in this process elsewhere. */
function init(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  run = executeHere,
) {
  return run(['init', '--base-url', source.baseUrl, ...args], {
    folder,
    environment: { WORKFORCE_API_TOKEN: source.token, ...environment },
  });
}

const servers: Server[] = [];

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** The address of a server on this machine. */
async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('notifier init', () => {
  test('writes what the source says', async () => {
    const { code, stdout } = await init(['--time-zone', 'Pacific/Auckland']);
    expect(code).toBe(0);
    expect(stdout).toContain('2 pay calendars, 4 departments, pages of 200.');
    expect(stdout).toContain('When do periods of Fortnightly close?');
    const config = parseNotifierConfig(evaluate(readFileSync(file, 'utf8')), file);
    expect(config.connections).toMatchObject([
      {
        baseUrl: source.baseUrl,
        timeZone: 'Pacific/Auckland',
        requests: { pageSize: 200 },
        calendars: [],
      },
    ]);
    for (const name of ['Fortnightly', 'Weekly'])
      expect(readFileSync(file, 'utf8')).toContain(`// { name: '${name}', closesAt: '+2d 10:00' }`);
    expect(config.poll.memoryMb).toBe(256);
  });

  test('refuses a token that is empty, and says where to put it', async () => {
    const { code, stderr } = await init([], { WORKFORCE_API_TOKEN: '' });
    expect(code).not.toBe(0);
    expect(stderr).toContain('there is no token of the source; put it into WORKFORCE_API_TOKEN');
  });

  test('prints what docs/cli.md shows', async () => {
    const { stdout } = await init(['--time-zone', 'Pacific/Auckland'], {}, execute);
    const [, ...shown] = (CLI_EXAMPLES.init ?? '').replace(/\.\.\.$/, '').split('\n');
    expect(stdout.startsWith(shown.join('\n'))).toBe(true);
  });

  test('asks for fewer timesheets where the source refuses as many, and writes how many it sends', async () => {
    const strict = await listening(async ({ url = '', headers }, response) => {
      const isRefused = Number(new URL(url, source.baseUrl).searchParams.get('pageSize') ?? 0) > 200;
      const answer = await fetch(new URL(url, source.baseUrl), {
        headers: { authorization: headers.authorization ?? '' },
      });
      response.writeHead(isRefused ? 413 : answer.status);
      response.end(isRefused ? '' : await answer.text());
    });
    const { code, stdout } = await init(['--base-url', strict, '--time-zone', 'Pacific/Auckland']);

    expect(code).toBe(0);
    expect(stdout).toContain('pages of 200.');
  });

  test('takes the zone of this machine when the clocks of the source agree with it', async () => {
    await init([], { TZ: 'Pacific/Auckland' });
    expect(readFileSync(file, 'utf8')).toContain("timeZone: 'Pacific/Auckland'");
  });

  test('does not guess another zone: it says which ones agree', async () => {
    const { code, stderr } = await init([], { TZ: 'Europe/Berlin' });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^the time zone of the source is not known: this machine is in Europe\/Berlin \(its clocks agree with .*Pacific\/Auckland.*\); name it with --time-zone$/m,
    );
  });

  test('says so when a given zone does not agree', async () => {
    const { stdout } = await init(['--time-zone', 'Europe/Berlin']);
    expect(stdout).toContain('The clocks of the source do not agree with Europe/Berlin');
  });

  test('writes over what a new project begins with, and over nothing that was edited', async () => {
    writeFileSync(file, renderConfig(UNANSWERED));
    expect(await init(['--time-zone', 'Pacific/Auckland'])).toMatchObject({ code: 0 });
    const written = readFileSync(file, 'utf8');
    const { code, stderr } = await init(['--time-zone', 'UTC']);
    expect(code).toBe(1);
    expect(stderr).toContain('is not as init writes it, and init would write over it');
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  test.each([
    [['--time-zone', 'Mars/Base'], '--time-zone cannot be used'],
    [['--base-url', 'http://acme.example'], 'shows the token to the network; use https'],
  ])('%j is refused, and nothing is written', async (args, message) => {
    const { code, stderr } = await init(args, { TZ: 'Pacific/Auckland' });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });

  test('a wrong token is the error of the source, and is not shown', async () => {
    const { code, stderr } = await init(['--time-zone', 'UTC'], { WORKFORCE_API_TOKEN: 'canary-token' });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^the source refused the token \(401\) at \S+; put a token that may read it into WORKFORCE_API_TOKEN\n$/,
    );
    expect(stderr).not.toContain('canary-token');
  });
});

test('names of the source end no text and no line of the config', () => {
  const text = renderConfig({
    ...UNANSWERED,
    baseUrl: HOSTILE,
    calendars: [{ name: HOSTILE, closedAfterDays: null }],
    departments: [{ id: HOSTILE, name: HOSTILE }],
  });
  expect(evaluate(text)).toMatchObject({ connections: [{ baseUrl: HOSTILE, calendars: [] }] });
});

test.each([
  '\u202e',
  '\u2066',
  '\u200f',
  '\u061c',
  '\u200b',
  '\ufeff',
  '\u3164',
  '\u007f',
  '\u{e0041}',
  '\ud800',
])('a character that nobody sees, such as %j in a name, is escaped in the config', (hidden) => {
  const name = `a${hidden}b`;
  const text = renderConfig({
    ...{ ...UNANSWERED, baseUrl: name, timeZone: name },
    calendars: [{ name, closedAfterDays: null }],
    departments: [{ id: name, name }],
  });
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
  expect(evaluate(text)).toMatchObject({ connections: [{ baseUrl: name }] });
});

/** The default export of a config, without the package that it imports. */
function evaluate(text: string): unknown {
  const body = text.replace(/^import .*$/m, '').replace('export default defineNotifierConfig', 'return ');
  return new Function(body)();
}
