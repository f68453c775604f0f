import { styleText } from 'node:util';
import type { Verdict } from './judge.ts';

const COLOURS = { ok: 'green', slow: 'yellow', wrong: 'red' } as const;
const WIDTH = 'wrong'.length;

/** A verdict for people: one line, and below it how to mend what is wrong. */
export function verdictLines({ outcome, sent, answered, expected, mend }: Verdict, colour: boolean): string {
  const padded = outcome.padEnd(WIDTH);
  const mark = colour ? styleText(COLOURS[outcome], padded, { validateStream: false }) : padded;
  if (outcome === 'ok') return `${mark}  ${sent}: ${answered}`;
  const mending = mend === null ? '' : `\n${' '.repeat(WIDTH)}  -> ${mend}`;
  return `${mark}  ${sent}: ${answered}, expected ${expected}${mending}`;
}

/** Such as `34 of 36 checks hold`. */
export function summaryOf(verdicts: readonly Verdict[]): string {
  const count = (outcome: Verdict['outcome']) =>
    verdicts.filter((verdict) => verdict.outcome === outcome).length;
  const slow = count('slow');
  const holding = `${verdicts.length - count('wrong')} of ${verdicts.length} checks hold`;
  return slow === 0 ? holding : `${holding}, ${slow} of them slowly`;
}

/** All verdicts for programs. */
export function jsonReport(verdicts: readonly Verdict[]): string {
  const holding = verdicts.filter(({ outcome }) => outcome !== 'wrong').length;
  return JSON.stringify(
    { summary: summaryOf(verdicts), holding, of: verdicts.length, checks: verdicts },
    null,
    2,
  );
}
