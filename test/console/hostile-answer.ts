/** What a source could send to run as HTML. */
export const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

/** The answer to a request for a record or a person, hostile wherever the source says what it is. */
export function createHostileAnswer() {
  const event = {
    id: 'event-1',
    type: `workforce.timesheet.${HOSTILE}`,
    sequence: 1,
    time: '2026-11-20T08:59:00.000Z',
    data: {
      current: { [HOSTILE]: HOSTILE },
      previous: { [HOSTILE]: `${HOSTILE}!` },
      changed: [HOSTILE],
      observed: { after: null, by: '2026-11-20T08:59:00.000Z' },
      occurredAt: HOSTILE,
      late: [HOSTILE],
    },
  };
  const place = { connection: 'main', timeZone: 'UTC', feed: 'timesheets', record: HOSTILE };
  const chapter = { event, committedAt: event.time, published: true, deliveries: [] };
  const receiver = {
    name: HOSTILE,
    outcome: 'failed',
    at: null,
    attempts: 1,
    answers: [HOSTILE],
    detail: null,
    nextAt: null,
    text: HOSTILE,
  };
  const note = {
    eventId: 'event-1',
    says: HOSTILE,
    topic: HOSTILE,
    receivers: [receiver],
  };
  const line = {
    ...place,
    key: '1',
    id: 'event-1',
    type: HOSTILE,
    date: HOSTILE,
    late: [HOSTILE],
    period: null,
  };
  const sheet = { id: HOSTILE, date: HOSTILE, departmentId: HOSTILE, payPeriods: [HOSTILE] };
  return {
    // What the page of a person is made of.
    name: HOSTILE,
    timeZone: 'UTC',
    from: HOSTILE,
    to: HOSTILE,
    since: HOSTILE,
    periods: [{ id: HOSTILE, calendar: HOSTILE, startDate: HOSTILE, finishDate: HOSTILE, closed: false }],
    timesheets: [
      {
        ...{ ...sheet, department: HOSTILE, hours: 1 },
        ...{ approved: false, payrollApproved: false, processed: true },
      },
    ],
    changes: [{ ...line, says: HOSTILE, seenAt: HOSTILE, receivers: [receiver] }],
    readAt: event.time,
    // And that of a record.
    found: [{ ...place, chapters: [chapter], state: { [HOSTILE]: HOSTILE }, sequence: 1 }],
    notes: [
      {
        employeeId: HOSTILE,
        employee: HOSTILE,
        department: HOSTILE,
        chapters: [note],
        command: HOSTILE,
        send: HOSTILE,
        curl: HOSTILE,
      },
    ],
  };
}
