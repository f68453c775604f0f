/** Which mistake is planted now: replaced modules look here. Empty for none. */
export const planted = { name: '' };

/** The mistake of a function while it has this name, and the right function otherwise. */
export function wrongWhen<Given extends unknown[], Result>(
  name: string,
  right: (...given: Given) => Result,
  wrong: (...given: Given) => Result,
): (...given: Given) => Result {
  return (...given) => (planted.name === name ? wrong(...given) : right(...given));
}
