import type { SliceView } from '#shared/period/period-account.ts';
import { NOW } from '#test/support/builders.ts';

/** A date that was looked at, of which nothing is in doubt. */
export function viewOf(slice: string, values: Partial<SliceView> = {}): SliceView {
  return { slice, lookedAt: NOW, doubts: [], isFailing: false, unseen: new Set(), ...values };
}

/** One that is in doubt since an instant. */
export function heldView(slice: string, since: number): SliceView {
  return viewOf(slice, { doubts: [{ kind: 'held', since }] });
}
