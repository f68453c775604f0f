/** Minutes between two scheduled polls of a connection: a poll reads only what is due, which costs little. */
export const POLL_MINUTES = 1;
/**
 * Seconds after the start of a scheduled poll during which others follow by messages, for dates that are due more often:
 * until the next schedule. They cost requests to the source and next to no Lambda time.
 */
export const FOLLOW_UPS_FOR_SECONDS = 50;
/** A poll ends before this, and the next one continues. */
export const POLL_TIMEOUT_SECONDS = 300;
/** Without a complete poll of a connection for this long somebody is told: by then polls that were throttled have caught up. */
export const SILENT_AFTER_MINUTES = 15;
