import { addDays, listDates } from '#shared/core/dates.ts';
import { startFunctionMachine } from '../function-machine.ts';
import type { Row } from '../row.ts';
import type { SourceState } from '../sample-records.ts';

const PAGE_SIZE = 1_000;
const MAX_POLLS = 10;

/** Functions of a size, what they watch, and how many dates are approved at once. */
const SMALL = { memoryMb: 256, dates: 50, perDate: 1_400, approved: 2, atMost: 200, name: '2,000 people' };
const LARGE = { memoryMb: 512, dates: 14, perDate: 50_000, approved: 2, atMost: 400, name: '50,000 people' };

/** The most memory that the process of the function ever had, from its first poll until many approvals at once. */
export async function measureMemory(): Promise<Row[]> {
  return [await measureSize(SMALL), await measureSize(LARGE)];
}

async function measureSize(size: typeof SMALL): Promise<Row> {
  const { memoryMb, dates, perDate, atMost, name } = size;
  const today = new Date().toISOString().slice(0, 10);
  const [from, to] = [addDays(today, 2 - dates), addDays(today, 1)];
  const known: SourceState = { dates: listDates({ from, to }), perDate, every: 1, version: 0 };
  // Before yesterday: hot dates are read again within a long poll.
  const last = addDays(today, -2);
  const approved = listDates({ from: addDays(last, 1 - size.approved), to: last });
  const window = { backDays: dates - 2, forwardDays: 1 };
  const machine = await startFunctionMachine({ memoryMb, pageSize: PAGE_SIZE, window });
  try {
    let peakMb = 0;
    for (const state of [known, known, { ...known, version: 1, approved }])
      for (let polls = 1, isWhole = false, since = Date.now(); !isWhole; polls += 1) {
        const usage = await machine.poll(state, since);
        isWhole = usage.report.outcome === 'complete';
        if (!isWhole && polls >= MAX_POLLS) throw new Error(usage.report.reasons.join('; '));
        peakMb = usage.peakMb;
      }
    const approvals = (approved.length * perDate).toLocaleString('en');
    return {
      target: 'P8',
      metric: `of ${memoryMb} MB, ${name}, ${(dates * perDate).toLocaleString('en')} timesheets, ${approvals} approvals at once`,
      baseline: null,
      reached: peakMb,
      atMost,
      unit: 'MB',
      // It depends on when V8 collects garbage, as a time does on the machine.
      isTime: true,
    };
  } finally {
    await machine.stop();
  }
}
