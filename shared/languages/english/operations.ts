/** While records cannot be read, and when they can be again. */
const UNSEEN = { heading: 'We cannot see {list} since {since}' } as const;
const SEEN_AGAIN = {
  heading: 'We see {list} again since {seen}',
  facts: 'We could not since {since}. What changed meanwhile is told now, and figures are up to date again',
} as const;

/**
 * Texts about the notifier's own operation, without their last full stop. `facts` follow a `heading`. `{list}` is such as `timesheets of Fri 13 Nov`.
 */
export const OPERATION_TEXTS = {
  ofConnection: ' of connection {connection}',
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
    timesheets: 'Timesheet {id}',
    'pay-periods': 'Pay period {id}',
    employees: 'Employee {id}',
    departments: 'Department {id}',
  },
  /** In the place of what cannot be worded. `{what}` is such as `1 pay period closed`. */
  unshown: {
    place: '{record} ({place})',
    watching: 'The watching of connection {connection}',
    heading: '{record}: a message cannot be shown',
    sentence: '{record}: a message cannot be shown ({what}, seen {at}); look it up in {service}',
  },
  forgotten: 'One of the {list} is forgotten: erase your copy of it',
  watched: {
    heading: 'The {list} are now watched',
    facts: 'Every change to them ({n}{dates}) is reported from now on',
    dates: ' of {dates}',
  },
  complete: {
    heading: 'The {list} are published completely',
    facts: 'Everything until {moment} is published{except}',
    uncertain: 'Nothing is certain{except}',
    except: { one: ', with {n} exception', other: ', with {n} exceptions' },
  },
  /** For those who find the cause. `{action}` is a sentence. */
  cause: '{facts}. Cause: {cause}. {action}',
  troubles: {
    source_unreachable: {
      began: {
        ...UNSEEN,
        facts: "Do not rely on today's figures until we say so. Nothing gets lost",
      },
      ended: SEEN_AGAIN,
    },
    dates_unreadable: {
      began: {
        ...UNSEEN,
        facts:
          'Do not rely on figures that include them until we say so. Nothing gets lost, and everything else is up to date',
      },
      ended: SEEN_AGAIN,
    },
    records_unreadable: {
      began: {
        heading: 'We cannot read one of the {list} since {since}',
        facts: '{record} keeps its last known state until we can',
      },
      ended: {
        heading: 'We read one of the {list} again since {seen}',
        facts: '{record} could not be read since {since}',
      },
    },
    dates_doubtful: {
      began: {
        heading: '{n} of the {list} are in doubt since {since}',
        facts:
          'So many changed at once that we look again before we report it. Do not rely on figures that include them until we say so',
      },
      ended: {
        heading: 'The {list} are certain again since {seen}',
        facts: 'They had been in doubt since {since}. What did change is reported now',
      },
    },
    feed_late: {
      began: {
        heading: 'Changes of {list} are seen late since {since}',
        facts: 'Figures can be behind until we say so. Nothing gets lost',
      },
      ended: {
        heading: 'Changes of {list} are seen in time again since {seen}',
        facts: 'They had been late since {since}',
      },
    },
    publish_failed: {
      began: {
        heading: 'Changes of {list} could not be passed on',
        facts: 'Neither people nor systems are told of what was seen at {since}; look it up in {service}',
      },
      ended: {
        heading: 'Changes of {list} are passed on again since {seen}',
        facts: 'What was lost at {since} is not told again',
      },
    },
    delivery_failed: {
      began: {
        heading: 'The webhook {webhook} did not accept an event',
        facts: 'The event {about} was given up, and is in the dead-letter queue',
      },
      ended: {
        heading: 'The webhook {webhook} accepted an event after all',
        facts: 'The event {about} had been given up at {since}',
      },
    },
    webhook_disabled: {
      began: {
        heading: 'The webhook {webhook} is disabled and gets no more events',
        facts: 'It asked for that',
      },
      ended: {
        heading: 'The webhook {webhook} gets events again',
        facts: 'It had been disabled since {since}. What it missed is in its dead-letter queue',
      },
    },
    /** Of a kind that a later version adds. */
    other: {
      began: { heading: 'Trouble: {kind}', facts: 'It began at {since}' },
      ended: { heading: 'Over: {kind}', facts: 'It had begun at {since}' },
    },
  },
} as const;
