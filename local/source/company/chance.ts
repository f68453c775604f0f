/** Stateless randomness: the same seed and key give the same draw, whatever was drawn before. */
export interface Chance {
  /** At least 0, less than 1. */
  fraction(key: string): number;
  /** An integer from `from` to `to`, inclusive. */
  whole(key: string, from: number, to: number): number;
  /** Up to `count` distinct items, in the order of the list. */
  some<T>(key: string, list: readonly T[], count: number): T[];
}

export function createChance(seed: number): Chance {
  const fraction = (key: string): number => hash(`${seed}/${key}`) / 2 ** 32;
  const whole = (key: string, from: number, to: number): number =>
    from + Math.floor(fraction(key) * (to - from + 1));
  return {
    fraction,
    whole,
    some(key, list, count) {
      const chosen = new Set<number>();
      // On a collision the next free item is taken, so the loop ends.
      for (let n = 0; n < Math.min(count, list.length); n += 1) {
        let index = whole(`${key}/${n}`, 0, list.length - 1);
        while (chosen.has(index)) index = (index + 1) % list.length;
        chosen.add(index);
      }
      return list.filter((_, index) => chosen.has(index));
    },
  };
}

/** FNV-1a with the finalizer of MurmurHash3: keys that differ in one digit give unrelated draws. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
