import type { Told } from './evidence.ts';

/** Fields that hold since when a clocking is missing. Time alone sets them, so no version of a record has them. */
const ABSENCE_FIELDS: ReadonlySet<string> = new Set(['clockInMissing', 'clockOutMissing']);

export function isAbsence({ type }: Pick<Told, 'type'>): boolean {
  return type.includes('_missing');
}

/** Data as it is without the option for missing clockings. */
export function withoutAbsences({ current, previous, ...data }: Told['data']): Told['data'] {
  return {
    ...data,
    ...(current === undefined ? {} : { current: withoutFields(current) }),
    ...(previous === undefined ? {} : { previous: withoutFields(previous) }),
  };
}

function withoutFields(state: unknown): unknown {
  if (typeof state !== 'object' || state === null) return state;
  return Object.fromEntries(Object.entries(state).filter(([name]) => !ABSENCE_FIELDS.has(name)));
}
