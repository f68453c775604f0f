import { createSize } from '../trace/size.ts';
import { runFlow } from './run-flow.ts';
import { PAGE_SIZE, WEEK } from './spans.ts';

/**
 * When changes are expected, as the real flow learns it in a week, in the form of the store. Rates are those of a record,
 * so that a small organisation learns what a large one would: its week takes two minutes.
 */
export async function learnWeek(): Promise<string> {
  const size = createSize({ people: 200, calendars: 2 });
  const { rates } = await runFlow({ span: { ...WEEK, size }, pageSize: PAGE_SIZE, rereadForSeconds: 0 });
  if (rates === null) throw new Error('a week of the fortnight taught the planner nothing');
  return rates;
}
