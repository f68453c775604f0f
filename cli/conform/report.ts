import { createPainter } from '#shared/terminal/output.ts';
import type { CheckVerdict, Judged } from './judge.ts';

const COLOURS = { ok: 'green', slow: 'yellow', wrong: 'red' } as const;
const WIDTH = 'wrong'.length;

/** One line for a verdict, and below it how to fix what is wrong. Null for skipped checks: the summary counts them. */
export function formatVerdict(verdict: CheckVerdict, colour: boolean): string | null {
  if (verdict.outcome === 'skipped') return null;
  const { outcome, sent, answered, expected, mend } = verdict;
  const mark = createPainter(colour)(COLOURS[outcome], outcome.padEnd(WIDTH));
  if (outcome === 'ok') return `${mark}  ${sent}: ${answered}`;
  const mending = mend === null ? '' : `\n${' '.repeat(WIDTH)}  -> ${mend}`;
  return `${mark}  ${sent}: ${answered}, expected ${expected}${mending}`;
}

/** Such as `34 of 36 checks hold`, and a line per reason why checks were not run. */
export function formatSummary(verdicts: readonly CheckVerdict[]): string[] {
  const run = verdicts.filter(isJudged);
  const count = (outcome: Judged['outcome']) => run.filter((verdict) => verdict.outcome === outcome).length;
  const slow = count('slow');
  const holding = `${run.length - count('wrong')} of ${run.length} checks hold`;
  return [slow === 0 ? holding : `${holding}, ${slow} of them slowly`, ...formatSkipped(verdicts)];
}

export function formatJsonReport(verdicts: readonly CheckVerdict[]): string {
  const checks = verdicts.filter(isJudged);
  const holding = checks.filter(({ outcome }) => outcome !== 'wrong').length;
  const skipped = verdicts.length - checks.length;
  const summary = formatSummary(verdicts).join('; ');
  return JSON.stringify({ summary, holding, of: checks.length, skipped, checks }, null, 2);
}

function formatSkipped(verdicts: readonly CheckVerdict[]): string[] {
  const skipped = verdicts.filter((verdict) => verdict.outcome === 'skipped');
  const unreached = skipped.filter(({ wentAwayAt }) => wentAwayAt !== null);
  const unprobed = skipped.length - unreached.length;
  const [first] = unreached;
  return [
    ...(first === undefined
      ? []
      : [
          `your receiver stopped answering at "${first.wentAwayAt}": ${formatCheckCount(unreached.length)} not run`,
        ]),
    ...(unprobed === 0
      ? []
      : [
          `not checked: whether repeats are dropped and order is kept (${formatCheckCount(unprobed)}); pass --probe`,
        ]),
  ];
}

function formatCheckCount(count: number): string {
  return count === 1 ? '1 check' : `${count} checks`;
}

function isJudged(verdict: CheckVerdict): verdict is Judged {
  return verdict.outcome !== 'skipped';
}
