import type { LateAfter } from '../../lateness/lateness.ts';
import type { RecordEventType } from '../event-types.ts';
import type { FeedDefinition, Marker } from '../records/feed-definition.ts';
import type { Transition } from './transitions.ts';

/**
 * Something that happened to a timesheet too late or was taken back, and that its next processing settles; or the
 * reopening of a pay period, which its next closing settles.
 */
export interface OpenMatter {
  readonly type: RecordEventType;
  readonly sequence: number;
  readonly late: readonly LateAfter[];
}

/**
 * Open matters are remembered beside the sequences of forward events: by field, or `created` and `changed`, the
 * sequence times 8, plus a bit for each of these.
 */
const PREFIX = 'open:';
const LATE_BITS: readonly LateAfter[] = ['approval', 'processing', 'close'];
const BITS = 2 ** LATE_BITS.length;

type Sent = Readonly<Record<string, number>>;

/**
 * The late creation, the last late change, and the reversals of an approval or of processing since a timesheet was
 * processed: what its processing settles. The reopening of a pay period that closes again. None for any other step.
 */
export function findSettled({ definition, transition, sent }: Step & { readonly sent: Sent }): OpenMatter[] {
  if (!settles(definition, transition)) return [];
  return Object.entries(sent)
    .flatMap(([name, value]) => readMatter(definition, name, value))
    .sort((a, b) => a.sequence - b.sequence);
}

interface Step {
  readonly definition: FeedDefinition;
  readonly transition: Transition;
}

/** Remembers the forward event of a fact, so that its reversal can name it. */
export function recordSent(
  sent: Record<string, number>,
  { kind, marker }: Transition,
  sequence: number,
): void {
  if (marker === null) return;
  if (kind === 'forward') sent[marker.field] = sequence;
  if (kind === 'reversal') delete sent[marker.field];
}

/** Remembers what a step leaves open, and forgets what it settles. */
export function recordMatter(
  sent: Record<string, number>,
  { definition, transition }: Step,
  { sequence, late }: Omit<OpenMatter, 'type'>,
): void {
  if (settles(definition, transition)) {
    for (const name of Object.keys(sent)) if (name.startsWith(PREFIX)) delete sent[name];
    return;
  }
  const name = nameMatter(definition, transition, late);
  if (name === null) return;
  const bits = LATE_BITS.reduce((sum, each, bit) => sum + (late.includes(each) ? 2 ** bit : 0), 0);
  sent[`${PREFIX}${name}`] = sequence * BITS + bits;
}

function settles({ settledBy }: FeedDefinition, { kind, marker }: Transition): boolean {
  return kind === 'forward' && marker?.field === settledBy;
}

function nameMatter(
  { name }: FeedDefinition,
  { kind, marker }: Transition,
  late: readonly LateAfter[],
): string | null {
  // A change of a closed period stays: its closing is not undone by it.
  if (name === 'pay-periods' && kind !== 'reversal') return null;
  // Approvals have no correction; clockings do, and one that is removed is entered again.
  if (kind === 'reversal') return marker === null || isAboutClocking(marker) ? null : marker.field;
  return (kind === 'created' || kind === 'changed') && late.length > 0 ? kind : null;
}

function isAboutClocking({ corrected, derived }: Marker): boolean {
  return corrected !== undefined || derived === true;
}

function readMatter(definition: FeedDefinition, name: string, value: number): OpenMatter[] {
  if (!name.startsWith(PREFIX)) return [];
  const type = findType(definition, name.slice(PREFIX.length));
  if (type === null) return [];
  const bits = value % BITS;
  const late = LATE_BITS.filter((_, bit) => Math.floor(bits / 2 ** bit) % 2 === 1);
  return [{ type, sequence: (value - bits) / BITS, late }];
}

function findType({ created, changed, markers }: FeedDefinition, name: string): RecordEventType | null {
  if (name === 'created') return created;
  if (name === 'changed') return changed;
  return markers.find(({ field }) => field === name)?.reversal ?? null;
}
