import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { renderConfig, UNANSWERED } from '#cli/init/render-config.ts';
import { type RunningSource, startSource } from '#local/source/server.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { executeHere } from '#test/cli/execute.ts';
import { CLI_EXAMPLES } from '#test/docs/cli-samples.ts';

const HOSTILE = "Bad'}\n // \u2028 process.exit(1)";
/** What nobody sees in a text, or what hides or reorders the rest of it. */
const HIDDEN = '\u202e\u2066\u200f\u061c\u200b\ufeff\u3164\u007f\u{e0041}\ud800';

const folder = mkdtempSync(join(tmpdir(), 'notifier-init-'));
const file = join(folder, 'notifier.config.ts');
let source: RunningSource;
/** The same source, which refuses large pages. */
let strict: Server;

beforeAll(async () => {
  source = await startSource({
    timeZone: 'Pacific/Auckland',
    calendars: 2,
    startsAt: Date.parse('2026-11-19T04:00:00Z'),
    speed: 0,
  });
  strict = createServer(async ({ url = '', headers }, response) => {
    const address = new URL(url, source.baseUrl);
    const isRefused = Number(address.searchParams.get('pageSize') ?? 0) > 200;
    const answer = await fetch(address, { headers: { authorization: headers.authorization ?? '' } });
    response.writeHead(isRefused ? 413 : answer.status);
    response.end(isRefused ? '' : await answer.text());
  });
  await new Promise<void>((resolve) => strict.listen(0, '127.0.0.1', resolve));
});

beforeEach(() => rmSync(file, { force: true }));

afterAll(async () => {
  strict.closeAllConnections();
  strict.close();
  await source.close();
  rmSync(folder, { recursive: true });
});

function init(args: readonly string[] = [], token = source.token) {
  const given = ['--base-url', source.baseUrl, '--time-zone', 'Pacific/Auckland', ...args];
  return executeHere(['init', ...given], { folder, environment: { WORKFORCE_API_TOKEN: token } });
}

test('init writes what the source says, prints what docs/cli.md shows, and writes over nothing that was edited', async () => {
  writeFileSync(file, renderConfig(UNANSWERED));
  const { code, stdout } = await init();
  expect(code).toBe(0);
  const [, ...shown] = (CLI_EXAMPLES.init ?? '').replace(/\.\.\.$/, '').split('\n');
  expect(stdout.startsWith(shown.join('\n'))).toBe(true);

  const written = readFileSync(file, 'utf8');
  const config = parseNotifierConfig(evaluate(written), file);
  expect(config.connections).toMatchObject([
    {
      ...{ baseUrl: source.baseUrl, timeZone: 'Pacific/Auckland' },
      ...{ requests: { pageSize: 200 }, calendars: [] },
    },
  ]);
  for (const name of ['Fortnightly', 'Weekly'])
    expect(written).toContain(`// { name: '${name}', closesAt: '+1d 10:00' }`);

  const again = await init();
  expect(again).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not as init writes it, and init would write over it'),
  });
  expect(readFileSync(file, 'utf8')).toBe(written);
});

test('it asks for fewer timesheets where the source refuses as many, and says where its clocks show another zone', async () => {
  const { port } = strict.address() as AddressInfo;
  const { stdout } = await init([
    ...['--base-url', `http://127.0.0.1:${port}`],
    ...['--time-zone', 'Europe/Berlin'],
  ]);
  expect(stdout).toContain('pages of 200.');
  expect(stdout).toContain('The clocks of the source do not agree with Europe/Berlin');
});

test.each([
  [['--time-zone', 'Mars/Base'], undefined, /^--time-zone cannot be used/],
  [['--base-url', 'http://acme.example'], undefined, /shows the token to the network; use https/],
  [[], '', /^there is no token of the source; put it into WORKFORCE_API_TOKEN$/m],
  [
    [],
    'canary',
    /^the source refused the token \(401\) at \S+; put a token that may read it into WORKFORCE_/,
  ],
])('%j and the token %j are refused, and nothing is written', async (args, token, message) => {
  const { code, stderr } = await init(args, token);
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  expect(stderr).not.toContain('canary');
  expect(() => readFileSync(file)).toThrow('ENOENT');
});

test.each([
  ['ends', HOSTILE],
  ['hides', `a${HIDDEN}b`],
])('a name of the source that %s a text or a line does not in the config', (_, name) => {
  const text = renderConfig({
    ...{ ...UNANSWERED, baseUrl: name, timeZone: name, calendars: [name] },
    departments: [{ id: name, name }],
  });
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
  expect(evaluate(text)).toMatchObject({ connections: [{ baseUrl: name, calendars: [] }] });
});

/** The default export of a config, without the package that it imports. */
function evaluate(text: string): unknown {
  const body = text.replace(/^import .*$/m, '').replace('export default defineNotifierConfig', 'return ');
  return new Function(body)();
}
