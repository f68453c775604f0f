import { describeTotals, runHistories } from '#test/simulation/run-histories.ts';
const [seed='1', n='100'] = process.argv.slice(2);
const totals = await runHistories({ seed: Number(seed), histories: Number(n), maxFailures: 5 });
console.log(describeTotals(totals));
for (const { seed, violations } of totals.failures) console.log(seed, JSON.stringify(violations.slice(0,4), null, 1));
