import { spawnSync } from 'node:child_process';
import type { NewRosterResult } from '../new-roster.ts';
import { describeCount, type Row } from '../row.ts';

const ROSTER_SIZE = 50_000;
/** What a function of 512 MB has for the heap. */
const HEAP_MB = 460;
const MAX_GROWTH_MB = 64;

/** Heap and time of polling a new roster, in a separate process, since it may run out of memory. */
export function measureRosterMemory(): Row[] {
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--expose-gc', `--max-old-space-size=${HEAP_MB}`, 'workshop/bench/new-roster.ts', String(ROSTER_SIZE)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const result = status === 0 ? (JSON.parse(stdout) as NewRosterResult) : null;
  const row = (metric: string, values: { ours: string; value: number; atMost: number }): Row => ({
    topic: 'memory',
    metric: `roster of ${ROSTER_SIZE.toLocaleString('en')} on one date: ${metric}`,
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
      ...row('new records not published', { ours: String(ROSTER_SIZE - events), value: 0, atMost: 0 }),
      baselineValue: describeCount(ROSTER_SIZE),
      count: ROSTER_SIZE - events,
    },
    { ...row('polls until all are published', { ours: String(polls), value: 0, atMost: 0 }), count: polls },
    {
      ...row('leaves read', { ours: describeCount(leavesRead), value: 0, atMost: 0 }),
      count: leavesRead,
    },
  ];
}
