/**
 * One poll that finds a published roster: so many newcomers on one date, with 700,000 timesheets known in the window.
 * Run as a process of its own with the heap of a small function, since it may not survive:
 *
 *     node --expose-gc --max-old-space-size=460 bench/new-roster.ts 50000
 */
import { runNewRoster } from './fortnight/real/new-roster.ts';

console.log(JSON.stringify(await runNewRoster(Number(process.argv[2] ?? 50_000))));
