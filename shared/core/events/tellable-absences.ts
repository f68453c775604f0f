import { toIso } from '../dates.ts';
import type { FeedDefinition, State } from '../records/feed-definition.ts';
import type { Json } from '../records/fields.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';

/**
 * A clocking that has been missing for longer is not published any more: whoever is entered for last week without clockings
 * needs no reminder.
 */
const MAX_TELLING_DELAY_MS = 24 * 3_600_000;

interface States {
  readonly before: State | null;
  readonly after: State | null;
}

/** With what was published of the record so far, and an instant at which its present state was seen for certain. */
interface Telling {
  readonly before: { readonly row: Pick<LeafRow, 'sent'> } | null;
  readonly seenAt: number;
}

/**
 * The states between which steps are sought: what time alone made of a record counts as before when it was published,
 * and as now unless it is too late to begin with it. So it is published at most once until it ends, and only of what was
 * published the end is told, whatever the rows say.
 */
export function findTellableStates(definition: FeedDefinition, states: States, telling: Telling): States {
  const fields = definition.facts.filter(({ derived }) => derived === true).map(({ field }) => field);
  if (fields.length === 0) return states;
  if (states.after === null) return { before: showRemoved(definition, states.before, telling), after: null };
  const before: Record<string, Json> = { ...states.before };
  const after: Record<string, Json> = { ...states.after };
  for (const field of fields) {
    const isPublished = telling.before?.row.sent[field] !== undefined;
    const known = before[field] ?? null;
    const now = isPublished || !isTooLate(after[field], telling) ? (after[field] ?? null) : null;
    delete before[field];
    delete after[field];
    if (!isPublished && now === null) continue;
    after[field] = now;
    before[field] = isPublished ? (now ?? known ?? toIso(telling.seenAt)) : null;
  }
  return { before: states.before === null ? null : before, after };
}

function showRemoved(definition: FeedDefinition, state: State | null, { before }: Telling): State | null {
  return state === null || before === null ? state : pickPublished(definition, state, before.row);
}

/** The state of a record without what time alone made of it and was never published. */
export function pickPublished(
  definition: FeedDefinition,
  state: State,
  { sent }: Pick<LeafRow, 'sent'>,
): State {
  const unpublished = definition.facts.filter(
    ({ field, derived }) => derived === true && sent[field] === undefined,
  );
  const hidden = new Set(unpublished.map(({ field }) => field as string));
  return Object.fromEntries(Object.entries(state).filter(([name]) => !hidden.has(name)));
}

function isTooLate(since: Json, { seenAt }: Telling): boolean {
  return typeof since === 'string' && seenAt - Date.parse(since) > MAX_TELLING_DELAY_MS;
}
