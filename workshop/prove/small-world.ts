import type { FeedName } from '#shared/core/feeds.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import type { Plant } from './proof.ts';

/** Longer than any lease. */
const LONG_MS = 30 * 60_000;
const CALL_MS = 5;
const POLL_MS = 50_000;

/** What a port says at once: no poll waits for it. */
export const SAID_AT_ONCE: ReadonlySet<string | symbol> = new Set(['counts', 'learnedPace', 'resumePace']);

/** What happens to a timesheet; its hours name each of its states. */
export type Step =
  | { readonly kind: 'put'; readonly id: string; readonly values: Partial<SampleRecord> }
  | { readonly kind: 'remove'; readonly id: string };

interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly text: string;
  readonly subject: string;
  readonly sequence: number;
  /** What a subscriber knows after it; null for a removed record. */
  readonly state: string | null;
}

export interface SmallWorldOptions {
  readonly plant?: Plant | undefined;
  /** Settings of the connection besides the required ones. */
  readonly connection?: object;
  /** Instead of one that lists what is there. */
  readonly source?: (world: SmallWorld) => SourceApi;
}

/** A company of a few timesheets that remembers each state that each had, and hears every event. */
export class SmallWorld extends PollHarness {
  override publishMs = CALL_MS;
  readonly #plant: Plant;
  readonly #source: SourceApi | undefined;
  /** Every state of a record, in the order of time, with null where it was not there. */
  readonly #states = new Map<string, (string | null)[]>();
  /** A first baseline tells nothing: what is there then counts as told. */
  readonly #baseline = new Map<string, string>();

  constructor({ plant = (ports) => ports, connection, source }: SmallWorldOptions = {}) {
    const window = { backDays: 2, forwardDays: 2 };
    super({ connection: { window, ...connection }, requestMs: CALL_MS, pollMs: POLL_MS });
    this.#plant = plant;
    this.#source = source?.(this);
  }

  apply(step: Step): void {
    const { id } = step;
    const states = this.#states.get(id) ?? [null];
    this.#states.set(id, states);
    if (step.kind === 'remove') {
      this.remove(id);
      states.push(null);
      return;
    }
    const record = { ...(this.get(id) ?? timesheet({ id })), ...step.values };
    this.put(record);
    states.push(describeState(record));
  }

  /** One poll of all dates, with ports that may go wrong. */
  async pollAll(
    rewire: (ports: PollPorts) => PollPorts = (ports) => ports,
    feed: FeedName = 'timesheets',
  ): Promise<void> {
    await this.pollOnce({ feed, scope: 'window' }, ({ source, ...ports }) =>
      this.#plant(rewire({ ...ports, source: this.#source ?? source })),
    );
  }

  /** A poll in which nothing goes wrong, a while later. */
  async pollLater(): Promise<void> {
    this.now += LONG_MS;
    await this.pollAll();
  }

  /** What was told that is not so, and what is so and was not told. Empty once all is well. */
  findFaults(): string[] {
    const events = this.told();
    const faults: string[] = [];
    for (const [id, texts] of Map.groupBy(events, (event) => event.id))
      if (new Set(texts.map(({ text }) => text)).size > 1) faults.push(`${id} has two texts`);
    const subjects = new Set([...events.map(({ subject }) => subject), ...this.#states.keys()]);
    for (const subject of subjects)
      faults.push(
        ...this.#findFaultsOf(
          subject,
          events.filter((event) => event.subject === subject),
        ),
      );
    return faults;
  }

  /** Every event that was published. */
  told(): ToldEvent[] {
    return this.texts.map(readEvent);
  }

  #findFaultsOf(subject: string, told: readonly ToldEvent[]): string[] {
    const bySequence = new Map(told.map((event) => [event.sequence, event]));
    const ordered = [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
    const gap = ordered.findIndex(({ sequence }, index) => sequence !== index + 1);
    const faults = gap === -1 ? [] : [`${subject} has no event ${gap + 1}`];
    const known = this.#states.get(subject) ?? [null];
    // States may be left out, and never come in another order.
    let at = 0;
    for (const { state, sequence } of ordered) {
      while (at < known.length && known[at] !== state) at += 1;
      if (at === known.length) return [...faults, `${subject} was never ${state} at event ${sequence}`];
    }
    const last = ordered.at(-1);
    const current = this.get(subject);
    const now = current === undefined ? null : describeState(current);
    const wasTold = last === undefined ? (this.#baseline.get(subject) ?? null) : last.state;
    return wasTold === now ? faults : [...faults, `${subject} is ${now}, and ${wasTold} was told`];
  }

  /** Polls until the first baseline is complete. */
  async settle(): Promise<void> {
    for (let polls = 0; polls < 2; polls += 1) await this.pollLater();
    for (const record of this.timesheets) this.#baseline.set(record.id, describeState(record));
    this.now += LONG_MS;
  }
}

function describeState({ date, hoursToPay, approvedHours }: Readonly<Record<string, unknown>>): string {
  return `${date}, ${hoursToPay} h${approvedHours == null ? '' : ', approved'}`;
}

function readEvent(text: string): ToldEvent {
  const event = JSON.parse(text) as {
    readonly id: string;
    readonly subject?: string;
    readonly type: string;
    readonly sequence: number;
    readonly data: { readonly current?: Readonly<Record<string, unknown>> | null };
  };
  const current = event.data.current ?? null;
  const { id, type, sequence } = event;
  // Operations, whatever they are about, are counted together.
  const subject = type.includes('.timesheet.') ? (event.subject ?? '') : 'the feed';
  return { id, type, text, subject, sequence, state: current === null ? null : describeState(current) };
}
