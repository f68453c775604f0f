import { type Breadth, broaden, drawBreadth, NO_BREADTH } from './breadth/breadth.ts';
import type { Faults } from './faults.ts';
import { drawKnot, type Knot, tieBreadth, tiePlan } from './knots/knot.ts';
import type { Random } from './random.ts';
import { type HistoryPlan, planHistory, turnToDirectory } from './schedule.ts';
import type { Settings } from './settings.ts';

interface DrawnFrom {
  readonly random: Random;
  readonly faults: Faults;
  /** It is about employees and departments. */
  readonly ofDirectory: boolean;
}

interface DrawnHistory {
  readonly plan: HistoryPlan;
  readonly knot: Knot | null;
  readonly breadth: Breadth;
  readonly settings: Settings;
}

/** What a history is about, and what happens in it. */
export function drawHistory(seed: number, { random, faults, ofDirectory }: DrawnFrom): DrawnHistory {
  const drawn = planHistory(random.fork(), faults);
  if (ofDirectory) {
    const plan = turnToDirectory(drawn);
    return { plan, knot: null, breadth: NO_BREADTH, settings: broaden(plan.settings, NO_BREADTH) };
  }
  const knot = drawKnot(seed, drawn, faults);
  const plan = tiePlan(drawn, knot, seed);
  const breadth = tieBreadth(drawBreadth(seed, plan.settings, faults), knot, {
    settings: plan.settings,
    seed,
  });
  return { plan, knot, breadth, settings: { ...broaden(plan.settings, breadth), knot } };
}
