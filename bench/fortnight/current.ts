import type { Pace } from './model/paced-source.ts';
import type { ScanPlanner } from './model/planner.ts';
import { createAgendaPlanner } from './planners/agenda-planner.ts';

/** How the notifier itself asks: what the rows of the table measure. */
export const PAGE_SIZE = 200;
/** What a source gives when 1,000 are asked for: as few as in the samples of the specification, or all. */
export const PAGE_SIZES = [PAGE_SIZE, 1_000];
export const PACE: Pace = { requestMs: 300, width: 12, pagesAhead: 8, perSecond: 20 };

export function createCurrentPlanner(): ScanPlanner {
  return createAgendaPlanner();
}
