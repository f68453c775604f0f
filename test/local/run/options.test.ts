import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOptions } from '#local/run/options.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';

const TOKEN = { WORKFORCE_API_TOKEN: 'a-token' };
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = `whsec_${'A'.repeat(32)}`;

test('without options the sample company is polled by the schedules of the template', async () => {
  expect(await readOptions([], {})).toEqual({
    source: { kind: 'emulator', speed: 600 },
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
  const webhook = `--webhook https://me.example:8443/hook?a=b --webhook-secret ${fileWith(SECRET)}`;
  expect(await readOptions(`${args} ${more} ${webhook}`.split(' '), TOKEN)).toEqual({
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
  expect(await readOptions(['--once', '--speed', '60'], {})).toMatchObject({
    source: { kind: 'emulator', speed: 60 },
    mode: { kind: 'once' },
  });
});

test.each([
  [
    'is that in the file of the option',
    ['--webhook', 'http://a.example', '--webhook-secret', fileWith(`${SECRET}\n`)],
    SECRET,
  ],
  ['is else that of the environment', ['--webhook', 'http://a.example'], OTHER_SECRET],
  ['of the environment means nothing without an own receiver', [], null],
])('the secret of webhooks %s', async (_, args, webhookSecret) => {
  expect(await readOptions(args, { WEBHOOK_SECRET: OTHER_SECRET })).toMatchObject({ webhookSecret });
});

test.each([
  ['--webhook-secret', ['--webhook-secret', fileWith('whsec_short')], {}],
  ['--webhook-secret', ['--webhook-secret', fileWith('')], {}],
  ['WEBHOOK_SECRET', [], { WEBHOOK_SECRET: 'whsec_short' }],
])('a wrong %s is refused and not shown', async (name, args, environment) => {
  const message = await messageOf(['--webhook', 'http://a.example', ...args], environment);
  expect(message).toContain(`"${name}" holds no signing secret; put whsec_ and 24 to 64 random bytes`);
  expect(message).not.toContain('whsec_short');
});

test.each([
  [SECRET, ['--webhook-secret names a file, and was given the secret itself', 'WEBHOOK_SECRET']],
  ['/nowhere', ['--webhook-secret "/nowhere" cannot be read (ENOENT)', 'WEBHOOK_SECRET']],
])('no secret is an argument: %s is refused, and said how to give it', async (text, parts) => {
  const message = await messageOf(['--webhook', 'http://a.example', '--webhook-secret', text], {});
  for (const part of parts) expect(message).toContain(part);
  expect(message).not.toContain(SECRET);
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
  ['--base-url http://a.example', ['"http://a.example" is http', 'use https, or add --allow-http']],
  ['--base-url http://a.example --speed 2', ['--speed is for the sample company']],
  [
    '--webhook localhost:3000',
    ['--webhook "localhost:3000"', 'http or https address', 'http://localhost:3000/hook'],
  ],
  ['--webhook nonsense', ['--webhook "nonsense" cannot be used', 'http://localhost:3000/hook']],
  ['--webhook ftp://a.example', ['--webhook "ftp://a.example" cannot be used']],
  ['--webhook http://me:pass@a.example', ['--webhook cannot be used', 'without user name and password']],
  ['--token file', ['--token is for a real source; add --base-url']],
  ['--webhook-secret file', ['--webhook-secret is for a receiver of your own', '--webhook']],
  ['--nonsense', ["unknown option '--nonsense'", '--help']],
  ['surplus', ['too many arguments']],
  ['--data', ["option '--data <folder>' argument missing"]],
])('%s is refused in one line that says what is wrong and how to fix it', async (line, parts) => {
  const message = await messageOf(line.split(' '), TOKEN);
  expect(message).not.toContain('\n');
  for (const part of parts) expect(message).toContain(part);
  expect(message).not.toMatch(/a-token|me:pass/);
});

test('a source over http is accepted on this machine, and elsewhere with --allow-http', async () => {
  const sourceOf = async (line: string) => (await readOptions(line.split(' '), TOKEN))?.source;
  for (const baseUrl of ['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1']) {
    expect(await sourceOf(`--base-url ${baseUrl}`)).toEqual({ kind: 'remote', baseUrl, token: 'a-token' });
  }
  expect(await sourceOf('--base-url http://a.example --allow-http')).toMatchObject({ allowHttp: true });
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

test('the token of a real source may be in a file, and is then no matter of the environment', async () => {
  const args = ['--base-url', 'https://a.example', '--token', fileWith('of-the-file\n')];
  expect(await readOptions(args, TOKEN)).toMatchObject({ source: { token: 'of-the-file' } });
});

test('client credentials of a real source may be in a file, over several lines', async () => {
  const secret = JSON.stringify({ clientId: 'a', clientSecret: 'b' }, null, 2);
  const args = ['--base-url', 'https://a.example', '--token', fileWith(secret)];
  expect(await readOptions(args, {})).toMatchObject({ source: { token: secret } });
});

test('a token file with a member that nobody reads is refused by its name, and not shown', async () => {
  const secret = JSON.stringify({ clientId: 'canary', clientSecret: 'canary', Scope: 'canary' });
  const message = await messageOf(['--base-url', 'https://a.example', '--token', fileWith(secret)], {});
  expect(message).toContain(
    '"--token" has an unknown member "Scope"; remove it, or rename it to one of token,',
  );
  expect(message).not.toContain('canary');
});

test('a token with a line break is refused and not shown', async () => {
  const message = await messageOf(['--base-url', 'https://a.example'], { WORKFORCE_API_TOKEN: 'two\nlines' });
  expect(message).toContain('line break');
  expect(message).not.toContain('two');
});

function fileWith(text: string): string {
  const file = join(createTemporaryFolder('secret'), 'secret');
  writeFileSync(file, text);
  return file;
}

async function messageOf(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string> {
  try {
    await readOptions(args, environment);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}
