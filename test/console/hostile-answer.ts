/** What a source could send to run as HTML. */
export const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

/** The answer to a request for a record, hostile wherever the source says what it is. */
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
  };
  const note = {
    eventId: 'event-1',
    sentence: HOSTILE,
    topic: HOSTILE,
    rules: [],
    receivers: [receiver],
    receipt: null,
  };
  return {
    found: [{ ...place, chapters: [chapter], state: { [HOSTILE]: HOSTILE }, sequence: 1 }],
    notes: [
      {
        employee: HOSTILE,
        department: HOSTILE,
        chapters: [note],
        explain: HOSTILE,
        replay: HOSTILE,
        curl: HOSTILE,
      },
    ],
  };
}
