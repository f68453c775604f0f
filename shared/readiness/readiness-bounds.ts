/** Timesheets that are listed; beyond that only the counts include them. */
export const MAX_WAITING = 50;
/** Departments that are listed, those with most timesheets to approve. */
export const MAX_WAITING_DEPARTMENTS = 100;
