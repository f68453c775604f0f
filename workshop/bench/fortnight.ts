import { parseArgs } from 'node:util';
import { describeModelResult } from './fortnight/model/describe.ts';
import { runModel } from './fortnight/model/run-model.ts';
import { PLANNERS } from './fortnight/planners/planners.ts';
import { PLANNING, THIRTY, TWO_THOUSAND } from './fortnight/trace/size.ts';
import { createTrace } from './fortnight/trace/trace.ts';

/**
 * Runs a planner over the fortnight in the model and prints its delays and its requests:
 *
 *     node workshop/bench/fortnight.ts --size 2000 --planner agenda
 *     node workshop/bench/fortnight.ts --size 50000 --days 3 --width 8 --page-size 1000
 */
const SIZES = { '30': THIRTY, '2000': TWO_THOUSAND, '50000': PLANNING };

const { values } = parseArgs({
  options: {
    /** People: 30, 2000 or 50000. */
    size: { type: 'string', default: '2000' },
    planner: { type: 'string', default: 'agenda' },
    days: { type: 'string', default: '14' },
    seed: { type: 'string', default: '1' },
    'request-ms': { type: 'string', default: '300' },
    /** Concurrent requests. */
    width: { type: 'string', default: '12' },
    /** Requests that may begin within a second. */
    'per-second': { type: 'string', default: '20' },
    'page-size': { type: 'string', default: '200' },
  },
});

const size = SIZES[values.size as keyof typeof SIZES];
const createPlanner = PLANNERS[values.planner];
if (size === undefined) throw new Error(`--size is ${Object.keys(SIZES).join(', ')}, not ${values.size}`);
if (createPlanner === undefined)
  throw new Error(`--planner is ${Object.keys(PLANNERS).join(', ')}, not ${values.planner}`);

const startedAt = performance.now();
const result = runModel({
  trace: createTrace({ seed: Number(values.seed), size, days: Number(values.days) }),
  planner: createPlanner(),
  pace: {
    requestMs: Number(values['request-ms']),
    width: Number(values.width),
    pagesAhead: Math.min(8, Number(values.width)),
    perSecond: Number(values['per-second']),
  },
  pageSize: Number(values['page-size']),
});
console.log(`${size.name}, ${values.planner}, ${values.days} days, seed ${values.seed}`);
console.log(describeModelResult(result));
console.log(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
