import * as z from 'zod';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';

const instant = z.number();

/**
 * The state of a feed in its first format. It must not change: versions that know only this format refuse a state with
 * other members. Later members are stored in an attribute of their own, which those versions ignore.
 */
const firstFormat = z.object({
  revision: z.int(),
  sequence: z.int(),
  baseline: z
    .object({ from: z.string(), to: z.string(), startedAt: instant, completedAt: instant.nullable() })
    .nullable(),
  coverage: z.record(
    z.string(),
    z.object({
      at: instant,
      revision: z.int(),
      unseen: z.record(z.string(), instant.nullable()).optional(),
    }),
  ),
  failedPolls: z.int(),
  unreachableSince: instant.nullable(),
  failingSince: instant.nullable(),
  completedAt: instant.nullable(),
  stalledSince: instant.nullable(),
  quarantined: z.object({ day: z.string(), marks: z.array(z.string()) }),
  shrunk: z.record(z.string(), z.object({ since: instant })),
  // No version reads these strictly.
  payPeriods: z.array(z.unknown()),
  pulls: z.record(z.string(), z.object({ totals: z.string(), at: instant })),
  loadFrom: z.string().nullable(),
  extendedAt: instant.optional(),
});

/** Later members, and the revision of the state that they were written with. */
const additionsSchema = z.object({ revision: z.int(), members: z.record(z.string(), z.unknown()) });

/** A state as it is stored: two JSON texts. `additions` is null when the first format holds all members. */
export interface StateTexts {
  readonly body: string;
  readonly additions: string | null;
}

export function writeState(state: FeedState): StateTexts {
  const first: Readonly<Record<string, unknown>> = firstFormat.parse(state);
  const members = Object.entries(state).filter(
    ([name, value]) => !isStored(value, first[name]) && !isStored(value, EMPTY[name]),
  );
  const additions = { revision: state.revision, members: Object.fromEntries(members) };
  return {
    body: JSON.stringify(first),
    additions: members.length === 0 ? null : JSON.stringify(additions),
  };
}

/** Initial values: a member that has its own is not stored, and read as this. */
const EMPTY: Readonly<Record<string, unknown>> = EMPTY_FEED_STATE;

function isStored(value: unknown, stored: unknown): boolean {
  return value === undefined || JSON.stringify(value) === JSON.stringify(stored);
}

/** Members of a state, not validated yet. */
export interface ReadState {
  readonly members: Readonly<Record<string, unknown>>;
  /** The last write was by a version that knows only the first format, and left the additions behind. */
  readonly isOutdated: boolean;
}

/** Throws `SyntaxError` or `ZodError` when the texts are not a state. */
export function readState({ body, additions }: StateTexts): ReadState {
  const first = z.record(z.string(), z.unknown()).parse(JSON.parse(body));
  if (additions === null) return { members: first, isOutdated: false };
  const { revision, members } = additionsSchema.parse(JSON.parse(additions));
  if (revision === first.revision) return { members: { ...first, ...members }, isOutdated: false };
  return { members: { ...members, ...first }, isOutdated: true };
}
