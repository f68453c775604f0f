import { FEED_NAMES } from '#shared/core/feeds.ts';
import type { Evidence, Told } from './evidence.ts';
import type { FirstLooks } from './first-looks.ts';
import { forgottenFrom, mayHaveReturned } from './forgotten.ts';
import { saysGone, saysNew } from './reading.ts';

/**
 * A record begins anew, in a later epoch, when it comes back after its removal was forgotten, and never else (rule 16):
 * it is `created`, unless it was taken over silently.
 */
export function judgeEpochs(evidence: Evidence, looks: FirstLooks): void {
  for (const feed of FEED_NAMES) {
    for (const [id, events] of evidence.told[feed]) {
      for (const [index, told] of events.entries()) {
        const before = events[index - 1];
        if (before === undefined || before.epoch === told.epoch) continue;
        const hasReturned = mayHaveReturned(evidence, looks, { feed, id, removedAt: before.by });
        const wrong = wrongBeginning(evidence, { before, told, hasReturned });
        if (wrong !== null) evidence.violate(`${feed} ${id}`, `begins anew ${wrong}`);
      }
    }
  }
}

interface Beginning {
  readonly before: Told;
  readonly told: Told;
  /** Whether it may have been taken over silently in between. */
  readonly hasReturned: boolean;
}

function wrongBeginning(evidence: Evidence, { before, told, hasReturned }: Beginning): string | null {
  if (!saysGone(before.type)) return `though it was not removed before ${told.type}`;
  if (!(saysNew(told.type) || hasReturned)) return `with ${told.type}`;
  if (evidence.isUncertain || told.by >= forgottenFrom(evidence, before.by)) return null;
  return `${Math.round((told.by - before.by) / 1_000)} s after it was removed`;
}
