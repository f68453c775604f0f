import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import { type Downstream, judgeDownstream } from './breadth/deliveries.ts';
import { BREADTH_KINDS } from './breadth/kinds.ts';
import { FAULT_KINDS, type FaultKind } from './faults.ts';
import { type Engine, type History, RIGHT_ENGINE, runHistory } from './history.ts';
import { countPairs, describePairs, type Pairs, rarestOf } from './knots/overlaps.ts';
import type { Check } from './not-yet.ts';
import type { Violation } from './oracle/evidence.ts';
import { judge } from './oracle/judge.ts';

/** Snapshots come from who sends them. */
const TOLD_BY_OTHERS = /\.snapshot$|^employee\.forgotten$/;
const OF_DIRECTORY = /^(?:employee|department)\.(?!forgotten)/;
const TOLD_BY_POLLS = SHORT_EVENT_TYPES.filter(
  (type) => !TOLD_BY_OTHERS.test(type) && !OF_DIRECTORY.test(type),
);

/** A history with violations. */
interface Failure {
  readonly seed: number;
  readonly violations: readonly Violation[];
}

/** What was run, which shows that the simulation covers something. */
export interface Totals {
  histories: number;
  polls: number;
  /** Polls that crashed or were killed. */
  crashes: number;
  /** Changes at the source. */
  changes: number;
  publications: number;
  readonly faults: Map<FaultKind, number>;
  /** Events by type, each counted once however often it was published. */
  readonly types: Map<string, number>;
  /**
   * Statements, those that could be compared with the totals of the source, and those that add up with them; accounts of
   * closings, statements and reminders that were compared with the world.
   */
  readonly statements: { told: number; compared: number; addUp: number; accounts: number };
  /** Histories whose events were delivered, and counts of their deliveries. */
  readonly downstream: { histories: number } & Record<keyof Downstream['counts'], number>;
  /** Histories by pair of features that met in them. */
  readonly pairs: Pairs;
  readonly failures: Failure[];
  /** Histories with violations of known gaps, which do not count. */
  readonly pending: Failure[];
}

export interface Assignment {
  /** Seed of the first history; the others follow one by one. */
  readonly seed: number;
  readonly histories: number;
  readonly engine?: Engine;
  /** Violations that count as failures; all by default. */
  readonly checks?: ReadonlySet<Check>;
  /** Stop after so many failures. */
  readonly maxFailures?: number;
  readonly onProgress?: (totals: Totals) => void;
}

/** Runs histories one after another and checks each. */
export async function runHistories(assignment: Assignment): Promise<Totals> {
  const { seed, histories, engine = RIGHT_ENGINE, maxFailures = 10 } = assignment;
  const totals = emptyTotals();
  for (let number = 0; number < histories && totals.failures.length < maxFailures; number += 1) {
    const history = await runHistory(seed + number, engine);
    const { violations, pending, types, accounts } = judge(history);
    totals.statements.accounts += accounts;
    add(totals, history, types);
    countPairs(totals.pairs, history);
    const downstream = await judgeDownstream(history);
    addDownstream(totals, downstream);
    const all = [...violations, ...(downstream?.violations ?? [])];
    const counted = all.filter(({ check }) => assignment.checks?.has(check) ?? true);
    if (counted.length > 0) totals.failures.push({ seed: seed + number, violations: counted });
    if (pending.length > 0) totals.pending.push({ seed: seed + number, violations: pending });
    assignment.onProgress?.(totals);
  }
  return totals;
}

function emptyTotals(): Totals {
  return {
    histories: 0,
    polls: 0,
    crashes: 0,
    changes: 0,
    publications: 0,
    faults: new Map(),
    types: new Map(),
    statements: { told: 0, compared: 0, addUp: 0, accounts: 0 },
    downstream: { histories: 0, taken: 0, refusals: 0, givenUp: 0, told: 0, atNight: 0 },
    pairs: new Map(),
    failures: [],
    pending: [],
  };
}

function add(totals: Totals, { journal, world, faults }: History, types: readonly string[]): void {
  totals.histories += 1;
  totals.polls += journal.polls.length;
  totals.crashes += journal.polls.filter(({ endedAt }) => endedAt === null).length;
  totals.changes += world.changes;
  totals.publications += journal.publications.length;
  addStatements(totals, journal);
  for (const [kind, count] of faults) totals.faults.set(kind, (totals.faults.get(kind) ?? 0) + count);
  for (const type of types) totals.types.set(type, (totals.types.get(type) ?? 0) + 1);
}

function addStatements({ statements }: Totals, { publications }: History['journal']): void {
  const texts = new Set(
    publications
      .map(({ text }) => text)
      .filter((text) => text.includes('"type":"workforce.pay_period.statement"')),
  );
  for (const text of texts) {
    const { data } = JSON.parse(text) as { data: { statement: { addsUp: boolean | null } } };
    statements.told += 1;
    if (data.statement.addsUp !== null) statements.compared += 1;
    if (data.statement.addsUp === true) statements.addUp += 1;
  }
}

function addDownstream({ downstream }: Totals, each: Downstream | null): void {
  if (each === null) return;
  downstream.histories += 1;
  for (const name of ['taken', 'refusals', 'givenUp', 'told', 'atNight'] as const)
    downstream[name] += each.counts[name];
}

export function describeTotals(totals: Totals): string {
  const { histories, polls, crashes, changes, publications, faults, types } = totals;
  const counted = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `  ${name} ${count}`)
      .join('\n');
  return [
    `${histories} histories, ${polls} polls (${crashes} of them crashed), ${changes} changes at the source`,
    `${publications} events published`,
    `${faults.size} kinds of fault:`,
    counted(faults),
    `${types.size} types of event:`,
    counted(types),
    `statements: ${JSON.stringify(totals.statements)}`,
    describePairs(totals.pairs),
    `delivered: ${JSON.stringify(totals.downstream)}`,
    `${totals.pending.length} histories with violations of known gaps`,
    ...totals.failures.map(describeFailure),
  ].join('\n');
}

/** One line: the seed that repeats it, and what was wrong. */
export function describeFailure({ seed, violations }: Failure): string {
  const texts = violations.slice(0, 3).map(({ text }) => text);
  return `FAILED seed ${seed}: ${texts.join('; ')}`;
}

/** What many histories must have met, and these have not; each pair of features so many times. */
export function findUnmet({ faults, types, pairs }: Totals, everyPair: number): readonly string[] {
  const rarest = rarestOf(pairs);
  return [
    ...[...FAULT_KINDS, ...BREADTH_KINDS].filter((kind) => !faults.has(kind)).map((kind) => `fault ${kind}`),
    ...TOLD_BY_POLLS.filter((type) => !types.has(type)).map((type) => `event ${type}`),
    ...(rarest < everyPair ? [`two features met ${rarest} times, and not ${everyPair}`] : []),
  ];
}
