import { runHistories, describeTotals } from './test/simulation/run-histories.ts';
const [seed, n] = process.argv.slice(2).map(Number);
const t = await runHistories({ seed: seed!, histories: n!, maxFailures: 12 });
console.log(describeTotals(t));
