import { afterAll, describe, expect, test, vi } from 'vitest';
import type * as AgendaModule from '#shared/core/plan/agenda.ts';
import type * as PartsModule from '#shared/core/plan/parts.ts';
import { runHistories } from './run-histories.ts';
import { WRONG_PLANNERS } from './wrong-planners.ts';

const SEED = 1;
/** Each planner must be caught within this many histories. */
const MAX_HISTORIES = 1_000;
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

const MAX_TEST_MS = 120_000;

describe('a planner that', () => {
  const caught: string[] = [];

  test.each([...Object.keys(WRONG_PLANNERS), NEVER_HALVES])(
    '%s is caught',
    async (name) => {
      planner.name = name;
      const { histories, failures } = await runHistories({
        seed: SEED,
        histories: MAX_HISTORIES,
        maxFailures: 1,
      });
      const [failure] = failures;
      caught.push(
        `${name}: after ${histories} histories, ${failure?.violations[0]?.text.slice(0, 160) ?? 'never'}`,
      );
      expect(failure?.violations).not.toBeUndefined();
    },
    MAX_TEST_MS,
  );

  afterAll(() => {
    process.stdout.write(`${caught.join('\n')}\n`);
  });
});
