import { SOURCE_ERROR_CODES } from '../errors.ts';

/** Why a slice was not read, or not whole: names that are stored. `reasons.ts` says what each means. */
export const LOOK_REASONS = [
  ...SOURCE_ERROR_CODES,
  'no_time',
  'drifted',
  'page_loop',
  'nameless',
  'undated',
  'absences_unknown',
  'slice_failed',
] as const;
export type LookReason = (typeof LOOK_REASONS)[number];
