import { describe, vi } from 'vitest';
import type * as StandingModule from '#shared/period/standing.ts';
import { testPlantedFaults } from '../planted-faults.ts';

/** Mistakes about what may be told of a pay period while something of it is in doubt. */
const PLANTED = {
  closing: 'tells a closing at once from looks before it',
  reminder: 'reminds while losses are held',
  final: 'takes every closed period for settled',
  held: 'tells a final statement while something is held',
  differing: 'tells a final statement that differs without waiting',
  deadline: 'settles a period by its deadline while something is held',
} as const;

/** What is said of each. */
const SAID: Readonly<Record<keyof typeof PLANTED, RegExp>> = {
  closing: /told from looks before it/,
  reminder: /reminded of, although/,
  final: /not all is processed/,
  held: /not all is processed|settled, although/,
  differing: /differs, and is settled/,
  deadline: /settled, although/,
};

const isCandidate = async (seed: number) => (await import('./candidates.ts')).hasHoldAndClosing(seed);

const planted = vi.hoisted(() => ({ name: '' }));

vi.mock('#shared/period/standing.ts', async (original) => {
  const right = await original<typeof StandingModule>();
  const judgeClosing: typeof right.judgeClosing = (...given) =>
    planted.name === PLANTED.closing ? 'tell' : right.judgeClosing(...given);
  const judgeReminder: typeof right.judgeReminder = (...given) =>
    planted.name === PLANTED.reminder ? 'tell' : right.judgeReminder(...given);
  const judgeFinal: typeof right.judgeFinal = (views, period, patience) => {
    switch (planted.name) {
      case PLANTED.final:
        return { standing: 'tell', settledBy: period.deadline ?? 'processed' };
      case PLANTED.held:
        return right.judgeFinal(
          views.map((view) => ({ ...view, doubts: [] })),
          { ...period, manifest: { ...period.manifest, complete: true } },
          patience,
        );
      case PLANTED.deadline:
        return right.judgeFinal(
          period.deadline === null ? views : views.map((view) => ({ ...view, doubts: [] })),
          period,
          patience,
        );
      case PLANTED.differing: {
        const final = right.judgeFinal(views, period, patience);
        return final.standing === 'differs' ? { ...final, standing: 'tell' } : final;
      }
      default:
        return right.judgeFinal(views, period, patience);
    }
  };
  return { ...right, judgeClosing, judgeReminder, judgeFinal };
});

describe('an engine that', () => {
  testPlantedFaults(
    '%s is caught',
    Object.entries(PLANTED).map(([mistake, name]) => ({
      name,
      said: SAID[mistake as keyof typeof PLANTED],
      ...(name === PLANTED.deadline ? { isCandidate } : {}),
    })),
    planted,
  );
});
