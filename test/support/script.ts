import { expect } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { DAY_MS, MINUTE_MS } from './builders.ts';
import type { PollHarness } from './poll-harness.ts';

/** What a step of a script may do besides polling. */
export interface Vocabulary<Harness extends PollHarness = PollHarness> {
  /** The timesheets that steps such as `approve 0-20` change: those with these places, or all. */
  readonly ids: readonly string[];
  readonly changes: Readonly<Record<string, (harness: Harness, place: number) => object>>;
  readonly steps?: Readonly<Record<string, (harness: Harness, rest: string) => unknown>>;
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, min: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };

/**
 * Plays steps such as `lose 0-20; poll; 1min; poll 20 revoked`: each poll says all of its news, as counts of the words
 * with which types end. `polls 10` is a poll a minute, with the news of all; `killed` a poll that ends before it gives the
 * lease back.
 */
export async function play<Harness extends PollHarness>(
  harness: Harness,
  script: string,
  vocabulary: Vocabulary<Harness>,
): Promise<void> {
  for (const step of script.split(/[;\n]/).map((each) => each.trim())) {
    if (step === '') continue;
    await playStep(harness, step, vocabulary);
  }
}

async function playStep<Harness extends PollHarness>(
  harness: Harness,
  step: string,
  vocabulary: Vocabulary<Harness>,
): Promise<void> {
  const { ids, changes, steps = {} } = vocabulary;
  const [verb = ''] = step.split(' ');
  const rest = step.slice(verb.length + 1);
  const time = /^([\d.]+)(s|min|h|d)$/.exec(verb);
  if (time !== null) harness.now += Number(time[1]) * (UNITS[time[2] ?? ''] ?? 0);
  else if (verb in POLLS) {
    const news = await POLLS[verb]?.(harness, rest);
    expectNews(harness, news ?? '', step);
  } else if (verb in changes) {
    const [from, to] = readRange(rest, ids.length);
    for (const [offset, id] of ids.slice(from, to).entries())
      harness.change(changes[verb]?.(harness, from + offset) ?? {}, [id]);
  } else if (verb === 'remove') harness.remove(...ids.slice(...readRange(rest, ids.length)));
  else if (verb === 'fails') failPages(harness, rest);
  else if (verb === 'topic') harness.accepts = () => rest === 'accepts';
  else if (verb in steps) await steps[verb]?.(harness, rest);
  else throw new Error(`no step is "${step}"`);
}

/** Each returns the news that its step expects. */
const POLLS: Readonly<Record<string, (harness: PollHarness, rest: string) => Promise<string>>> = {
  poll: async (harness, rest) => {
    await harness.poll();
    return rest;
  },
  all: async (harness, rest) => {
    await harness.poll({ all: true });
    return rest;
  },
  polls: async (harness, rest) => {
    const [minutes = ''] = rest.split(' ');
    await harness.pollFor(Number(minutes));
    return rest.slice(minutes.length + 1);
  },
  killed: async (harness, rest) => {
    await pollKilled(harness);
    return rest;
  },
};

function readRange(text: string, length: number): [number, number] {
  const [, from = '0', to = ''] = /^(\d+)-(\d*)$/.exec(text) ?? [];
  return [Number(from), to === '' ? length : Number(to)];
}

/** `fails page 2`, `fails 2026-03-05`, `fails lookups`, `fails no more`. */
function failPages(harness: PollHarness, what: string): void {
  const error = () => new SourceError('source_failed', 'the source answered 500', { status: 500 });
  harness.onLookUp = () => (what === 'lookups' ? error() : null);
  harness.onPage = ({ range, page }) => {
    const isMeant = what.startsWith('page')
      ? page === Number(what.slice(5))
      : range !== null && range.from <= what && what <= range.to;
    return isMeant ? error() : null;
  };
}

async function pollKilled(harness: PollHarness): Promise<void> {
  const { giveBack } = harness.store;
  harness.store.giveBack = () => Promise.reject(new Error('killed'));
  await expect(harness.poll()).rejects.toThrow('killed');
  harness.store.giveBack = giveBack;
}

function expectNews(harness: PollHarness, expected: string, step: string): void {
  const words = harness
    .news()
    .map((heading) => heading.replace(/^(?:\w+\.)?(?:approval_|processing_)?(\w+) .*$/, '$1'));
  const counts = [...Map.groupBy(words, (word) => word)].map(([word, { length }]) => `${length} ${word}`);
  expect(counts.sort(), step).toEqual(expected === '' ? [] : expected.split(', ').sort());
}
