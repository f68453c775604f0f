import type { Told } from './evidence.ts';

/** Fields that hold since when a clocking is missing. Time alone sets them, so no version of a record has them. */
const ABSENCE_FIELDS: ReadonlySet<string> = new Set(['clockInMissing', 'clockOutMissing']);

export function isAbsence({ type }: Pick<Told, 'type'>): boolean {
  return type.includes('_missing');
}

/** What an event says of missing clockings that ended with it, each as if it were an event of its own. */
export function listEnded(told: Told): Told[] {
  const changed = (told.data.changed ?? []) as readonly string[];
  return [
    ...(changed.includes('clockInMissing') ? [{ ...told, type: 'clock_in_ended' }] : []),
    ...(changed.includes('clockOutMissing') ? [{ ...told, type: 'clock_out_ended' }] : []),
  ];
}

/** Data as it is without the option for missing clockings. */
export function withoutAbsences({ current, previous, changed, ...data }: Told['data']): Told['data'] {
  return {
    ...data,
    ...(changed === undefined
      ? {}
      : { changed: (changed as readonly string[]).filter((field) => !ABSENCE_FIELDS.has(field)) }),
    ...(current === undefined ? {} : { current: withoutFields(current) }),
    ...(previous === undefined ? {} : { previous: withoutFields(previous) }),
  };
}

function withoutFields(state: unknown): unknown {
  if (typeof state !== 'object' || state === null) return state;
  return Object.fromEntries(Object.entries(state).filter(([name]) => !ABSENCE_FIELDS.has(name)));
}
