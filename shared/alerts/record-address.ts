/** The address of the history of a timesheet or pay period in the console. */
export function buildConsoleUrl(
  consoleUrl: string,
  { id, connection }: { readonly id: string; readonly connection: string },
): string {
  return `${consoleUrl}/records/${encodeURIComponent(id)}?connection=${encodeURIComponent(connection)}`;
}
