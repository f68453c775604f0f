import type { Line } from '../../routes/lines.ts';

/** Lines in the order of the log, each once: a line may be listed and come in the stream too. */
export function mergeLines(known: readonly Line[], added: readonly Line[]): readonly Line[] {
  if (added.length === 0) return known;
  // Nearly always all of them are later, or all earlier.
  if (isBefore(known.at(-1), added[0]) && isSorted(added)) return [...known, ...added];
  if (isBefore(added.at(-1), known[0]) && isSorted(added)) return [...added, ...known];
  const byKey = new Map(known.map((line) => [line.key, line]));
  for (const line of added) byKey.set(line.key, line);
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function isBefore(left: Line | undefined, right: Line | undefined): boolean {
  return left === undefined || right === undefined || left.key < right.key;
}

function isSorted(lines: readonly Line[]): boolean {
  return lines.every((line, index) => index === 0 || (lines[index - 1]?.key ?? '') < line.key);
}
