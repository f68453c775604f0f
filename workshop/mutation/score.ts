import type { Mutant } from './mutants.ts';

export interface Result {
  readonly mutant: Mutant;
  readonly killedBy: string | null;
  readonly isReached: boolean;
}

interface Shown {
  readonly texts: ReadonlyMap<string, string>;
  /** Which test killed each, too. */
  readonly withKilled: boolean;
}

/** Survivors, each with its place and lines, then the score of each module and of all. */
export function printScore(results: readonly Result[], { texts, withKilled }: Shown): string {
  const lines: string[] = [];
  for (const result of results) {
    if (result.killedBy !== null && !withKilled) continue;
    lines.push(...describeMutant(result, texts.get(result.mutant.path) ?? ''), '');
  }
  const byPath = Map.groupBy(results, ({ mutant }) => mutant.path);
  for (const [path, ofModule] of byPath) lines.push(describeScore(path, ofModule));
  lines.push(describeScore('all', results));
  return `${lines.join('\n')}\n`;
}

function describeScore(name: string, results: readonly Result[]): string {
  const killed = results.filter(({ killedBy }) => killedBy !== null).length;
  const share = ((100 * killed) / results.length).toFixed(1);
  return `${share.padStart(5)} %  ${String(killed).padStart(4)} of ${String(results.length).padEnd(4)}  ${name}`;
}

function describeMutant({ mutant, killedBy, isReached }: Result, text: string): string[] {
  const { path, start, end, operator } = mutant;
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end);
  const line = text.slice(0, start).split('\n').length;
  const fate =
    killedBy === null ? `survived${isReached ? '' : ', no test reaches it'}` : `killed by ${killedBy}`;
  const changed = text.slice(from, start) + mutant.text + text.slice(end, to);
  return [
    `${path}:${line}  ${operator}: ${fate}`,
    ...text
      .slice(from, to)
      .split('\n')
      .map((each) => `  - ${each.trim()}`),
    ...changed.split('\n').map((each) => `  + ${each.trim()}`),
  ];
}
