import type { Line } from '../../routes/lines.ts';

/** Lines in the order of the log, each once: a line may be listed and come in the stream too. */
export function mergeLines(known: readonly Line[], added: readonly Line[]): readonly Line[] {
  if (added.length === 0) return known;
  const first = added[0]?.key ?? '';
  const last = known.at(-1)?.key ?? '';
  const isLater = first > last && isSorted(added);
  if (isLater) return [...known, ...added];
  const byKey = new Map(known.map((line) => [line.key, line]));
  for (const line of added) byKey.set(line.key, line);
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function isSorted(lines: readonly Line[]): boolean {
  return lines.every((line, index) => index === 0 || (lines[index - 1]?.key ?? '') < line.key);
}
