/** SNS message attributes, `true` when set, that tell a message from the first publication of an event. */
export const MESSAGE_MARKS = {
  /** Published before, and sent again by a replay. */
  replayed: 'replayed',
  /** Reports nothing: sent to try a receiver. */
  example: 'example',
} as const;

/** Whether a message carries a mark. */
export function hasMark(
  attributes: Readonly<Record<string, string>>,
  mark: keyof typeof MESSAGE_MARKS,
): boolean {
  return attributes[MESSAGE_MARKS[mark]] === 'true';
}
