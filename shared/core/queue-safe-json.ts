/** Characters that not every queue takes: SQS refuses U+FFFE and U+FFFF, and stand-ins of it all beyond U+FFFF. */
const REFUSED = /[\uD800-\uDFFF\uFFFE\uFFFF]/g;

/** JSON of a value that every queue and topic takes, whatever is in its texts: the same value, escaped. */
export function toQueueSafeJson(value: object): string {
  return JSON.stringify(value).replace(REFUSED, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}
