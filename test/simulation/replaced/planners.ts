import { describe, vi } from 'vitest';
import type * as AgendaModule from '#shared/core/plan/agenda.ts';
import type * as PartsModule from '#shared/core/plan/parts.ts';
import { testPlantedFaults } from '../planted-faults.ts';
import { WRONG_PLANNERS } from '../wrong-planners.ts';

const NEVER_HALVES = 'never halves a list that fails';

const planner = vi.hoisted(() => ({ name: '' }));

vi.mock('#shared/core/plan/agenda.ts', async (original) => {
  const right = await original<typeof AgendaModule>();
  const planAgenda: typeof right.planAgenda = (input) => {
    const agenda = right.planAgenda(input);
    const wrong = input.feed === 'timesheets' ? WRONG_PLANNERS[planner.name] : undefined;
    if (wrong === undefined) return agenda;
    return { ...agenda, due: wrong({ input, due: agenda.due, plan: right.planAgenda }) };
  };
  return { ...right, planAgenda };
});

vi.mock('#shared/core/plan/parts.ts', async (original) => {
  const right = await original<typeof PartsModule>();
  const halvePart: typeof right.halvePart = (part) =>
    planner.name === NEVER_HALVES ? [] : right.halvePart(part);
  return { ...right, halvePart };
});

describe('a planner that', () => {
  testPlantedFaults(
    '%s is caught',
    [...Object.keys(WRONG_PLANNERS), NEVER_HALVES].map((name) => ({ name })),
    planner,
  );
});
