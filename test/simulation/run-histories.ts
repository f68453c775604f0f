import { FAULT_KINDS, type FaultKind } from './faults.ts';
import { type Engine, RIGHT_ENGINE, runHistory } from './history.ts';
import type { Violation } from './oracle/evidence.ts';
import { judge } from './oracle/judge.ts';

/** Which histories are run, and when a run ends. */
export interface Assignment {
  readonly seed: number;
  readonly histories: number;
  readonly engine?: Engine;
  /** A run ends with so many wrong histories; by default one. */
  readonly maxFailures?: number;
  readonly onProgress?: (totals: Totals) => void;
}

export interface Failure {
  readonly seed: number;
  readonly violations: readonly Violation[];
}

/** What happened in the histories of a run. */
export interface Totals {
  histories: number;
  polls: number;
  crashes: number;
  changes: number;
  events: number;
  /** Published once more. */
  repeats: number;
  /** Of pay periods, compared with the books. */
  accounts: number;
  readonly faults: Map<FaultKind, number>;
  readonly types: Map<string, number>;
  readonly failures: Failure[];
}

/** Runs histories one after the other, judges each, and adds up what happened. */
export async function runHistories({
  seed,
  histories,
  engine = RIGHT_ENGINE,
  maxFailures = 1,
  onProgress,
}: Assignment): Promise<Totals> {
  const totals: Totals = {
    ...{ histories: 0, polls: 0, crashes: 0, changes: 0, events: 0, repeats: 0, accounts: 0 },
    ...{ faults: new Map(), types: new Map(), failures: [] },
  };
  for (let each = seed; each < seed + histories && totals.failures.length < maxFailures; each += 1) {
    await runOne(each, engine, totals);
    onProgress?.(totals);
  }
  return totals;
}

async function runOne(seed: number, engine: Engine, totals: Totals): Promise<void> {
  totals.histories += 1;
  let violations: readonly Violation[];
  try {
    const history = await runHistory(seed, engine);
    const { journal, faults, world } = history;
    const judged = judge(history);
    ({ violations } = judged);
    totals.polls += journal.polls.length;
    totals.crashes += journal.polls.filter(({ endedAt }) => endedAt === null).length;
    totals.changes += world.changes;
    totals.accounts += judged.accounts;
    totals.events += judged.types.length;
    totals.repeats +=
      journal.publications.length - new Set(journal.publications.map(({ text }) => text)).size;
    for (const [kind, count] of faults.counts)
      totals.faults.set(kind, (totals.faults.get(kind) ?? 0) + count);
    for (const type of judged.types) totals.types.set(type, (totals.types.get(type) ?? 0) + 1);
  } catch (error) {
    violations = [{ about: 'engine', text: error instanceof Error ? `${error.stack}` : String(error) }];
  }
  if (violations.length > 0) totals.failures.push({ seed, violations });
}

/** Faults that never struck in a run. */
export function findUnmet({ faults }: Totals): string[] {
  return FAULT_KINDS.filter((kind) => !faults.has(kind));
}

const MAX_SHOWN = 8;

export function describeFailure({ seed, violations }: Failure): string {
  const shown = violations.slice(0, MAX_SHOWN).map(({ about, text }) => `  ${about}: ${text}`);
  const more = violations.length > MAX_SHOWN ? [`  and ${violations.length - MAX_SHOWN} more`] : [];
  return [`seed ${seed} is wrong:`, ...shown, ...more].join('\n');
}

export function describeTotals(totals: Totals): string {
  const { histories, polls, crashes, changes, events, repeats, failures, types, accounts } = totals;
  const told = [...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([type, count]) => `${type} ${count}`);
  return [
    ...failures.map(describeFailure),
    `${histories} histories, ${failures.length} wrong: ${polls} polls, ${crashes} crashed; ${changes} changes, ${events} events, ${repeats} repeats, ${accounts} accounts`,
    told.join(', '),
  ].join('\n');
}
