/** Sequences from `from` to `to`, inclusive. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

export function isMissing(missing: readonly Gap[], sequence: number): boolean {
  return missing.some(({ from, to }) => from <= sequence && sequence <= to);
}

/** The gaps after `sequence` arrived. `highest`: the highest sequence received before it. */
export function updateGaps(missing: readonly Gap[], sequence: number, highest: number): Gap[] {
  if (sequence > highest) return [...missing, ...gap(highest + 1, sequence - 1)];
  return missing.flatMap((each) =>
    isMissing([each], sequence) ? [...gap(each.from, sequence - 1), ...gap(sequence + 1, each.to)] : [each],
  );
}

/** The gaps after `sequence`: earlier ones no longer matter. */
export function dropGaps(missing: readonly Gap[], sequence: number): Gap[] {
  return missing.flatMap(({ from, to }) => gap(Math.max(from, sequence + 1), to));
}

function gap(from: number, to: number): Gap[] {
  return from <= to ? [{ from, to }] : [];
}
