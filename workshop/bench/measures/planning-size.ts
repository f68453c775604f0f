import { addDays, listDates } from '#shared/core/dates.ts';
import { shareOfProcessor } from '../fortnight/flow/function-time.ts';
import { type SourceState, startPlanningMachine } from '../planning-machine.ts';
import { describeCount, type Row, ratio } from '../row.ts';
import { measureOnePerTimesheet } from './change-cost.ts';

const PAGE_SIZE = 1_000;
const EVENTS = 100_000;
const MAX_POLLS = 5;

/** Functions of a size, and the most that one is to take: the goal is the same for both. */
const LARGE = { memoryMb: 512, dates: 14, perDate: 50_000 };
const SMALL = { memoryMb: 256, dates: 14, perDate: 14_286 };
const GOAL_MB = 256;

/** Memory of the function that polls, and CPU of its largest poll. */
export async function measurePlanningSize(): Promise<Row[]> {
  const small = await measureSize(SMALL);
  const large = await measureSize(LARGE);
  const baseline = ((await measureOnePerTimesheet()) * EVENTS) / 1e6;
  const values = [baseline, large.cpuSeconds] as const;
  const share = shareOfProcessor(LARGE.memoryMb);
  return [
    ...small.rows,
    ...large.rows,
    cpuRow('seconds of CPU', values),
    cpuRow('seconds of a function of 512 MB', [baseline / share, large.cpuSeconds / share, 34]),
  ];
}

/** The rows of memory, and the CPU of the poll that finds the approvals. */
async function measureSize({ memoryMb, dates, perDate }: typeof LARGE) {
  const today = new Date().toISOString().slice(0, 10);
  const [from, to] = [addDays(today, 2 - dates), addDays(today, 1)];
  const known = { perDate, filled: listDates({ from, to }), approved: [] };
  const full = { ...known, filled: [...known.filled, addDays(to, 1)] };
  // Before yesterday: hot dates are read again within a long poll.
  const approved = listDates({
    from: addDays(today, -1 - Math.ceil(EVENTS / perDate)),
    to: addDays(today, -2),
  });
  const cases: readonly (readonly [string, SourceState])[] = [
    ['the baseline', known],
    ['and an unchanged scan', known],
    [`and a new date of ${describeCount(perDate)}`, full],
    [`and ${describeCount(approved.length * perDate)} approvals at once`, { ...full, approved }],
  ];
  const window = { backDays: dates - 2, forwardDays: 2 };
  const machine = await startPlanningMachine({ memoryMb, pageSize: PAGE_SIZE, window });
  const rows: Row[] = [];
  let cpuSeconds = 0;
  try {
    for (const [name, state] of cases) {
      let peakMb = 0;
      cpuSeconds = 0;
      for (let polls = 0, isWhole = false; !isWhole; polls += 1) {
        const usage = await machine.poll(state);
        isWhole = usage.report.outcome === 'complete';
        if (!isWhole && polls >= MAX_POLLS) throw new Error(usage.report.reasons.join('; '));
        peakMb = usage.peakMb;
        cpuSeconds += usage.cpuSeconds;
      }
      rows.push(
        memoryRow(
          `a function of ${memoryMb} MB, ${describeCount(dates * perDate)} timesheets: ${name}`,
          peakMb,
        ),
      );
    }
  } finally {
    await machine.stop();
  }
  return { rows, cpuSeconds };
}

/** It depends on when V8 collects garbage, as a time does on the machine. */
function memoryRow(metric: string, peakMb: number): Row {
  return {
    topic: 'memory',
    metric: `${metric}, most memory of the process so far, MB`,
    baseline: '',
    baselineValue: '',
    ours: peakMb.toFixed(0),
    ratio: '',
    seed: null,
    goal: { value: peakMb, atMost: GOAL_MB, isTime: true },
  };
}

function cpuRow(metric: string, [value, ours, atMost]: readonly [number, number, number?]): Row {
  return {
    topic: 'cpu',
    metric: `a poll that finds ${describeCount(EVENTS)} approvals on two dates, from the socket to SNS: ${metric}`,
    baseline: 'one item per timesheet: state, event and outbox, without SNS',
    baselineValue: value.toFixed(1),
    ours: ours.toFixed(1),
    ratio: ratio(ours, value),
    seed: null,
    ...(atMost === undefined ? {} : { goal: { value: ours, atMost, isTime: true } }),
  };
}
