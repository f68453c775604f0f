import type { Line } from '../message.ts';
import type { Reader } from '../reader.ts';
import { buildConsoleUrl, fillRecordUrl } from '../record-address.ts';

/** Where people open records. */
export interface RecordAddresses {
  readonly recordUrl?: string | undefined;
  readonly consoleUrl?: string | undefined;
}

/** Who reads the messages of a channel, with what its groups need besides. */
export interface MessageReader extends Reader, RecordAddresses {
  readonly now: number;
  /** `Weekly 26 Oct - 1 Nov`, of a pay period by its id; null where it is not known. */
  readonly namePeriod: (id: string) => string | null;
}

/** What a message says, before it is bounded and has its id. */
export interface Rendered {
  readonly heading: string;
  readonly lines: readonly Line[];
  /** Records without a line. */
  readonly more?: number;
  readonly url?: string | undefined;
}

interface TimesheetPlace {
  readonly timesheetId: string;
  readonly employeeId: string;
}

/** Where people open a timesheet; undefined where no address is known. */
export function urlOfTimesheet(
  place: TimesheetPlace,
  connection: string,
  { recordUrl, consoleUrl }: RecordAddresses,
): string | undefined {
  if (recordUrl !== undefined) return fillRecordUrl(recordUrl, { ...place, connection });
  return urlOfRecord(place.timesheetId, connection, { consoleUrl });
}

export function urlOfRecord(
  id: string,
  connection: string,
  { consoleUrl }: Pick<RecordAddresses, 'consoleUrl'>,
): string | undefined {
  return consoleUrl === undefined ? undefined : buildConsoleUrl(consoleUrl, { id, connection });
}
