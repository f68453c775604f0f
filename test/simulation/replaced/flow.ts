import { vi } from 'vitest';
import type * as Baselines from '#shared/flow/poll/complete-baselines.ts';
import type * as Elsewhere from '#shared/flow/poll/find-elsewhere.ts';
import type * as Publishing from '#shared/flow/poll/publish.ts';
import type * as Renewal from '#shared/flow/poll/renew.ts';
import { wrongWhen } from './planted.ts';

/** Mistakes of the steps of a poll, each with the first history that catches it. */
export const FLOW_MISTAKES = {
  // 3
  'leaves to nobody what an earlier poll committed': 2,
  'publishes what follows although something before it waits': 3,
  // 5
  'takes a baseline for whole at once': 1,
  // 6
  'looks nowhere else for an unknown record': 3,
  // 16
  'forgets that its table was restored': 48,
};

vi.mock('#shared/flow/poll/publish.ts', async (original) => {
  const right = await original<typeof Publishing>();
  const leaves = 'leaves to nobody what an earlier poll committed';
  const publishes = 'publishes what follows although something before it waits';
  return {
    ...right,
    publishBacklog: wrongWhen(leaves, right.publishBacklog, async () => {}),
    publishItem: wrongWhen(publishes, right.publishItem, async (item, run) => {
      run.memory.waiting.delete(item.topic);
      await right.publishItem(item, run);
    }),
  };
});

vi.mock('#shared/flow/poll/find-elsewhere.ts', async (original) => {
  const right = await original<typeof Elsewhere>();
  const name = 'looks nowhere else for an unknown record';
  return { ...right, findElsewhere: wrongWhen(name, right.findElsewhere, async () => new Map()) };
});

vi.mock('#shared/flow/poll/renew.ts', async (original) => {
  const right = await original<typeof Renewal>();
  const name = 'forgets that its table was restored';
  return { ...right, renewRestored: wrongWhen(name, right.renewRestored, async () => {}) };
});

vi.mock('#shared/flow/poll/complete-baselines.ts', async (original) => {
  const right = await original<typeof Baselines>();
  const name = 'takes a baseline for whole at once';
  const completeBaselines = wrongWhen(name, right.completeBaselines, async (run) => {
    const at = run.ports.clock.now();
    const feeds = run.request.feeds.map((feed) => [feed.name, at] as const);
    const baselined = { ...Object.fromEntries(feeds), ...run.memory.state.baselined };
    run.memory.state = { ...run.memory.state, baselined };
  });
  return { ...right, completeBaselines };
});
