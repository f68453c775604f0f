/** SNS message attributes, `true` when set, that tell a message from the first publication of an event. */
export const MESSAGE_FLAGS = {
  /** Published before, and sent again on request. */
  sentAgain: 'sent-again',
  /** Reports nothing: sent to try a receiver. */
  example: 'example',
} as const;

/** Whether a message has such an attribute. */
export function hasFlag(
  attributes: Readonly<Record<string, string>>,
  name: keyof typeof MESSAGE_FLAGS,
): boolean {
  return attributes[MESSAGE_FLAGS[name]] === 'true';
}
