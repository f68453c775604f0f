import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { readSecret, type SecretTerminal } from '#shared/terminal/read-secret.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

describe('a secret', () => {
  test('is that of the environment, also where there is a terminal', async () => {
    const terminal = new FakeTerminal();
    expect(await read(terminal, { WEBHOOK_SECRET: SECRET })).toBe(SECRET);
    expect(terminal.shown).toBe('');
  });

  test('that is not there is asked for, and never shown', async () => {
    const terminal = new FakeTerminal();
    const asked = read(terminal);
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
    const asked = read(terminal);
    terminal.type(key);
    await expect(asked).rejects.toMatchObject({ code: 'options_wrong', message: 'the secret was not given' });
    expect(terminal.rawModes).toEqual([true, false]);
  });

  test('is not asked for without a terminal: what is piped in may be in a log', async () => {
    const terminal = new FakeTerminal({ isTTY: false });
    terminal.type(`${SECRET}\n`);
    expect(await read(terminal)).toBeUndefined();
    expect(terminal.shown).toBe('');
  });
});

function read(terminal: SecretTerminal, environment = {}) {
  return readSecret('WEBHOOK_SECRET', 'the secret', { environment, terminal });
}

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
