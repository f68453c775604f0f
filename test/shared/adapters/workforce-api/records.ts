/** Records as docs/source-api.md describes them. */

const reference = (id: string, name: string) => ({ id, name });

const clockIn = {
  id: '7_1',
  beacon: false,
  kiosk: true,
  localTime: '2026-03-02T08:58:00',
  overrideEmployee: null,
  overrideOrganisation: null,
  variance: -2,
};

const address = {
  id: '',
  line1: '1 Quay Street',
  line2: '',
  suburb: '',
  city: 'Auckland',
  state: 'AKL',
  postalCode: 1010,
  country: '',
};

export const timesheet = {
  __type: 'timesheet',
  id: '1_10',
  approvedHours: '2026-03-02T18:00:00.000Z',
  approvedPayroll: null,
  casualJob: false,
  clockIn,
  clockOut: null,
  contractedHoursId: '',
  date: '2026-03-02',
  department: reference('3_1', 'Kitchen'),
  details: [
    {
      id: '9_1',
      activity: null,
      alternateDepartment: '',
      alternateOrganisation: '',
      startTime: '2026-03-02T09:00:00.000Z',
      finishTime: '2026-03-02T17:00:00.000Z',
      hours: 8,
      mealBreak: false,
      restBreak: false,
    },
  ],
  employeeId: '2_1',
  finishTime: '2026-03-02T17:00:00.000Z',
  hourlyRate: '$31.50',
  hoursToPay: 7.5,
  includesLeave: false,
  organisationPayRollId: '5_1',
  organisationWorkedId: '5_1',
  overnight: false,
  processed: null,
  role: null,
  shift: null,
  startTime: '2026-03-02T09:00:00.000Z',
  inventedLater: { kept: true },
};

export const timesheetPage = {
  __type: 'page',
  data: [timesheet],
  pagination: { page: 1, pageSize: 1, totalPages: 1, totalRecords: 1, nextPage: '', previousPage: '' },
};

export const role = { id: '4_1', name: 'Cook', costCentreCode: '', defaultActivity: '6_1' };

export const department = {
  id: '3_1',
  name: 'Kitchen',
  costCentreCode: '',
  manager: '',
  payRollCode: '',
  roles: [role],
  workDayStartTime: '',
  workDayFinishTime: '',
};

export const employee = {
  id: '2_1',
  address,
  contractedHours: [
    {
      id: '8_1',
      day: 1,
      week: 1,
      department: reference('3_1', 'Kitchen'),
      role: reference('4_1', 'Cook'),
      shift: null,
      startTime: 'T09:00:00.000',
      finishTime: null,
      minutesTotal: 480,
      minutesWorking: 450,
      workPattern: true,
    },
  ],
  firstNames: 'Mere',
  lastName: 'Tane',
  payRollCode: '',
};

export const payPeriod = {
  id: '11_1',
  calendar: 'Weekly',
  startDate: '2026-03-02',
  finishDate: '2026-03-08',
  closed: null,
  hours: 1_204.25,
  numberEmployees: 31,
  numberTimesheets: 154,
  payRollCompanyId: '',
  payRollProvider: 'Provider',
};

export const activity = {
  id: '6_1',
  name: 'Work',
  costCentre: '',
  isBreak: false,
  isPaid: true,
  payRollCodes: [{ id: '12_1', code: 'ORD', payRollProvider: 'Provider' }],
};

export const organisation = {
  id: '5_1',
  name: 'Harbour',
  address,
  departments: [department],
  roles: [role],
  shifts: [{ id: '13_1', code: 'D', name: 'Day', startTime: '09:00', finishTime: '17:00' }],
  workDayStartTime: '06:00',
  workDayFinishTime: '22:00',
};
