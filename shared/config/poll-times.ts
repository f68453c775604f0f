/** Minutes between two scheduled polls of timesheets, and of pay periods: a poll reads only what is due, which costs little. */
export const POLL_MINUTES = 1;
/** The same of employees and departments: each poll asks for both lists whole. */
export const DIRECTORY_POLL_MINUTES = 20;
/**
 * Seconds after the start of a poll of timesheets during which follow-ups read busy dates again: until the next scheduled
 * one. They cost requests to the source and next to no Lambda time.
 */
export const REREAD_FOR_SECONDS = 50;
/** A poll ends before this, and the next one continues. */
export const POLL_TIMEOUT_SECONDS = 300;
/** Without a complete poll of a feed for this long somebody is told: by then polls that were throttled have caught up. */
export const SILENT_AFTER_MINUTES = 15;
