/** What is compared of a record. */
type Aspect =
  | 'approvedHours'
  | 'approvedPayroll'
  | 'clockIn'
  | 'clockOut'
  | 'closed'
  | 'exists'
  | 'plan'
  | 'processed';

/** The aspects of a record as text, of the source and of an event alike: they have the same names. */
export type RecordState = Readonly<Record<Aspect, string>>;

const NOTHING = 'null';

export const NO_RECORD: RecordState = {
  approvedHours: NOTHING,
  approvedPayroll: NOTHING,
  clockIn: NOTHING,
  clockOut: NOTHING,
  closed: NOTHING,
  exists: NOTHING,
  plan: NOTHING,
  processed: NOTHING,
};

export function describeRecord(record: object | null | undefined): RecordState {
  if (record === null || record === undefined) return NO_RECORD;
  const members = record as Readonly<Record<string, unknown>>;
  const text = (value: unknown) => JSON.stringify(value ?? null);
  const timeOf = (clock: unknown) =>
    text(clock === null || typeof clock !== 'object' ? null : (clock as { localTime?: unknown }).localTime);
  const { date, startTime, finishTime, hoursToPay, calendar, startDate, finishDate } = members;
  return {
    approvedHours: text(members.approvedHours),
    approvedPayroll: text(members.approvedPayroll),
    clockIn: timeOf(members.clockIn),
    clockOut: timeOf(members.clockOut),
    closed: text(members.closed),
    exists: text(true),
    plan: text([date, startTime, finishTime, hoursToPay, calendar, startDate, finishDate]),
    processed: text(members.processed),
  };
}
