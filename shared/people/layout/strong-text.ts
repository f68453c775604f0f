/** A piece of a text, and whether it stands out. */
export interface TextPiece {
  readonly text: string;
  readonly isStrong: boolean;
}

/** Splits a text at the phrases that stand out, which occur in it as whole words, one after another. Others are left out. */
export function splitStrong(text: string, strong: readonly string[]): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const phrase of strong) {
    const at = phrase === '' ? -1 : findWhole(text, phrase, from);
    if (at === -1) continue;
    pieces.push({ text: text.slice(from, at), isStrong: false }, { text: phrase, isStrong: true });
    from = at + phrase.length;
  }
  return [...pieces, { text: text.slice(from), isStrong: false }].filter((piece) => piece.text !== '');
}

/** UTF-16 units of one character. */
const MAX_UNITS = 2;

/** Where a phrase is in a text, or -1. Not within a word or a number: `2 not approved` is not in `12 not approved`. */
export function findWhole(text: string, phrase: string, from: number): number {
  for (let at = text.indexOf(phrase, from); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const isWhole =
      !/[\p{L}\p{N}\p{M}]$/u.test(text.slice(Math.max(0, at - MAX_UNITS), at)) &&
      !/^[\p{L}\p{N}\p{M}]/u.test(text.slice(at + phrase.length, at + phrase.length + MAX_UNITS));
    if (isWhole) return at;
  }
  return -1;
}
