import { describe, expect, test } from 'vitest';
import { createExchange } from '#shared/adapters/workforce-api/http/exchange.ts';
import { KnownBodies } from '#shared/adapters/workforce-api/http/known-bodies.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');
const MINUTE_MS = 60_000;
const MEGABYTE = 1024 * 1024;

describe('a page that comes again', () => {
  test('with the same bytes is parsed twice, then kept, frozen', async () => {
    const memory = new Memory();
    const values = [await memory.ask('/a'), await memory.ask('/a'), await memory.ask('/a')];
    expect(memory.parsed).toBe(2);
    expect(values[2]).toBe(values[1]);
    expect([values[2], values[2]?.data, values[2]?.data[0]].every((part) => Object.isFrozen(part))).toBe(
      true,
    );
  });

  test('with other bytes is parsed', async () => {
    const memory = new Memory();
    for (const text of ['a', 'a', 'a', 'b', 'a']) {
      expect((await memory.ask('/a', { text }))?.data[0]?.text).toBe(text);
    }
    expect(memory.parsed).toBe(4);
  });

  test('at another address is parsed', async () => {
    const memory = new Memory();
    for (const address of ['/a', '/b', '/c']) await memory.ask(address);
    expect(memory.parsed).toBe(3);
  });

  test('or is no page but a small answer is parsed', async () => {
    const memory = new Memory();
    for (let times = 0; times < 4; times += 1) await memory.ask('/a', { size: 100 });
    expect(memory.parsed).toBe(4);
  });
});

describe('what is kept', () => {
  test('is bounded: what was asked for lately stays, what was not makes room', async () => {
    const memory = new Memory();
    const twice = async (address: string, now: number) => {
      for (const _ of [1, 2]) await memory.ask(address, { bytes: 3 * MEGABYTE, now });
    };
    for (const address of ['/a', '/b', '/c']) await twice(address, NOW);
    expect(await memory.isKept('/a', NOW + MINUTE_MS)).toBe(true);
    expect(await memory.isKept('/b', NOW + MINUTE_MS)).toBe(true);
    expect(await memory.isKept('/c', NOW + MINUTE_MS)).toBe(false);

    const later = NOW + 5 * MINUTE_MS;
    await memory.ask('/b', { now: later, bytes: 3 * MEGABYTE });
    await twice('/d', later + MINUTE_MS);
    expect(await memory.isKept('/d', later + MINUTE_MS)).toBe(true);
    expect(await memory.isKept('/b', later + MINUTE_MS)).toBe(true);
  });
});

describe('an answer', () => {
  test.each([
    ['read', true],
    ['token', false],
  ] as const)('to a %s that comes again is kept: %s', async (purpose, isKept) => {
    const body = JSON.stringify({ text: 'a'.repeat(4_096) });
    const exchange = createExchange({
      timeoutMs: 1_000,
      maxResponseBytes: MEGABYTE,
      now: () => NOW,
      fetch: async () => new Response(body),
    });
    const ask = async () => {
      const url = new URL(`https://source.example/${purpose}`);
      const asked = { purpose, place: url.href, secretName: 'none', secrets: [] };
      const result = await exchange({ url, asked, headers: {}, deadline: NOW + MINUTE_MS });
      if (result.outcome !== 'answered' || result.answer.content.outcome !== 'json')
        throw new Error('no JSON');
      return result.answer.content.value;
    };
    const [, second, third] = [await ask(), await ask(), await ask()];
    expect(third).toEqual(JSON.parse(body));
    expect([third === second, Object.isFrozen(third)]).toEqual([isKept, isKept]);
  });
});

/** Counts how often a body was parsed. */
class Memory {
  parsed = 0;
  readonly #bodies = new KnownBodies();

  async ask(address: string, { text = 'a', size = 4_096, bytes = 4_096, now = NOW } = {}) {
    const body = Buffer.from(JSON.stringify({ data: [{ text }] }).padEnd(size));
    const value = await this.#bodies.readValue(address, { body, now }, async () => {
      this.parsed += 1;
      return { value: JSON.parse(body.toString()), bytes };
    });
    return value as { readonly data: readonly { readonly text: string }[] } | undefined;
  }

  async isKept(address: string, now: number): Promise<boolean> {
    const before = this.parsed;
    await this.ask(address, { bytes: 3 * MEGABYTE, now });
    return this.parsed === before;
  }
}
