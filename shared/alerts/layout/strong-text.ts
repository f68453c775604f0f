/** A piece of a text, and whether it stands out. */
export interface TextPiece {
  readonly text: string;
  readonly isStrong: boolean;
}

/** Splits a text at the parts that stand out, which occur in it as whole words, one after another. Others are left out. */
export function splitStrong(text: string, strong: readonly string[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const part of strong) {
    const at = part === '' ? -1 : findWhole(text, part, from);
    if (at === -1) continue;
    pieces.push({ text: text.slice(from, at), isStrong: false }, { text: part, isStrong: true });
    from = at + part.length;
  }
  return [...pieces, { text: text.slice(from), isStrong: false }].filter((piece) => piece.text !== '');
}

/** UTF-16 units of one character. */
const MAX_UNITS = 2;

/** Where a part is in a text, or -1. Not within a word or a number: `2 not approved` is no part of `12 not approved`. */
export function findWhole(text: string, part: string, from: number): number {
  for (let at = text.indexOf(part, from); at !== -1; at = text.indexOf(part, at + 1)) {
    const isWhole =
      !/[\p{L}\p{N}\p{M}]$/u.test(text.slice(Math.max(0, at - MAX_UNITS), at)) &&
      !/^[\p{L}\p{N}\p{M}]/u.test(text.slice(at + part.length, at + part.length + MAX_UNITS));
    if (isWhole) return at;
  }
  return -1;
}
