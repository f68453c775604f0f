import fc from 'fast-check';

const SEED = 20_260_305;

/** Checks a property on the same samples at every run, so that a failure is never a matter of luck. */
export function holds<Values>(property: fc.IProperty<Values>, runs?: number): void;
export function holds<Values>(property: fc.IAsyncProperty<Values>, runs?: number): Promise<void>;
export function holds<Values>(
  property: fc.IProperty<Values> | fc.IAsyncProperty<Values>,
  runs = 100,
): Promise<void> | void {
  return fc.assert(property as fc.IAsyncProperty<Values>, { seed: SEED, numRuns: runs });
}
