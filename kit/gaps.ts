/** Sequences from `from` to `to`, both included. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Whether a sequence lies in one of these gaps. */
export function isMissing(missing: readonly Gap[], sequence: number): boolean {
  return missing.some(({ from, to }) => from <= sequence && sequence <= to);
}

/** The gaps after a sequence came. `highest`: the highest one that had come before. */
export function updateGaps(missing: readonly Gap[], sequence: number, highest: number): Gap[] {
  if (sequence > highest) return [...missing, ...gap(highest + 1, sequence - 1)];
  return missing.flatMap((each) =>
    isMissing([each], sequence) ? [...gap(each.from, sequence - 1), ...gap(sequence + 1, each.to)] : [each],
  );
}

function gap(from: number, to: number): Gap[] {
  return from <= to ? [{ from, to }] : [];
}
