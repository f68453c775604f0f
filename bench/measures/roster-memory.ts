import { spawnSync } from 'node:child_process';
import type { NewRosterResult } from '../fortnight/real/new-roster.ts';
import { describeCount, type Row } from '../row.ts';

const NEWCOMERS = 50_000;
/** Of a function of 512 MB, what is left for the heap. */
const HEAP_MB = 460;
const MAX_GROWTH_MB = 64;

/** Heap and time of a published roster, in a process of its own, since it may run out of memory. */
export function measureRosterMemory(): Row[] {
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--expose-gc', `--max-old-space-size=${HEAP_MB}`, 'bench/new-roster.ts', String(NEWCOMERS)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const result = status === 0 ? (JSON.parse(stdout) as NewRosterResult) : null;
  const row = (metric: string, values: { ours: string; value: number; atMost: number }): Row => ({
    topic: 'memory',
    metric: `roster of ${NEWCOMERS.toLocaleString('en')} on one date: ${metric}`,
    baseline: `a heap of ${HEAP_MB} MB`,
    baselineValue: '',
    ours: values.ours,
    ratio: '',
    seed: null,
    limit: { value: values.value, atMost: values.atMost },
  });
  if (result === null)
    return [row('heap growth', { ours: 'out of memory', value: HEAP_MB, atMost: MAX_GROWTH_MB })];
  const { heapGrowthMb, seconds, events, polls, leavesRead } = result;
  return [
    row('heap growth', {
      ours: `${heapGrowthMb} MB, ${seconds} s`,
      value: heapGrowthMb,
      atMost: MAX_GROWTH_MB,
    }),
    {
      ...row('new records not published', { ours: String(NEWCOMERS - events), value: 0, atMost: 0 }),
      baselineValue: describeCount(NEWCOMERS),
      count: NEWCOMERS - events,
    },
    { ...row('polls until all are published', { ours: String(polls), value: 0, atMost: 0 }), count: polls },
    {
      ...row('leaves read', { ours: describeCount(leavesRead), value: 0, atMost: 0 }),
      count: leavesRead,
    },
  ];
}
