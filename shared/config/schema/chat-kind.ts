/** Kinds of channels whose messages are posted to an address, from a queue of their own. */
export const CHAT_KINDS = ['slack', 'teams'] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];

export function isChat<Entry extends { readonly kind: string }>(
  channel: Entry,
): channel is Entry & { readonly kind: ChatKind } {
  return CHAT_KINDS.some((kind) => kind === channel.kind);
}
