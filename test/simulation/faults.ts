import { SOURCE_ERROR_CODES, type SourceErrorCode } from '#shared/core/errors.ts';
import type { Random } from './random.ts';
import { DATE_FAILURES, type DateSpell, RECORD_FAILURES, type RecordSpell } from './spells.ts';

export const STORE_CALLS = [
  'takeLease',
  'renewLease',
  'giveBack',
  'commit',
  'loadHeads',
  'readBuckets',
  'readLog',
] as const;
export type StoreCall = (typeof STORE_CALLS)[number];
/** Port calls at which a poll may crash or freeze. */
export type PortCall = StoreCall | 'page' | 'lookUp' | 'publish';
const PORT_CALLS: readonly PortCall[] = [...STORE_CALLS, 'page', 'lookUp', 'publish'];

/** Faults of a source in one reading of a list. */
export const WALK_FAULTS = [
  'duplicate_ids',
  'empty_list',
  'growing_pages',
  'other_dates',
  'lagging_list',
  'shuffled_pages',
  'wrong_total',
  'truncated_walk',
  'facts_gone',
] as const;
export type WalkFault = (typeof WALK_FAULTS)[number];

export type FaultKind =
  | WalkFault
  | `error:${SourceErrorCode}`
  | `look_up:${SourceErrorCode}`
  | 'outage'
  | 'poison_record'
  | 'slow_source'
  | 'small_pages'
  | `store_error_before:${StoreCall}`
  | `store_error_after:${StoreCall}`
  | `crash_before:${PortCall}`
  | `crash_after:${PortCall}`
  | `freeze_before:${PortCall}`
  | `freeze_after:${PortCall}`
  | 'short_deadline'
  | 'downtime'
  | 'overlapping_polls'
  | 'lease_taken'
  | 'publish_partly'
  | 'publish_nothing'
  | 'publish_answer_lost'
  | 'moving_list'
  | 'skewed_clock'
  | 'clock_a_day_off'
  | `date:${DateSpell['failure']}`
  | `by_id:${NonNullable<RecordSpell['failure']>}`
  | 'hidden_record'
  | 'topic_refused'
  | 'event_refused'
  | 'totals_wrong'
  | 'members_of_some'
  | 'table_unknown'
  | 'other_notation'
  | 'follow_up_lost'
  | 'restored'
  | 'installed_anew';

/** Groups of faults; a history draws some of the groups. */
const GROUPS: readonly { readonly kinds: readonly FaultKind[]; readonly rate: number }[] = [
  ...WALK_FAULTS.map((kind) => ({ kinds: [kind], rate: 0.12 })),
  { kinds: SOURCE_ERROR_CODES.map((code) => `error:${code}` as const), rate: 0.06 },
  { kinds: SOURCE_ERROR_CODES.map((code) => `look_up:${code}` as const), rate: 0.15 },
  { kinds: ['outage'], rate: 0.1 },
  { kinds: ['poison_record'], rate: 0.15 },
  { kinds: ['slow_source'], rate: 0.2 },
  { kinds: ['small_pages'], rate: 1 },
  { kinds: STORE_CALLS.map((call) => `store_error_before:${call}` as const), rate: 0.015 },
  { kinds: STORE_CALLS.map((call) => `store_error_after:${call}` as const), rate: 0.015 },
  { kinds: PORT_CALLS.map((call) => `crash_before:${call}` as const), rate: 0.03 },
  { kinds: PORT_CALLS.map((call) => `crash_after:${call}` as const), rate: 0.03 },
  { kinds: PORT_CALLS.map((call) => `freeze_before:${call}` as const), rate: 0.015 },
  { kinds: PORT_CALLS.map((call) => `freeze_after:${call}` as const), rate: 0.015 },
  { kinds: ['short_deadline'], rate: 0.3 },
  { kinds: ['downtime'], rate: 0.15 },
  { kinds: ['overlapping_polls'], rate: 0.3 },
  { kinds: ['publish_partly'], rate: 0.3 },
  { kinds: ['publish_nothing'], rate: 0.2 },
  { kinds: ['publish_answer_lost'], rate: 0.2 },
  { kinds: ['moving_list'], rate: 1 },
  { kinds: ['skewed_clock'], rate: 0.5 },
  { kinds: ['clock_a_day_off'], rate: 0.1 },
  { kinds: DATE_FAILURES.map((failure) => `date:${failure}` as const), rate: 1 },
  { kinds: RECORD_FAILURES.map((failure) => `by_id:${failure}` as const), rate: 1 },
  { kinds: ['hidden_record'], rate: 1 },
  { kinds: ['topic_refused'], rate: 1 },
  { kinds: ['event_refused'], rate: 0.02 },
  { kinds: ['totals_wrong'], rate: 0.15 },
  { kinds: ['members_of_some'], rate: 1 },
  { kinds: ['table_unknown'], rate: 0.15 },
  { kinds: ['other_notation'], rate: 0.3 },
  { kinds: ['follow_up_lost'], rate: 0.2 },
];

/** Share of histories without faults, and share of groups in the others. */
const CALM_SHARE = 0.1;
const GROUP_SHARES = [0.06, 0.15, 0.35, 0.6] as const;

export const FAULT_KINDS: readonly FaultKind[] = [
  ...new Set([...GROUPS.flatMap(({ kinds }) => kinds), 'lease_taken', 'restored', 'installed_anew'] as const),
];

/** Decides which faults strike in a history, and counts them. */
export class Faults {
  readonly counts = new Map<FaultKind, number>();
  readonly #rates = new Map<FaultKind, number>();
  readonly #random: Random;
  #over = false;

  constructor(random: Random) {
    this.#random = random;
    const share = random.chance(CALM_SHARE) ? 0 : random.pick(GROUP_SHARES);
    for (const { kinds, rate } of GROUPS)
      if (random.chance(share)) for (const kind of kinds) this.#rates.set(kind, rate);
  }

  /** Whether a fault strikes now. The caller counts it with `note` once it has had its effect. */
  strikes(kind: FaultKind): boolean {
    return !this.#over && this.#random.chance(this.#rates.get(kind) ?? 0);
  }

  note(kind: FaultKind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  /** Draws and counts at once, for faults that take effect immediately. */
  happens(kind: FaultKind): boolean {
    if (!this.strikes(kind)) return false;
    this.note(kind);
    return true;
  }

  /** Whether the fault is possible in this history. */
  has(kind: FaultKind): boolean {
    return this.#rates.has(kind);
  }

  /** Whether none is. */
  get isCalm(): boolean {
    return this.#rates.size === 0;
  }

  /** Ends all faults. */
  end(): void {
    this.#over = true;
  }

  get random(): Random {
    return this.#random;
  }
}
