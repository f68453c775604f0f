interface RecordPlace {
  readonly timesheetId: string;
  readonly employeeId: string;
  readonly connection: string;
}

/** The address of a timesheet that a config gives, with its places filled. */
export function fillRecordUrl(recordUrl: string, place: RecordPlace): string {
  return recordUrl.replaceAll(/\{(timesheetId|employeeId|connection)\}/g, (_, name: keyof RecordPlace) =>
    encodeURIComponent(place[name]),
  );
}

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
