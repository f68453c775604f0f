/** An approval, as a delivery knows it. */
export const EVENT = {
  id: 'a1',
  source: '/connections/main/timesheets',
  type: 'workforce.timesheet.approved',
  subject: '910001_1',
  connection: 'main',
  sequence: 3,
  data: { organisationId: '16_1', departmentId: '261_1', late: ['close'] },
};
