import { runHistories } from '#test/simulation/run-histories.ts';
import { WRONG_ENGINES } from '#test/simulation/wrong-engines.ts';
for (const engine of WRONG_ENGINES.filter(({ name }) => /calendar|timesheet for one of/.test(name))) {
  const { histories, failures } = await runHistories({ engine, seed: 1, histories: 600, maxFailures: 1 });
  console.log(engine.name, histories, failures[0]?.violations[0]?.text.slice(0, 300));
}
