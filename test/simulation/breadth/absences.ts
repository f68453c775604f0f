import type { Connection } from '#shared/config/schema/connection.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import type { Random } from '../random.ts';
import type { Settings } from '../settings.ts';
import type { Breadth } from './breadth.ts';

const MINUTE_MS = 60_000;

type AbsenceSetting = NonNullable<Connection['absences']>;

/** The option for missing clockings, and another setting that is deployed at an instant. */
export interface AbsenceSettings {
  readonly first: AbsenceSetting | undefined;
  /** The first thresholds are in force from the beginning, not only a quarter of an hour later. */
  readonly inForce: boolean;
  readonly changed: { readonly at: number; readonly setting: AbsenceSetting | undefined } | null;
}

export function drawAbsences({ ticks }: Settings, random: Random): AbsenceSettings {
  const first = random.chance(0.85) ? drawSetting(random) : undefined;
  const inForce = first !== undefined && random.chance(0.8);
  if (first !== undefined && !random.chance(0.3)) return { first, inForce, changed: null };
  const at = random.pick(ticks.slice(1)) - random.between(1, MINUTE_MS / 2);
  const setting = first === undefined || random.chance(0.7) ? drawSetting(random) : undefined;
  return { first, inForce, changed: { at, setting } };
}

/** Short, since most histories last some hours. */
function drawSetting(random: Random): AbsenceSetting {
  const clockIn = { clockInMinutes: random.pick([1, 2, 5, 15, 90]) };
  const clockOut = { clockOutHours: random.pick([0.02, 0.1, 0.5, 3]) };
  return { ...(random.chance(0.85) ? clockIn : {}), ...clockOut };
}

/** A store whose first thresholds have been in force for long. */
export function inForceStore(store: SnapshotStore, { absences }: Pick<Breadth, 'absences'>): SnapshotStore {
  if (absences?.inForce !== true) return store;
  return {
    ...store,
    loadFeedState: async (feed) => {
      const stored = await store.loadFeedState(feed);
      const [first, ...later] = stored?.state.absences ?? [];
      if (stored === null || first === undefined) return stored;
      return { ...stored, state: { ...stored.state, absences: [{ ...first, since: 0 }, ...later] } };
    },
  };
}

/** The setting at an instant. */
export function absencesAt({ first, changed }: AbsenceSettings, instant: number): AbsenceSetting | undefined {
  return changed === null || instant < changed.at ? first : changed.setting;
}
