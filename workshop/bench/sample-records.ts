const STEP_MINUTES = 15;

/** What a source of samples holds. */
export interface SourceState {
  /** Dates with timesheets. */
  readonly dates: readonly string[];
  readonly perDate: number;
  /** Every n-th timesheet of a date is approved, at another instant in each version; in version 0 none is. */
  readonly every: number;
  readonly version: number;
  /** The dates of which that is so; absent: all. */
  readonly approved?: readonly string[];
}

/** The timesheets of a date by their place, the same for the same state. */
export function listDate(
  date: string,
  { every, version, approved }: Pick<SourceState, 'every' | 'version' | 'approved'>,
  createRandom: (seed: number) => () => number,
): (index: number) => Record<string, unknown> {
  const day = Date.parse(date) / 86_400_000;
  return (index) => {
    const number = day * 100_000 + index;
    const isApproved = version > 0 && index % every === 0 && approved?.includes(date) !== false;
    const approvedHours = isApproved ? new Date(Date.parse(date) + version * 1_000).toISOString() : null;
    return { ...sampleTimesheet(index, date, createRandom(number)), id: `${number}_4711`, approvedHours };
  };
}

const FIRST_EMPLOYEE = 2_000_000;

/** The number of an employee by its id. */
export function readEmployee(id: string): number {
  return Number(id.slice(0, id.indexOf('_'))) - FIRST_EMPLOYEE;
}

/** A timesheet in the shape of the source, about 900 bytes as JSON: clocked in and out, half of them approved. */
export function sampleTimesheet(number: number, date: string, random: () => number): Record<string, unknown> {
  const start = 6 * 60 + Math.floor(random() * 20) * STEP_MINUTES;
  const minutes = 240 + Math.floor(random() * 17) * STEP_MINUTES;
  const variance = Math.floor(random() * 37) - 12;
  const at = (minute: number) => new Date(Date.parse(`${date}T00:00:00Z`) + minute * 60_000).toISOString();
  const [startTime, finishTime] = [at(start), at(start + minutes)];
  const clock = (offset: number, time: string) => ({
    id: `${4_000_000 + number * 2 + offset}_4711`,
    beacon: false,
    kiosk: random() < 0.5,
    localTime: new Date(Date.parse(time) + variance * 60_000).toISOString().slice(0, 23),
    overrideEmployee: null,
    overrideOrganisation: null,
    variance,
  });
  const department = 1 + Math.floor(random() * 40);
  return {
    __type: 'Wfm.Timesheet',
    id: `${1_000_000 + number}_4711`,
    approvedHours: random() < 0.5 ? at(start + minutes + 60) : null,
    approvedPayroll: null,
    casualJob: random() < 0.1,
    clockIn: clock(0, startTime),
    clockOut: clock(1, finishTime),
    contractedHoursId: `${3_000_000 + number}_4711`,
    date,
    department: { id: `${500 + department}_4711`, name: `Department ${department}` },
    details: [
      {
        id: `${7_000_000 + number}_4711`,
        activity: '31_4711',
        alternateDepartment: '',
        alternateOrganisation: '',
        startTime,
        finishTime,
        hours: minutes / 60,
        mealBreak: minutes > 300,
        restBreak: false,
      },
    ],
    employeeId: `${FIRST_EMPLOYEE + (number % 50_000)}_4711`,
    finishTime,
    hourlyRate: '$27.50',
    hoursToPay: minutes / 60,
    includesLeave: false,
    organisationPayRollId: '1_4711',
    organisationWorkedId: `${1 + (number % 200)}_4711`,
    overnight: false,
    processed: null,
    role: { id: `${600 + (department % 12)}_4711`, name: `Role ${department % 12}` },
    shift: random() < 0.4 ? { id: '701_4711', name: 'Morning' } : null,
    startTime,
  };
}

/** The body of a page of timesheets as the source sends it. */
export function samplePageText(
  records: readonly unknown[],
  totalRecords: number,
  { page, pages } = { page: 1, pages: 1 },
): string {
  const pagination = {
    page,
    pageSize: records.length,
    totalPages: pages,
    totalRecords,
    nextPage: page < pages ? `/timesheets?page=${page + 1}` : '',
    previousPage: '',
  };
  return JSON.stringify({ __type: 'Wfm.Page', data: records, pagination });
}
