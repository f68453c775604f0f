import { drawBreadth } from '../breadth/breadth.ts';
import { Faults } from '../faults.ts';
import { drawKnot } from '../knots/knot.ts';
import { Random } from '../random.ts';
import { planHistory } from '../schedule.ts';

/** Which histories can catch a mistake. It imports what is replaced, and so may only be imported once that was. */
export function hasWatermarks(seed: number): boolean {
  const { plan, faults } = drawPlan(seed);
  return drawBreadth(seed, plan.settings, faults).watermark;
}

export function hasReminders(seed: number): boolean {
  const { plan, faults } = drawPlan(seed);
  return drawBreadth(seed, plan.settings, faults).reminders !== null;
}

export function hasHoldAndClosing(seed: number): boolean {
  const { plan, faults } = drawPlan(seed);
  const knot = drawKnot(seed, plan, faults);
  return knot?.features.has('hold') === true && knot.features.has('closing');
}

/** As `runHistory` draws it. */
function drawPlan(seed: number): { readonly plan: ReturnType<typeof planHistory>; readonly faults: Faults } {
  const random = new Random(seed);
  const faults = new Faults(random.fork());
  return { plan: planHistory(random.fork(), faults), faults };
}
