import type { ScanPlanner } from '../model/planner.ts';
import { WINDOW } from '../model/run-model.ts';
import { createAgendaPlanner } from './agenda-planner.ts';
import { createFixedPlanner } from './fixed-planner.ts';

const HOT = { backDays: 1, forwardDays: 1 };

/** Planners by name. Every run needs a new one, since planners learn. */
export const PLANNERS: Readonly<Record<string, () => ScanPlanner>> = {
  agenda: createAgendaPlanner,
  'window-3min': () => createFixedPlanner(180_000, WINDOW),
  'hot-60s': () => createFixedPlanner(60_000, HOT),
  'hot-30s': () => createFixedPlanner(30_000, HOT),
};
