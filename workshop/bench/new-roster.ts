/**
 * Publishes a roster of new timesheets on one date and polls it; 50 dates with known timesheets stand beside it.
 * Prints the result as JSON. It runs as its own process with the heap of a small function, since it may run out of
 * memory:
 *
 *     node --expose-gc --max-old-space-size=460 workshop/bench/new-roster.ts 50000 14000
 */
import { runNewRoster } from './fortnight/real/new-roster.ts';

const [, , rosterSize = '50000', knownPerDate = '14000'] = process.argv;
console.log(JSON.stringify(await runNewRoster(Number(rosterSize), Number(knownPerDate))));
