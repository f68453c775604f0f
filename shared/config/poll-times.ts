/** Minutes between two scheduled polls of a connection: a poll reads only what is due, which costs little. */
export const POLL_MINUTES = 1;
/** A poll ends before this, and the next one continues. */
export const POLL_TIMEOUT_SECONDS = 300;
/** Without a complete poll of a connection for this long somebody is told: by then polls that were throttled have caught up. */
export const SILENT_AFTER_MINUTES = 15;
