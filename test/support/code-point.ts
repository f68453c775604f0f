import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };
const MAX_CODE_POINT = 0x10ffff;

/**
 * Any character: the unit `binary` of fast-check, which draws the same, but takes a second and 170 MB of each worker for
 * a map of all of them.
 */
export const CODE_POINT = fc.nat(MAX_CODE_POINT - SURROGATES.count).map(toCharacter, toNumber);

function toCharacter(number: number): string {
  return String.fromCodePoint(number < SURROGATES.from ? number : number + SURROGATES.count);
}

function toNumber(character: unknown): number {
  const [point, ...others] = [...String(character)].map((each) => each.codePointAt(0) ?? 0);
  if (point === undefined || others.length > 0) throw new Error(`${character} is not one character`);
  return point < SURROGATES.from ? point : point - SURROGATES.count;
}
