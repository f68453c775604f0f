const REPLACEMENT = '\ufffd';
/** In JSON: an escape sequence, or an unescaped character that is replaced. */
const ESCAPED_OR_REFUSED = /\\(?:u[0-9a-f]{4}|.)|[\u007f-\u009f\ufffe\uffff]/g;
const IS_ASCII = /^[\x20-\x7e]*$/;
const REFUSED = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Whether a text has no control character, no lone surrogate, and neither U+FFFE nor U+FFFF. */
export function isWellFormed(text: string): boolean {
  return IS_ASCII.test(text) || text.search(REFUSED) === -1;
}

/**
 * JSON as `JSON.stringify` writes it, with U+FFFD in place of control characters, lone surrogates, U+FFFE and U+FFFF. Nearly all rows are plain ASCII without
 * an escape sequence: for them this costs three searches.
 */
export function makeJsonWellFormed(json: string): string {
  const isPlain = !json.includes('\\') && !json.includes('\u007f') && Buffer.byteLength(json) === json.length;
  return isPlain
    ? json
    : json.replace(ESCAPED_OR_REFUSED, (found) => (isQuoted(found) ? found : REPLACEMENT));
}

function isQuoted(sequence: string): boolean {
  return sequence === '\\"' || sequence === '\\\\';
}
