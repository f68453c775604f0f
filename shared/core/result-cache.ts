/** Few distinct arguments occur, each very often. */
const MAX_RESULTS_OF_A_NAME = 10_000;

/**
 * Results of a pure function of a text and a whole number. Joining the two to one key would take longer than the lookup.
 * There are few texts; once one of them has 10,000 results, these are dropped.
 */
export class ResultCache<Value> {
  readonly #byName = new Map<string, Map<number, Value>>();

  get(name: string, index: number, compute: () => Value): Value {
    let known = this.#byName.get(name);
    if (known === undefined || known.size >= MAX_RESULTS_OF_A_NAME) {
      known = new Map();
      this.#byName.set(name, known);
    }
    const before = known.get(index);
    if (before !== undefined) return before;
    const value = compute();
    known.set(index, value);
    return value;
  }
}
