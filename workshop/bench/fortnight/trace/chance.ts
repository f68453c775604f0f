/** A number from 0 up to, not including, 1 that depends on its arguments alone. */
export function chance(seed: number, ...parts: readonly number[]): number {
  let mixed = (seed ^ 0x9e3779b9) >>> 0;
  for (const part of parts) {
    mixed = Math.imul(mixed ^ (part | 0), 0x85ebca6b) >>> 0;
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
    mixed = (mixed ^ (mixed >>> 16)) >>> 0;
  }
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
  return ((mixed ^ (mixed >>> 12)) >>> 0) / 4_294_967_296;
}

/** Roughly normal with mean 0 and deviation 1, from three uniform draws. */
export function drawNormal(random: () => number): number {
  return (random() + random() + random() - 1.5) * 2;
}
