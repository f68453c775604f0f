import type { Pace } from './model/paced-source.ts';
import type { ScanPlanner } from './model/planner.ts';
import { createAgendaPlanner } from './planners/agenda-planner.ts';

/** Records a page when the source gives few, as in the samples of its specification. */
export const PAGE_SIZE = 200;
/** What a source may give when 1,000 are requested. */
export const PAGE_SIZES = [PAGE_SIZE, 1_000];
/** The pace of the notifier's requests unless configured otherwise, at a latency of 300 ms. */
export const PACE: Pace = { requestMs: 300, width: 12, pagesAhead: 8, perSecond: 20 };

/** The planner whose figures the bench reports. */
export function createCurrentPlanner(): ScanPlanner {
  return createAgendaPlanner();
}
