import { SourceError } from '#shared/core/errors.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import { Random } from '#test/simulation/random.ts';
import { Failures, type Proof, type ProofOptions, spread } from './proof.ts';
import { SAID_AT_ONCE, SmallWorld, type Step } from './small-world.ts';

/**
 * Every placement of one, two and three faults at the calls of small histories: each call of a port is a place at which
 * a poll waits, and there it crashes or gets an error, before the call has its effect or after.
 */

const HISTORIES = 200;
const POLLS = 3;
const KINDS = ['crash before', 'crash after', 'error before', 'error after'] as const;
const MAX_FAULTS = 3;

interface Fault {
  readonly call: number;
  readonly kind: (typeof KINDS)[number];
}

/** What a history has changed before each of its polls. */
type SmallHistory = readonly (readonly Step[])[];

/** Ends a poll as the end of its process would. */
class Crash extends Error {
  override readonly name = 'Crash';
}

export const faults: Proof = {
  cases: 'placements of faults',
  async run(options) {
    // Of a few cases, most would be in the same few histories.
    const length = Math.min(HISTORIES, options.runs);
    const histories = Array.from({ length }, (_, index) => drawHistory(options.seed * 1_000 + index));
    const calls: number[] = [];
    for (const history of histories) calls.push((await play(history, [], options)).calls);
    const blocks = listBlocks(calls);
    const total = blocks.reduce((sum, { size }) => sum + size, 0);
    const failures = new Failures();
    const counts = { 'of one fault': 0, 'of two': 0, 'of three': 0, 'that struck': 0 };
    let ran = 0;
    for (const { history, placed } of listCases(blocks, calls, options)) {
      const { faults: found, struck } = await play(histories[history] ?? [], placed, options);
      for (const fault of found)
        failures.add(
          `seed ${options.seed}, history ${history}, ${placed.map(describeFault).join(', ')}: ${fault}`,
        );
      ran += 1;
      counts[placed.length === 1 ? 'of one fault' : placed.length === 2 ? 'of two' : 'of three'] += 1;
      if (struck > 0) counts['that struck'] += 1;
    }
    return { ran, of: total, failures: failures.described, counts };
  },
};

function describeFault({ call, kind }: Fault): string {
  return `${kind} call ${call}`;
}

/** All placements of so many faults in one history. */
interface Block {
  readonly history: number;
  readonly count: number;
  readonly size: number;
}

function listBlocks(calls: readonly number[]): Block[] {
  return Array.from({ length: MAX_FAULTS }, (_, index) => index + 1).flatMap((count) =>
    calls.map((places, history) => ({ history, count, size: choose(places, count) * KINDS.length ** count })),
  );
}

/** The placements to run: one fault in half of them, until there are no more, and an even share of two and three. */
function* listCases(blocks: readonly Block[], calls: readonly number[], { runs, seed }: ProofOptions) {
  const single = blocks.filter(({ count }) => count === 1);
  const more = blocks.filter(({ count }) => count > 1);
  const singles = single.reduce((sum, { size }) => sum + size, 0);
  const ofOne = Math.min(Math.ceil(runs / 2), singles);
  yield* listOf(single, calls, { runs: ofOne, seed });
  yield* listOf(more, calls, { runs: runs - ofOne, seed });
}

function* listOf(blocks: readonly Block[], calls: readonly number[], options: ProofOptions) {
  const total = blocks.reduce((sum, { size }) => sum + size, 0);
  let first = 0;
  let index = 0;
  for (const number of spread(total, options)) {
    let block = blocks[index];
    while (block !== undefined && number >= first + block.size) {
      first += block.size;
      index += 1;
      block = blocks[index];
    }
    if (block === undefined) throw new Error(`there is no placement ${number}`);
    const places = calls[block.history] ?? 0;
    yield { history: block.history, placed: nameFaults(number - first, block.count, places) };
  }
}

/** The placement with this number: kinds are its last digits, the calls are a combination. */
function nameFaults(number: number, count: number, places: number): Fault[] {
  const placed: Fault[] = [];
  let kinds = number % KINDS.length ** count;
  let combination = Math.floor(number / KINDS.length ** count);
  let left = count;
  for (let call = 1; call <= places && left > 0; call += 1) {
    const withThis = choose(places - call, left - 1);
    if (combination >= withThis) {
      combination -= withThis;
      continue;
    }
    placed.push({ call, kind: KINDS[kinds % KINDS.length] ?? 'crash before' });
    kinds = Math.floor(kinds / KINDS.length);
    left -= 1;
  }
  return placed;
}

function choose(from: number, count: number): number {
  let result = 1;
  for (let nth = 0; nth < count; nth += 1) result = (result * (from - nth)) / (nth + 1);
  return Math.round(result);
}

const IDS = ['1_7', '2_7', '3_7'];
const DATES = ['2026-03-04', '2026-03-05', '2026-03-06'];

/** Some changes before each of three polls. Each state of a record has other hours, so that it is told from the others. */
function drawHistory(seed: number): SmallHistory {
  const random = new Random(seed);
  let hours = 0;
  const draw = (): Step => {
    const id = random.pick(IDS);
    if (random.chance(0.2)) return { kind: 'remove', id };
    hours += 1;
    const moved = random.chance(0.3) ? { date: random.pick(DATES) } : {};
    const approved = random.chance(0.3)
      ? { approvedHours: random.chance(0.7) ? '2026-03-05T02:00:00.000Z' : null }
      : {};
    return { kind: 'put', id, values: { hoursToPay: hours, ...moved, ...approved } };
  };
  const several = () => Array.from({ length: random.between(1, 3) }, draw);
  return Array.from({ length: POLLS + 1 }, several);
}

async function play([first = [], ...rest]: SmallHistory, placed: readonly Fault[], { plant }: ProofOptions) {
  const world = new SmallWorld({ plant });
  for (const step of first) world.apply(step);
  await world.settle();
  const life = new FaultyLife(placed);
  for (const steps of rest) {
    for (const step of steps) world.apply(step);
    life.begin();
    try {
      await world.pollAll((ports) => life.around(ports));
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
    world.now += 60_000;
  }
  for (let polls = 0; polls < 3; polls += 1) await world.pollLater();
  return { calls: life.calls, struck: life.struck, faults: world.findFaults() };
}

/** Counts the calls of all polls of a history, and lets faults strike at some. */
class FaultyLife {
  calls = 0;
  struck = 0;
  #isDead = false;
  readonly #kinds: ReadonlyMap<number, Fault['kind']>;

  constructor(placed: readonly Fault[]) {
    this.#kinds = new Map(placed.map(({ call, kind }) => [call, kind]));
  }

  /** Another poll: another process. */
  begin(): void {
    this.#isDead = false;
  }

  around(ports: PollPorts): PollPorts {
    const sourceError = () => new SourceError('source_failed', 'on purpose');
    // The store's own errors end a poll, as a crash does.
    const storeError = () => new Crash('the store failed');
    const { source, store, publisher } = ports;
    return {
      ...ports,
      store: this.#wrap(store, storeError),
      source: this.#wrap(source, sourceError),
      publisher: {
        publish: async (texts) => {
          const failed = { published: 0, unpublished: texts.map((_, index) => index), requests: 1 };
          // Never throws for what SNS does: an error is what it says it did not publish.
          return await this.#call(
            () => publisher.publish(texts),
            () => failed,
          );
        },
      },
    };
  }

  #wrap<Port extends object>(port: Port, error: () => Error): Port {
    const fail = () => {
      throw error();
    };
    return new Proxy(port, {
      get: (target, name, receiver) => {
        const method: unknown = Reflect.get(target, name, receiver);
        if (typeof method !== 'function' || SAID_AT_ONCE.has(name)) return method;
        if (name === 'pages') return (...given: unknown[]) => this.#walk(method.apply(target, given));
        return (...given: unknown[]) => this.#call(() => method.apply(target, given), fail);
      },
    });
  }

  /** A page that fails ends its walk, which says so. */
  async *#walk<Page, End extends object>(walk: AsyncGenerator<Page, End>): AsyncGenerator<Page, End> {
    for (;;) {
      const error = new SourceError('source_failed', 'on purpose');
      const next = await this.#call(
        () => walk.next(),
        () => error,
      );
      if (next instanceof SourceError) {
        const end = { complete: false, problem: null, error: next, pagesReceived: 0 };
        return end as unknown as End;
      }
      if (next.done === true) return next.value;
      yield next.value;
    }
  }

  async #call<Result, Failure>(
    effect: () => Promise<Result>,
    failed: () => Failure,
  ): Promise<Result | Failure> {
    if (this.#isDead) throw new Crash('dead');
    this.calls += 1;
    const kind = this.#kinds.get(this.calls);
    if (kind !== undefined) this.struck += 1;
    if (kind === 'crash before') this.#die();
    if (kind === 'error before') return failed();
    const result = await effect();
    if (this.#isDead) throw new Crash('dead');
    if (kind === 'crash after') this.#die();
    return kind === 'error after' ? failed() : result;
  }

  #die(): never {
    this.#isDead = true;
    throw new Crash('on purpose');
  }
}
