import { vi } from 'vitest';
import type * as Steps from '#shared/core/commit/steps.ts';
import type * as Doubts from '#shared/core/compare/doubt.ts';
import type * as Changes from '#shared/core/compare/to-changes.ts';
import type * as Looks from '#shared/core/look/look.ts';
import type * as Plans from '#shared/core/plan/plan.ts';
import type * as Values from '#shared/core/records/values.ts';
import { planted, wrongWhen } from './planted.ts';

/** Mistakes of looking, comparing and storing, by the rules of the protocol, each with the first history that catches it. */
export const CORE_MISTAKES = {
  // 2
  'loses the upper half of a divided bucket': 1,
  // 5
  'tells the baseline': 1,
  'swallows what is new': 3,
  'tells what waits for the baseline': 7,
  'tells what time brings in as it would anything new': 4,
  // 7
  'takes a drifted look for a whole one': 81,
  // 8
  'takes another notation for a change': 6,
  // 10
  'says that the old state was last seen when the new one was': 15,
  // 14
  'never looks again at a date that failed': 5,
  // 17
  'believes every look': 443,
};

const LATER_MS = 10 * 60_000;
const BUCKET_ROWS = 4;

vi.mock('#shared/core/commit/steps.ts', async (original) => {
  const right = await original<typeof Steps>();
  const name = 'loses the upper half of a divided bucket';
  const planSteps: typeof right.planSteps = function* (head, patches, mostRows) {
    if (planted.name !== name) return yield* right.planSteps(head, patches, mostRows);
    for (const step of right.planSteps(head, patches, BUCKET_ROWS))
      yield { ...step, buckets: step.buckets.filter((_, place) => place === 0 || step.patched.size > 1) };
  };
  return { ...right, planSteps };
});

vi.mock('#shared/core/compare/to-changes.ts', async (original) => {
  const right = await original<typeof Changes>();
  const modes: Readonly<Record<string, readonly [Changes.UnknownMode, Changes.UnknownMode]>> = {
    'tells the baseline': ['baseline', 'created'],
    'swallows what is new': ['created', 'baseline'],
    'tells what waits for the baseline': ['baseline_open', 'created'],
    'tells what time brings in as it would anything new': ['brought_by_time', 'created'],
  };
  const toChanges: typeof right.toChanges = (difference, absent, rules, held) => {
    const [from, to] = modes[planted.name] ?? ['', 'created'];
    const { observed } = rules;
    const isLast = planted.name === 'says that the old state was last seen when the new one was';
    const wrong = {
      ...rules,
      mode: rules.mode === from ? to : rules.mode,
      observed: isLast ? { ...observed, after: observed.by } : observed,
    };
    return right.toChanges(difference, absent, wrong, held);
  };
  return { ...right, toChanges };
});

vi.mock('#shared/core/look/look.ts', async (original) => {
  const right = await original<typeof Looks>();
  class Looking extends right.Looking {
    override end(at: number): Looks.Look[] {
      const looks = super.end(at);
      if (planted.name !== 'takes a drifted look for a whole one') return looks;
      return looks.map((look) => ({ ...look, problem: look.problem === 'drifted' ? null : look.problem }));
    }
  }
  return { ...right, Looking };
});

vi.mock('#shared/core/records/values.ts', async (original) => {
  const right = await original<typeof Values>();
  return {
    ...right,
    readInstant: wrongWhen('takes another notation for a change', right.readInstant, (value) =>
      right.nothingToNull(value),
    ),
  };
});

vi.mock('#shared/core/plan/plan.ts', async (original) => {
  const right = await original<typeof Plans>();
  const name = 'never looks again at a date that failed';
  const planSlices = wrongWhen(name, right.planSlices, (input) =>
    right
      .planSlices(input)
      .map((slice) => (slice.isFailing ? { ...slice, dueAt: input.now + LATER_MS, lateness: 0 } : slice)),
  );
  return { ...right, planSlices };
});

vi.mock('#shared/core/compare/doubt.ts', async (original) => {
  const right = await original<typeof Doubts>();
  const judge = wrongWhen('believes every look', right.judge, () => ({
    held: new Set<number>(),
    doubt: null,
  }));
  return { ...right, judge };
});
