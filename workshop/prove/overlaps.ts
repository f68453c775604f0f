import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import { Failures, type Proof, type ProofOptions, spread } from './proof.ts';
import { SAID_AT_ONCE, SmallWorld, type Step } from './small-world.ts';

/**
 * Two polls that overlap, in every order of their first twelve turns in which both can go on, while the source changes
 * at each of their turns.
 */

const DEPTH = 12;
const ORDERS = 2 ** DEPTH;
/** The change comes before one of the first turns. */
const PLACES = DEPTH + 1;

const put = (id: string, values: Extract<Step, { kind: 'put' }>['values']): Step => ({
  kind: 'put',
  id,
  values,
});
const remove = (id: string): Step => ({ kind: 'remove', id });

/** What is there before, what changed before both polls began, and what changes while they run. */
interface Scenario {
  readonly name: string;
  readonly first: readonly Step[];
  readonly before: readonly Step[];
  readonly meanwhile: readonly Step[];
}

const OLD = put('1_7', { hoursToPay: 1 });
const OTHER = put('2_7', { hoursToPay: 1 });
const SCENARIOS: readonly Scenario[] = [
  { name: 'changed', first: [OLD, OTHER], before: [], meanwhile: [put('1_7', { hoursToPay: 2 })] },
  {
    name: 'changed twice',
    first: [OLD],
    before: [put('1_7', { hoursToPay: 2 })],
    meanwhile: [put('1_7', { hoursToPay: 3 })],
  },
  { name: 'created', first: [OTHER], before: [], meanwhile: [OLD] },
  { name: 'removed', first: [OLD, OTHER], before: [], meanwhile: [remove('1_7')] },
  { name: 'created and removed', first: [OTHER], before: [OLD], meanwhile: [remove('1_7')] },
  {
    name: 'removed and returned',
    first: [OLD, OTHER],
    before: [remove('1_7')],
    meanwhile: [put('1_7', { hoursToPay: 4 })],
  },
  {
    name: 'moved to another date',
    first: [OLD, OTHER],
    before: [],
    meanwhile: [put('1_7', { hoursToPay: 2, date: '2026-03-06' })],
  },
  {
    name: 'moved there and further',
    first: [OLD, OTHER],
    before: [put('1_7', { hoursToPay: 2, date: '2026-03-06' })],
    meanwhile: [put('1_7', { hoursToPay: 3, date: '2026-03-04' })],
  },
  {
    name: 'approved and revoked',
    first: [OLD, OTHER],
    before: [put('1_7', { hoursToPay: 2, approvedHours: '2026-03-05T02:00:00.000Z' })],
    meanwhile: [put('1_7', { hoursToPay: 3, approvedHours: null })],
  },
];

export const overlaps: Proof = {
  cases: 'interleavings',
  async run(options) {
    const total = SCENARIOS.length * PLACES * ORDERS;
    const failures = new Failures();
    let ran = 0;
    let overlapping = 0;
    for (const number of spread(total, options)) {
      const scenario = SCENARIOS[Math.floor(number / (PLACES * ORDERS))];
      if (scenario === undefined) throw new Error(`there is no case ${number}`);
      const order = number % ORDERS;
      const place = Math.floor(number / ORDERS) % PLACES;
      const { faults, choices } = await play(scenario, { order, place }, options);
      for (const fault of faults)
        failures.add(
          `case ${number}: ${scenario.name}, order ${order.toString(2)}, change at ${place}: ${fault}`,
        );
      ran += 1;
      if (choices === DEPTH) overlapping += 1;
    }
    return { ran, of: total, failures: failures.described, counts: { 'with 12 turns of both': overlapping } };
  },
};

interface Interleaving {
  /** Whose turn it is, bit by bit. */
  readonly order: number;
  /** The turn before which the source changes. */
  readonly place: number;
}

async function play(
  { first, before, meanwhile }: Scenario,
  { order, place }: Interleaving,
  { plant }: ProofOptions,
) {
  const world = new SmallWorld({ plant });
  for (const step of first) world.apply(step);
  await world.settle();
  for (const step of before) world.apply(step);
  const turns = new Turns();
  const polls = [0, 1].map((actor) => {
    turns.begin(actor);
    return world.pollAll((ports) => turns.takenBy(actor, ports)).finally(() => turns.end(actor));
  });
  const choices = await takeTurns(turns, order, (turn) => {
    if (turn === place) for (const step of meanwhile) world.apply(step);
  });
  await Promise.all(polls);
  for (let later = 0; later < 3; later += 1) await world.pollLater();
  return { faults: world.findFaults(), choices };
}

/** Lets the polls go on one by one until both have ended. Returns at how many turns the order decided. */
async function takeTurns(turns: Turns, order: number, beforeTurn: (turn: number) => void): Promise<number> {
  let choices = 0;
  for (let turn = 0; ; turn += 1) {
    await turns.settled();
    beforeTurn(turn);
    const [one, other] = turns.ready();
    if (one === undefined) return choices;
    const isChoice = other !== undefined && choices < DEPTH;
    const takesOther = isChoice && ((order >> choices) & 1) === 1;
    if (isChoice) choices += 1;
    turns.release(takesOther ? other : one);
  }
}

/** Reads of single items, of which those that are asked for at once are one request. */
const JOINED: ReadonlySet<unknown> = new Set([
  'isLeaseHeld',
  'loadChangeRates',
  'loadFeedState',
  'loadInsertFence',
]);

/** Lets one of several polls do one call at a time. */
class Turns {
  readonly #waiting: (() => void)[][] = [];

  begin(actor: number): void {
    this.#waiting[actor] = [];
  }

  end(actor: number): void {
    this.#waiting[actor] = [];
  }

  /** Actors with a call that waits. */
  ready(): number[] {
    return this.#waiting.flatMap((calls, actor) => (calls.length > 0 ? [actor] : []));
  }

  release(actor: number): void {
    this.#waiting[actor]?.shift()?.();
  }

  /** When everybody waits or has ended: ports answer within one turn of the event loop. */
  async settled(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  takenBy(actor: number, ports: PollPorts): PollPorts {
    const wait = () => new Promise<void>((resolve) => this.#waiting[actor]?.push(resolve));
    let joined: Promise<void> | null = null;
    const waitTogether = () => {
      if (joined === null) queueMicrotask(() => (joined = null));
      joined ??= wait();
      return joined;
    };
    const taken = <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get: (target, name, receiver) => {
          const method: unknown = Reflect.get(target, name, receiver);
          if (typeof method !== 'function' || SAID_AT_ONCE.has(name)) return method;
          if (name === 'pages') return (...given: unknown[]) => takenWalk(method.apply(target, given), wait);
          return async (...given: unknown[]) => {
            await (JOINED.has(name) ? waitTogether() : wait());
            return await method.apply(target, given);
          };
        },
      });
    return {
      ...ports,
      store: taken(ports.store),
      source: taken(ports.source),
      publisher: taken(ports.publisher),
    };
  }
}

/** A walk over pages, each of which waits for a turn. */
async function* takenWalk<Page, End>(
  walk: AsyncGenerator<Page, End>,
  wait: () => Promise<void>,
): AsyncGenerator<Page, End> {
  for (;;) {
    await wait();
    const next = await walk.next();
    if (next.done === true) return next.value;
    yield next.value;
  }
}
