/**
 * One poll that finds a published roster: so many newcomers on one date, with so many timesheets known on each
 * of 50 dates.
 * Run as a process of its own with the heap of a small function, since it may not survive:
 *
 *     node --expose-gc --max-old-space-size=460 bench/new-roster.ts 50000 14000
 */
import { runNewRoster } from './fortnight/real/new-roster.ts';

const [, , newcomers = '50000', perDate = '14000'] = process.argv;
console.log(JSON.stringify(await runNewRoster(Number(newcomers), Number(perDate))));
