import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { Evidence, Told } from './evidence.ts';

const DAY_MS = 86_400_000;
/** Clocks differ by less. */
const CLOCK_SKEW_MS = 15_000;

/**
 * A record begins a later epoch only when it returns after its tombstone has expired (rule 16 of docs/architecture.md).
 */
export function judgeEpochs(evidence: Evidence): void {
  for (const feed of FEED_NAMES) {
    for (const [id, events] of evidence.told[feed]) {
      for (const [index, told] of events.entries()) {
        const before = events[index - 1];
        if (before === undefined || before.epoch === told.epoch) continue;
        const wrong = wrongBeginning(evidence, before, told);
        if (wrong !== null) evidence.violate(`${feed} ${id}`, `begins anew ${wrong}`);
      }
    }
  }
}

function wrongBeginning(evidence: Evidence, before: Told, told: Told): string | null {
  const { retentionDays } = evidence.history.settings.connection;
  if (!before.type.endsWith('.removed')) return `though it was not removed before ${told.type}`;
  if (!told.type.endsWith('.created')) return `with ${told.type}`;
  if (evidence.isUncertain || told.by - before.by >= retentionDays * DAY_MS - CLOCK_SKEW_MS) return null;
  return `${Math.round((told.by - before.by) / 1_000)} s after it was removed`;
}
