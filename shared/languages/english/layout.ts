/** What stands around the sentences of a message, in each medium. */
export const LAYOUT = {
  /** A link or a button. */
  open: 'Open',
  noTitle: 'Workforce alert',
  more: { other: '+ {n} more' },
  seen: 'Seen on {day} at {time} ({zone})',
  mail: {
    files: 'What to pay, and what is left over, as files: {url}',
    why: 'You receive this because your address is in the channel "{channel}" of {stack}.',
    stop: 'To stop it, use the link that AWS adds below, or ask for your address to be removed from notifier.config.ts.',
  },
} as const;
