import { type Connection, connectionSchema } from '#shared/config/schema/connection.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import type { PollPorts } from '#shared/flow/poll/poll-run.ts';
import type { EventPublisher, SourceApi } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import { type SampleRecord, timesheet } from '#test/support/builders.ts';
import { createMemorySnapshotStore, type MemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import type { Plant } from './proof.ts';

const START = Date.parse('2026-03-05T01:00:00.000Z');
/** Longer than any lease. */
const LONG_MS = 30 * 60_000;
const CALL_MS = 5;
const POLL_MS = 50_000;

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

const CONNECTION: Connection = connectionSchema.parse({
  name: 'main',
  baseUrl: 'https://workforce.example.com',
  timeZone: 'UTC',
  secretName: 'main',
  window: { backDays: 2, forwardDays: 2 },
});

export interface SmallWorldOptions {
  readonly plant?: Plant | undefined;
  readonly connection?: Connection;
  /** Instead of one that lists what is there. */
  readonly source?: (world: SmallWorld) => SourceApi;
}

/** A company of a few timesheets that remembers each state that each had, and hears every event. */
export class SmallWorld {
  readonly connection: Connection;
  readonly store: MemorySnapshotStore = createMemorySnapshotStore();
  readonly texts: string[] = [];
  now = START;
  readonly #plant: Plant;
  readonly #source: SourceApi;
  readonly #records = new Map<string, SampleRecord>();
  /** Every state of a record, in the order of time, with null where it was not there. */
  readonly #states = new Map<string, (string | null)[]>();
  #polls = 0;

  constructor({ plant = (ports) => ports, connection = CONNECTION, source }: SmallWorldOptions = {}) {
    this.#plant = plant;
    this.connection = connection;
    this.#source = source?.(this) ?? this.#ownSource();
  }

  apply(step: Step): void {
    const { id } = step;
    const states = this.#states.get(id) ?? [null];
    this.#states.set(id, states);
    if (step.kind === 'remove') {
      this.#records.delete(id);
      states.push(null);
      return;
    }
    const record = { ...(this.#records.get(id) ?? timesheet({ id })), ...step.values };
    this.#records.set(id, record);
    states.push(describeState(record));
  }

  #ports(): PollPorts {
    return {
      source: this.#source,
      store: this.store,
      publisher: this.#publisher(),
      clock: { now: () => this.now },
      telemetry: { report: () => {} },
    };
  }

  /** One poll of all dates, with ports that may go wrong. */
  async poll(
    rewire: (ports: PollPorts) => PollPorts = (ports) => ports,
    feed: FeedName = 'timesheets',
  ): Promise<void> {
    this.#polls += 1;
    const request = { connection: this.connection, scope: 'window' } as const;
    const input = { feed, request, runId: `run-${this.#polls}` } as const;
    await poll({ ...input, deadline: this.now + POLL_MS }, this.#plant(rewire(this.#ports())));
  }

  /** A poll in which nothing goes wrong, a while later. */
  async pollLater(): Promise<void> {
    this.now += LONG_MS;
    await this.poll();
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

  /** What the source has now. */
  records(): readonly SampleRecord[] {
    return [...this.#records.values()];
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
    const current = this.#records.get(subject);
    const now = current === undefined ? null : describeState(current);
    const wasTold = last === undefined ? (this.#baseline.get(subject) ?? null) : last.state;
    return wasTold === now ? faults : [...faults, `${subject} is ${now}, and ${wasTold} was told`];
  }

  readonly #baseline = new Map<string, string>();

  /** A first baseline tells nothing: what is there now counts as told. */
  async settle(): Promise<void> {
    for (let polls = 0; polls < 2; polls += 1) await this.pollLater();
    for (const [id, record] of this.#records) this.#baseline.set(id, describeState(record));
    this.now += LONG_MS;
  }

  #tick() {
    const requestedAt = this.now;
    this.now += CALL_MS;
    return { requestedAt, receivedAt: this.now };
  }

  #ownSource(): SourceApi {
    return {
      counts: () => ({ requests: 0, throttled: 0 }),
      lookUp: async (_, id) => {
        const record = this.#records.get(id);
        const times = this.#tick();
        return record === undefined ? { outcome: 'gone', ...times } : { outcome: 'found', record, ...times };
      },
      pages: (_, range) =>
        walkPages(async () => {
          const records = [...this.#records.values()].filter(
            ({ date }) => range !== null && range.from <= String(date) && String(date) <= range.to,
          );
          const { length } = records;
          const pagination = { page: 1, pageSize: 100, totalPages: 1, totalRecords: length, nextPage: '' };
          return { records, pagination, ...this.#tick() };
        }),
    };
  }

  #publisher(): EventPublisher {
    return {
      publish: async (texts) => {
        this.now += CALL_MS;
        this.texts.push(...texts);
        return { published: texts.length, unpublished: [], requests: 1 };
      },
    };
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
