/** Kinds of trouble: what is told once when it begins and once when it ends. */
export const TROUBLE_KINDS = [
  'source_unreachable',
  'dates_unreadable',
  'records_unreadable',
  'dates_doubtful',
  'feed_late',
  'publish_failed',
  'delivery_failed',
  'webhook_disabled',
] as const;
export type TroubleKind = (typeof TROUBLE_KINDS)[number];
