/** Characters that some queues refuse: SQS U+FFFE and U+FFFF, its emulators everything beyond U+FFFF. */
const REFUSED = /[\uD800-\uDFFF\uFFFE\uFFFF]/g;

/** JSON of a value in which characters that a queue or topic may refuse are escaped. */
export function toQueueSafeJson(value: object): string {
  return JSON.stringify(value).replace(REFUSED, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
}
