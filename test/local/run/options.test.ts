import { expect, test } from 'vitest';
import { readOptions } from '#local/run/options.ts';

const TOKEN = { WORKFORCE_API_TOKEN: 'a-token' };
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test('without options the sample company is polled by the schedules of the template', async () => {
  expect(await readOptions([], {})).toEqual({
    source: { kind: 'emulator', speed: 60 },
    mode: { kind: 'schedules' },
    dataFolder: '.data',
    output: 'text',
    timeZone: 'UTC',
    windowBackDays: 17,
    windowForwardDays: 7,
    webhook: null,
    webhookSecret: null,
  });
});

test('the window of a real source begins a week back', async () => {
  expect(await readOptions(['--base-url', 'http://127.0.0.1:8080'], TOKEN)).toMatchObject({
    windowBackDays: 7,
  });
});

test('every option is read', async () => {
  const args =
    '--base-url http://127.0.0.1:8080 --data d --every 2s --output ndjson --time-zone Pacific/Auckland';
  const more = '--window-back 35 --window-forward 0';
  const webhook = '--webhook https://me.example:8443/hook?a=b';
  const environment = { ...TOKEN, WEBHOOK_SECRET: SECRET };
  expect(await readOptions(`${args} ${more} ${webhook}`.split(' '), environment)).toEqual({
    source: { kind: 'remote', baseUrl: 'http://127.0.0.1:8080', token: 'a-token' },
    mode: { kind: 'every', intervalMs: 2_000 },
    dataFolder: 'd',
    output: 'ndjson',
    timeZone: 'Pacific/Auckland',
    windowBackDays: 35,
    windowForwardDays: 0,
    webhook: 'https://me.example:8443/hook?a=b',
    webhookSecret: SECRET,
  });
  expect(await readOptions(['--once', '--speed', '600'], {})).toMatchObject({
    source: { kind: 'emulator', speed: 600 },
    mode: { kind: 'once' },
  });
});

test('the secret of webhooks means nothing without an own receiver', async () => {
  expect(await readOptions([], { WEBHOOK_SECRET: SECRET })).toMatchObject({ webhookSecret: null });
});

test('a wrong secret of webhooks is refused and not shown', async () => {
  const args = ['--webhook', 'http://a.example'];
  const message = await messageOf(args, { WEBHOOK_SECRET: 'whsec_short' });
  expect(message).toContain('"WEBHOOK_SECRET" holds no signing secret; put whsec_ and 24 to 64 random bytes');
  expect(message).not.toContain('whsec_short');
});

test.each([
  ['500ms', 500],
  ['1.5s', 1_500],
  ['5m', 300_000],
  ['1h', 3_600_000],
])('--every %s is %i ms', async (text, intervalMs) => {
  expect(await readOptions(['--every', text], {})).toMatchObject({ mode: { intervalMs } });
});

test.each([
  ['--base-url nonsense', ['--base-url "nonsense"', 'http or https address']],
  ['--base-url ftp://a.example', ['ftp://a.example', 'http or https address']],
  [
    '--base-url http://me:pass@a.example',
    ['--base-url cannot be used', 'must not contain a user name or password'],
  ],
  ['--time-zone Mars/Base', ['--time-zone', 'unknown time zone "Mars/Base"', 'Pacific/Auckland']],
  ['--window-back -1', ['--window-back', "'-1'", 'from 0 to 730']],
  ['--window-forward 1.5', ['--window-forward', "'1.5'", 'from 0 to 730']],
  ['--window-back 731', ["'731'", 'from 0 to 730']],
  ['--every soon', ['--every', "'soon'", 'such as 2s']],
  ['--every 1ms', ["'1ms'", 'at least 100ms']],
  ['--output xml', ['--output', "'xml'", 'ndjson, text']],
  ['--speed 0', ["'0'", 'above 0']],
  ['--once --every 2s', ['--once and --every exclude each other']],
  ['--base-url http://a.example --speed 2', ['--speed is for the sample company']],
  [
    '--webhook localhost:3000',
    ['--webhook "localhost:3000"', 'http or https address', 'http://localhost:3000/hook'],
  ],
  ['--webhook nonsense', ['--webhook "nonsense" cannot be used', 'http://localhost:3000/hook']],
  ['--webhook ftp://a.example', ['--webhook "ftp://a.example" cannot be used']],
  ['--webhook http://me:pass@a.example', ['--webhook cannot be used', 'without user name and password']],
  ['--nonsense', ["unknown option '--nonsense'", '--help']],
  ['surplus', ['too many arguments']],
  ['--data', ["option '--data <folder>' argument missing"]],
])('%s is refused in one line that says what is wrong and how to fix it', async (line, parts) => {
  const message = await messageOf(line.split(' '), TOKEN);
  expect(message).not.toContain('\n');
  for (const part of parts) expect(message).toContain(part);
  expect(message).not.toMatch(/a-token|me:pass/);
});

test('an empty folder name is refused', async () => {
  expect(await messageOf(['--data', ''], {})).toContain('such as .data');
});

test.each([
  ['missing', {}],
  ['empty', { WORKFORCE_API_TOKEN: ' ' }],
])('a %s token of a real source is refused', async (_, environment) => {
  const message = await messageOf(['--base-url', 'https://a.example'], environment);
  expect(message).toBe(
    'WORKFORCE_API_TOKEN is not set; set it to a token of the source at https://a.example',
  );
});

test('client credentials of a real source may have several lines', async () => {
  const secret = JSON.stringify({ clientId: 'a', clientSecret: 'b' }, null, 2);
  const args = ['--base-url', 'https://a.example'];
  expect(await readOptions(args, { WORKFORCE_API_TOKEN: secret })).toMatchObject({
    source: { token: secret },
  });
});

test('credentials with a member that nobody reads are refused by its name, and not shown', async () => {
  const secret = JSON.stringify({ clientId: 'canary', clientSecret: 'canary', Scope: 'canary' });
  const message = await messageOf(['--base-url', 'https://a.example'], { WORKFORCE_API_TOKEN: secret });
  expect(message).toContain(
    '"WORKFORCE_API_TOKEN" has an unknown member "Scope"; remove it, or rename it to one of token,',
  );
  expect(message).not.toContain('canary');
});

test('a token with a line break is refused and not shown', async () => {
  const message = await messageOf(['--base-url', 'https://a.example'], { WORKFORCE_API_TOKEN: 'two\nlines' });
  expect(message).toContain('line break');
  expect(message).not.toContain('two');
});

async function messageOf(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string> {
  try {
    await readOptions(args, environment);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}
