import type { CoveredPoll } from '../../routes/coverage.ts';
import { formatDuration } from '../parts/clock.ts';

/** A number of each poll. */
export interface Measure {
  readonly label: string;
  /** Null where nothing was published. */
  readonly read: (poll: CoveredPoll) => number | null;
  readonly format: (value: number) => string;
}

export const MEASURES: readonly Measure[] = [
  { label: 'Requests', read: ({ requests }) => requests, format: String },
  { label: 'Throttled (429)', read: ({ throttled }) => throttled, format: String },
  { label: 'Changes', read: ({ changes }) => changes, format: String },
  { label: 'Seen to published', read: ({ lagMs }) => lagMs, format: formatLag },
];

function formatLag(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : formatDuration(milliseconds);
}
