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

function gap(from: number, to: number): Gap[] {
  return from <= to ? [{ from, to }] : [];
}
