import { computed, signal } from '@preact/signals';
import { connection, overview, status } from '../data/feed.ts';

/** Grows every second, so that ages are drawn again. Who hears nothing any more does not know what time it is. */
const tick = signal(0);
window.setInterval(() => {
  if (connection.value !== 'lost') tick.value += 1;
}, 1_000);

/** The clock of the notifier, in milliseconds since 1970; simulated with the sample company. Null until it is known. */
export const companyNow = computed<number | null>(() => {
  void tick.value;
  const known = status.value;
  if (known === null) return overview.value?.status.now ?? null;
  return known.value.now + (performance.now() - known.receivedAt) * known.value.speed;
});

/** A smaller age would only count the seconds since the last poll. */
const JUST_NOW_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `20 s`, `3 min`, `5 h`, `2 days`. */
export function formatDuration(milliseconds: number): string {
  const past = Math.max(0, milliseconds);
  if (past < MINUTE_MS) return `${Math.floor(past / 1_000)} s`;
  if (past < 2 * HOUR_MS) return `${Math.floor(past / MINUTE_MS)} min`;
  if (past < 2 * DAY_MS) return `${Math.floor(past / HOUR_MS)} h`;
  return `${Math.floor(past / DAY_MS)} days`;
}

/** Such as `3 min ago`, by the clock of the notifier. */
export function formatAge(instant: string): string {
  const now = companyNow.value;
  if (now === null) return '';
  const age = now - Date.parse(instant);
  return age < JUST_NOW_MS ? 'just now' : `${formatDuration(age)} ago`;
}
