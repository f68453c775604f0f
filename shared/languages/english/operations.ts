const OUT_OF_DATE = 'hours, approvals and closings may be out of date, and what changes is told afterwards';
const WHO_ACTS = 'whoever runs the notifier finds the cause with {command}';
const UNRELIABLE = "Do not rely on today's figures until we say so. Nothing gets lost";
/** For those who pay, while records cannot be read and when they can be again. */
const UNSEEN = {
  heading: 'We cannot see {list} since {since}',
  brief: 'We cannot see {list}',
  facts: UNRELIABLE,
} as const;
const SEEN_AGAIN = {
  heading: 'We see {list} again since {seen}',
  brief: 'We see {list} again',
  facts: 'We could not since {since}. What changed meanwhile is told now, and figures are up to date again',
} as const;

/**
 * Texts about the notifier's own operation. `heading`: at most 78 characters, of which `{lists}` is such as
 * `timesheets of main`; `sentence`: without its full stop; `forPay`: what it means for those who pay.
 */
export const OPERATION_TEXTS = {
  ofConnection: ' of connection {connection}',
  onConnection: ' on connection {connection}',
  connection: 'connection {connection}',
  webhook: 'webhook {webhook}',
  listOf: '{list} of {connection}',
  listOfDay: '{list} of {day}',
  lists: {
    timesheets: 'timesheets',
    'pay-periods': 'pay periods',
    employees: 'employees',
    departments: 'departments',
  },
  records: {
    timesheets: { named: 'Timesheet {id}', unnamed: 'A timesheet without an id' },
    'pay-periods': { named: 'Pay period {id}', unnamed: 'A pay period without an id' },
    employees: { named: 'Employee {id}', unnamed: 'An employee without an id' },
    departments: { named: 'Department {id}', unnamed: 'A department without an id' },
    other: { named: 'Record {id}', unnamed: 'A record without an id' },
  },
  /** Words for the classes of dates (`shared/core/plan/`). */
  classes: {
    hot: 'the days around today',
    active: 'dates still being worked on',
    settled: 'settled dates',
  },
  lateBy: '{dates} by {duration}',
  /** In the place of what cannot be worded. `{what}` is such as `1 pay period closed`. */
  unshown: {
    place: '{record} ({place})',
    watching: 'The watching of connection {connection}',
    heading: '{record}: a message cannot be shown',
    plain: 'A message cannot be shown',
    sentence: '{record}: a message cannot be shown ({what}, seen {at}); look it up in {service}',
  },
  /** What records lost, by field. */
  losses: {
    approvedHours: 'lost their approval',
    approvedPayroll: 'lost their payroll approval',
    processed: 'are no longer processed',
    clockIn: 'lost their clock-in',
    clockOut: 'lost their clock-out',
    closed: 'are no longer closed',
  },
  lost: 'lost their {field}',
  fieldIs: '{field} is {kinds}',
  or: ' or ',
  /** Of several lists in one line. */
  cannotBeRead: 'The {lists} cannot be read',
  canBeRead: 'The {lists} can be read again',
  severalCannotBeRead: 'Several lists cannot be read',
  severalCanBeRead: 'Several lists can be read again',
  forgotten: 'One of the {lists} is forgotten: erase your copy of it',
  polls: { one: '{n} poll', other: '{n} polls' },
  attempts: { one: '{n} attempt', other: '{n} attempts' },
  says: {
    'baseline.progressed': {
      heading: 'The {lists} are being read for the first time',
      sentence:
        'The {records}{ofConnection} are being read for the first time: {read} of {of} dates so far ({n}), those around today first; changes to a date are reported once it is read',
    },
    'baseline.completed': {
      heading: 'The {lists} are now watched',
      sentence:
        'The {records}{ofConnection} are now watched ({n}{dates}); every change to them is reported from now on',
      dates: ' of {dates}',
    },
    'source.unreachable': {
      heading: 'The {lists} cannot be read',
      sentence: `The {records}{ofConnection} have not been readable since {since}: {service} {why} ({polls} failed{code}); until they are, ${OUT_OF_DATE}; ${WHO_ACTS}`,
      refused: 'refuses the credential',
      unusable: 'gives no usable answer',
      forPay: UNSEEN,
    },
    'source.recovered': {
      heading: 'The {lists} can be read again',
      sentence:
        'The {records}{ofConnection} are readable again as of {seen}; they had not been since {since} ({polls} failed)',
      forPay: SEEN_AGAIN,
    },
    'record.quarantined': {
      heading: 'One of the {lists} is ignored: it cannot be read',
      sentence: '{record}{ofConnection} cannot be read and is ignored until it can{issues}',
      listedTwice: '{record}{ofConnection} is listed twice and is ignored until it is listed once{issues}',
      invalid: ' (invalid: {issues})',
      different: ' (different: {issues})',
    },
    'record.readable': {
      heading: 'One of the {lists} is read again',
      sentence: '{record}{ofConnection} is read again as of {seen}; it had been ignored since {since}',
    },
    'slice.shrunk': {
      heading: 'Many of the {lists} disappeared at once',
      sentence:
        '{missing} of {known} {records}{onConnection} disappeared at once; they are not reported as removed until that is certain',
    },
    'slice.whole': {
      heading: 'A date of the {lists} is whole again',
      sentence:
        'The {records}{onConnection} are whole again as of {seen}: those missing since {since} are back, or reported as removed',
    },
    'poll.stalled': {
      heading: 'The {lists} are not read completely',
      sentence:
        'The {records}{ofConnection} have not been read completely since {since}; changes may be reported late',
    },
    'poll.resumed': {
      heading: 'The {lists} are read again',
      sentence:
        'The {records}{ofConnection} are read again as of {seen}; it was reported at {since} that they were not',
    },
    'slice.unreadable': {
      heading: 'A date of the {lists} cannot be read',
      sentence: `The {records}{onConnection} have not been readable since {since} ({attempts} failed: {reason}); numbers that include them may be incomplete until they are; they are tried again {at}, everything else is read as usual; ${WHO_ACTS}`,
      forPay: {
        ...UNSEEN,
        facts:
          'Do not rely on figures that include them until we say so. Nothing gets lost, and everything else is up to date',
      },
    },
    'slice.readable': {
      heading: 'A date of the {lists} can be read again',
      sentence:
        'The {records}{onConnection} are readable again as of {seen}; they had not been since {since} ({attempts} failed)',
      forPay: SEEN_AGAIN,
    },
    'feed.lagging': {
      heading: 'The {lists} are read late',
      sentence:
        'The {records}{ofConnection} have been read late since {since}{lags}; changes are reported that much later',
      forPay: {
        heading: 'Changes of {list} are seen late since {since}',
        brief: 'Changes of {list} are seen late',
        facts: 'Figures can be behind{by} until we say so. Nothing gets lost',
        by: ' by up to {duration}',
      },
    },
    'feed.caught_up': {
      heading: 'The {lists} are read in time again',
      sentence:
        'The {records}{ofConnection} are read in time again as of {seen}; they had been late since {since}',
      forPay: {
        heading: 'Changes of {list} are seen in time again since {seen}',
        brief: 'Changes of {list} are seen in time again',
        facts: 'They had been late since {since}',
      },
    },
    'feed.complete': {
      heading: 'The {lists} are published completely',
      sentence: 'Of the {records}{ofConnection} everything until {moment} is published{except}',
      uncertain: 'Of the {records}{ofConnection} nothing is certain{except}',
      except: { one: ', with {n} exception', other: ', with {n} exceptions' },
    },
    'slice.mass_change': {
      heading: 'Many of the {lists} changed at once',
      sentence:
        'All at once, {lost} of {known} {records}{onConnection} {what} (seen {seen}, confirmed {confirmed})',
      forPay: {
        heading: 'All at once, {lost} of {known} {list} {what}',
        facts: 'Ask whether that was meant. Seen {seen}, confirmed {confirmed}',
      },
    },
    'source.form_changed': {
      heading: 'The {lists} come in a form that cannot be read',
      sentence: `The {records}{ofConnection} have come in a different form since {since}: {bad} of {all} cannot be read{fields}; until they can, ${OUT_OF_DATE}; ${WHO_ACTS}`,
      forPay: {
        ...UNSEEN,
        facts: `{service} writes them in another form. ${UNRELIABLE}`,
      },
    },
    'source.form_restored': {
      heading: 'The {lists} can be read again, in their old form',
      sentence:
        'The {records}{ofConnection} can be read again as of {seen}; they had come in a different form since {since}',
      forPay: SEEN_AGAIN,
    },
    'publish.failed': {
      heading: 'Events about {lists} cannot be published',
      expired:
        '{events} about {records}{whose}{ofConnection}, found {at}, can no longer be published: the event log no longer holds them; subscribers will not receive them',
      sentence:
        '{events} about {records}{whose}{ofConnection}, found {at}, cannot be published: SNS refuses them; subscribers will not receive them',
      events: { one: '{n} event', other: '{n} events' },
      noEvents: 'Events',
      forPay: {
        heading: {
          one: '{n} change of {list} could not be passed on',
          other: '{n} changes of {list} could not be passed on',
        },
        noChanges: 'Changes of {list} could not be passed on',
        facts: 'Neither people nor systems are told of what was seen {at}; look it up in {service}{which}',
      },
    },
    'delivery.failed': {
      heading: 'The webhook {webhook} did not accept an event',
      sentence: {
        one: 'The webhook {webhook} did not accept the event {type} {id}; given up after {n} attempt ({reason})',
        other:
          'The webhook {webhook} did not accept the event {type} {id}; given up after {n} attempts ({reason})',
      },
      untried: 'The webhook {webhook} did not accept the event {type} {id}; it was not tried ({reason})',
    },
    'delivery.recovered': {
      heading: 'The webhook {webhook} accepted an event after all',
      sentence: 'The webhook {webhook} accepted the event {type} {id} after all; it was given up at {at}',
    },
    'webhook.disabled': {
      heading: 'The webhook {webhook} is disabled and gets no more events',
      sentence:
        'The webhook {webhook} asked for no more events (it answered {reason}); nothing is sent to it until its address in the config changes',
    },
    'webhook.enabled': {
      heading: 'The webhook {webhook} gets events again',
      sentence:
        'The webhook {webhook} gets events again; it had been disabled since {since}; what it missed is in its dead-letter queue',
    },
  },
} as const;
