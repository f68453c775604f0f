import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readSecretOption, type SecretTerminal } from '#shared/terminal/secret-option.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';

const PLACE = { option: '--secret', variable: 'WEBHOOK_SECRET', what: 'the secret' };
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

describe('a secret', () => {
  test('is that of the file, even where the environment has one and there is a terminal', async () => {
    const file = join(createTemporaryFolder('secret'), 'secret');
    writeFileSync(file, `${SECRET}\n`);
    const environment = { WEBHOOK_SECRET: 'other' };
    const terminal = new FakeTerminal();
    expect(await readSecretOption({ ...PLACE, file, isNeeded: true }, environment, terminal)).toBe(SECRET);
    expect(terminal.shown).toBe('');
  });

  test.each([[{ WEBHOOK_SECRET: SECRET }, SECRET] as const, [{}, undefined] as const])(
    'without a file is that of the environment: %j',
    async (environment, secret) => {
      const terminal = new FakeTerminal();
      expect(await readSecretOption({ ...PLACE, file: undefined }, environment, terminal)).toBe(secret);
      expect(terminal.shown).toBe('');
    },
  );

  test.each([
    ['with - for its file', { ...PLACE, file: '-' }, { WEBHOOK_SECRET: 'other' }],
    ['that is needed and nowhere else', { ...PLACE, file: undefined, isNeeded: true as const }, {}],
  ])('%s is asked for, and never shown', async (_, place, environment) => {
    const terminal = new FakeTerminal();
    const asked = readSecretOption(place, environment, terminal);
    // A mistyped character, taken back.
    terminal.type(`${SECRET}x\u007f\r`);
    expect(await asked).toBe(SECRET);
    expect(terminal.shown).toBe('the secret (not shown): \n');
    // The terminal itself echoes nothing meanwhile, and does again afterwards.
    expect(terminal.rawModes).toEqual([true, false]);
  });

  test.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('that is not given, by %s, is an error', async (_, key) => {
    const terminal = new FakeTerminal();
    const asked = readSecretOption({ ...PLACE, file: '-' }, {}, terminal);
    terminal.type(key);
    await expect(asked).rejects.toMatchObject({ code: 'options_wrong', message: 'the secret was not given' });
    expect(terminal.rawModes).toEqual([true, false]);
  });

  test('is not asked for without a terminal: what is piped in may be in a log', async () => {
    const terminal = new FakeTerminal({ isTTY: false });
    terminal.type(`${SECRET}\n`);
    await expect(readSecretOption({ ...PLACE, file: '-' }, {}, terminal)).rejects.toMatchObject({
      code: 'options_wrong',
      message:
        '--secret - asks for the secret, and there is no terminal to ask on; put it into WEBHOOK_SECRET, or into a file that --secret names',
    });
    const needed = { ...PLACE, file: undefined, isNeeded: true as const };
    expect(await readSecretOption(needed, {}, terminal)).toBeUndefined();
    expect(terminal.shown).toBe('');
  });
});

/** What somebody types, and what he sees. */
class FakeTerminal implements SecretTerminal {
  readonly stdin: SecretTerminal['stdin'];
  readonly stderr: SecretTerminal['stderr'];
  readonly rawModes: boolean[] = [];
  shown = '';

  constructor({ isTTY = true } = {}) {
    const setRawMode = (isRaw: boolean) => void this.rawModes.push(isRaw);
    this.stdin = Object.assign(new PassThrough(), { isTTY, setRawMode }) as never;
    const seen = new PassThrough().setEncoding('utf8').on('data', (text: string) => {
      this.shown += text;
    });
    this.stderr = seen as never;
  }

  type(keys: string): void {
    (this.stdin as unknown as PassThrough).write(keys);
  }
}
