/** The address of the history of a timesheet or pay period in the console. */
export function buildConsoleUrl(
  consoleUrl: string,
  { id, connection }: { readonly id: string; readonly connection: string },
): string {
  return `${consoleUrl}/records/${encodeURIComponent(id)}?connection=${encodeURIComponent(connection)}`;
}

/** The address of the list of pay periods in the console, with what is open of each. */
export function buildPeriodsUrl(consoleUrl: string): string {
  return `${consoleUrl}/periods`;
}

/** The address of one of them, which has its files. */
export function buildPeriodUrl(
  consoleUrl: string,
  { id, connection }: { readonly id: string; readonly connection: string },
): string {
  return `${buildPeriodsUrl(consoleUrl)}/${encodeURIComponent(id)}?connection=${encodeURIComponent(connection)}`;
}
