import type { RecordEventType } from '../event-types.ts';
import { toHours, toUnits } from '../periods/counted-hours.ts';
import type { FeedDefinition } from '../records/feed-definition.ts';
import type { LateAfter, Lateness } from './lateness.ts';
import type { Transition } from './transitions.ts';

/**
 * Something that happened to a timesheet too late or was taken back, and that its next processing ends; or the
 * reopening of a pay period, which its next closing ends.
 */
export interface OpenMatter {
  readonly type: RecordEventType;
  readonly sequence: number;
  readonly late: readonly LateAfter[];
  /** Of a reversal of processing: the hours with which the timesheet had been processed. */
  readonly hours?: number;
}

/**
 * Open matters are remembered beside the sequences of forward events: by field, or `created` and `changed`, the
 * sequence times 8, plus a bit for each of these.
 */
const OPEN_PREFIX = 'open:';
const LATE_BITS: readonly LateAfter[] = ['approval', 'processing', 'close'];
const BITS = 2 ** LATE_BITS.length;
/** Beside them: the hours with which a timesheet was processed, once they changed. */
const PAID = 'open:paid';
/** And that a closed pay period has gained it since. */
const GAINED = 'open:gained';
/** And, once its processing was reverted, the hours with which it had been processed. */
const REVERTED = 'open:hours';

type Sent = Readonly<Record<string, number>>;

/**
 * The late creation, the last late change, and the reversals of an approval or of processing since a timesheet was
 * processed: what its processing ends. The reopening of a pay period that closes again. None for any other step.
 */
export function findEndedMatters({
  definition,
  transition,
  sent,
}: Step & { readonly sent: Sent }): OpenMatter[] {
  if (!endsMatters(definition, transition)) return [];
  return listOpenMatters(definition, sent);
}

/** What is open of a record as it is stored, in the order of its events. */
function listOpenMatters(definition: FeedDefinition, sent: Sent): OpenMatter[] {
  return Object.entries(sent)
    .flatMap(([name]) => readMatter(definition, name, sent))
    .sort((a, b) => a.sequence - b.sequence);
}

/** The hours with which a timesheet was processed, in units, where they changed since; null where they did not. */
export function readPaidUnits(sent: Sent): number | null {
  return sent[PAID] ?? null;
}

/** Whether a closed pay period has gained a timesheet since it was processed. */
export function wasGained(sent: Sent): boolean {
  return sent[GAINED] !== undefined;
}

interface Step {
  readonly definition: FeedDefinition;
  readonly transition: Transition;
}

/** Remembers the forward event of a fact until it ends, so that its reversal can name it. */
export function recordSent(
  sent: Record<string, number>,
  { kind, fact, changed, to }: Transition,
  sequence: number,
): void {
  for (const field of changed) if (to?.[field] == null) delete sent[field];
  if (kind === 'forward' && fact !== null) sent[fact.field] = sequence;
}

/** Remembers what a step leaves open, and forgets what it ends. */
export function recordMatter(
  sent: Record<string, number>,
  { definition, transition }: Step,
  { sequence, late, closedPeriods = [] }: Omit<OpenMatter, 'type'> & Partial<Lateness>,
): void {
  if (endsMatters(definition, transition)) {
    for (const name of Object.keys(sent)) if (name.startsWith(OPEN_PREFIX)) delete sent[name];
    return;
  }
  if (closedPeriods.some(({ effect }) => effect === 'gains')) sent[GAINED] = 1;
  const [before, after] = [transition.from?.hoursToPay, transition.to?.hoursToPay];
  if (late.includes('processing') && typeof before === 'number' && before !== after)
    sent[PAID] ??= toUnits(before);
  if (
    transition.kind === 'reversal' &&
    transition.fact?.field === definition.settledBy &&
    typeof before === 'number'
  )
    sent[REVERTED] = sent[PAID] ?? toUnits(before);
  const name = nameMatter(definition, transition, late);
  if (name === null) return;
  const bits = LATE_BITS.reduce((sum, each, bit) => sum + (late.includes(each) ? 2 ** bit : 0), 0);
  sent[`${OPEN_PREFIX}${name}`] = sequence * BITS + bits;
}

function endsMatters({ settledBy }: FeedDefinition, { kind, fact }: Transition): boolean {
  return kind === 'forward' && fact?.field === settledBy;
}

function nameMatter(
  { name }: FeedDefinition,
  { kind, fact }: Transition,
  late: readonly LateAfter[],
): string | null {
  // A change of a closed period stays: its closing is not undone by it.
  if (name === 'pay-periods' && kind !== 'reversal') return null;
  // Approvals have no correction; clockings do, and one that is removed is entered again.
  if (kind === 'reversal') return fact === null || fact.corrected !== undefined ? null : fact.field;
  return (kind === 'created' || kind === 'changed') && late.length > 0 ? kind : null;
}

function readMatter(definition: FeedDefinition, name: string, sent: Sent): OpenMatter[] {
  if (!name.startsWith(OPEN_PREFIX)) return [];
  const field = name.slice(OPEN_PREFIX.length);
  const type = findType(definition, field);
  if (type === null) return [];
  const { [name]: value = 0, [REVERTED]: hours } = sent;
  const bits = value % BITS;
  const late = LATE_BITS.filter((_, bit) => Math.floor(bits / 2 ** bit) % 2 === 1);
  const matter = { type, sequence: (value - bits) / BITS, late };
  return [
    field === definition.settledBy && hours !== undefined ? { ...matter, hours: toHours(hours) } : matter,
  ];
}

function findType({ created, changed, facts }: FeedDefinition, name: string): RecordEventType | null {
  if (name === 'created') return created;
  if (name === 'changed') return changed;
  return facts.find(({ field }) => field === name)?.reversal ?? null;
}
