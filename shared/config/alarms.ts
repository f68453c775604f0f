/**
 * Every alarm there can be. The template makes them from this list, and `docs/runbook.md` has one heading for each,
 * which is its id. `impact` says what is lost or late while it sounds, for whoever reads it in the mailbox.
 */
export const ALARMS = {
  'poll-errors': {
    impact: 'Polls of a feed end with an error: changes are told late, none is lost.',
  },
  'poll-throttled': {
    impact: 'AWS Lambda holds polls of a feed back: changes are told late, none is lost.',
  },
  'poll-dead-letters': {
    impact:
      'Polls of a feed failed or never started three times in a day: changes are told late, none is lost.',
  },
  'schedule-failing': {
    impact: 'Schedules cannot start polls of a feed: changes are told late, none is lost.',
  },
  'poll-silent': {
    impact: 'No poll of this feed saw all it planned to see for a while: changes are told late or not yet.',
  },
  'events-waiting': {
    impact: 'Events are stored that no topic takes: subscribers get them late and in order, none is lost.',
  },
  'feed-lagging': {
    impact: 'The source allows less than is due: changes are told late, by half an hour or more.',
  },
  'slice-unreadable': {
    impact:
      'Some dates cannot be read: their changes are told once they can be. All others are read as usual.',
  },
  'source-form-changed': {
    impact: 'The source sends records in another form: changes of a feed are not told until it is mended.',
  },
  'publish-failed': {
    impact: 'Events can never be published: subscribers miss them, and learn of their records another way.',
  },
  'table-throttled': {
    impact: 'DynamoDB holds reads or writes of the table back: polls take longer or end early.',
  },
  'table-system-errors': {
    impact: 'DynamoDB fails to read or write the table: polls end early, changes are told late.',
  },
  'delivery-failed': {
    impact:
      'A topic could not deliver to one of its subscribers, which misses events until they are redriven.',
  },
  'subscriber-dead-letters': {
    impact: 'A subscriber could not work off events, and they lie in the dead-letter queue of its queue.',
  },
  'subscriber-backlog': {
    impact: 'A subscriber works its queue off too slowly or not at all: it learns of changes late.',
  },
  'alerts-dead-letters': {
    impact: 'People are not told of events that lie in the dead-letter queue of the alerts.',
  },
  'alerts-late': {
    impact: 'Events wait to become alerts for more than 15 minutes: people are told late.',
  },
  'alerts-not-released': {
    impact: 'What is to be told waits: people get no messages, or not in every channel. None is lost.',
  },
  'alerts-silent': {
    impact: 'What is to be told waits, and nothing takes it further: people get no messages. None is lost.',
  },
  'slack-late': {
    impact: 'Messages to a Slack channel wait for more than 15 minutes: its people are told late.',
  },
  'slack-dead-letters': {
    impact: 'Slack refused messages of a channel, whose people were not told.',
  },
  'directory-errors': {
    impact:
      'The names of employees and departments were not refreshed: people are told the old ones, or ids.',
  },
  'names-forbidden': {
    impact: 'The source refuses lists of names: people are told the old ones, or ids.',
  },
  'webhook-dead-letters': {
    impact: 'An endpoint did not take events in spite of all retries, and they lie in its dead-letter queue.',
  },
  'webhook-errors': {
    impact: 'Delivering to an endpoint fails on our side, such as for want of its secret: its events wait.',
  },
  'webhook-backlog': {
    impact: 'An endpoint takes events more slowly than they come: it learns of changes late.',
  },
  'replay-errors': {
    impact: 'A replay that somebody started ended early: a part of its events was not published again.',
  },
} as const satisfies Record<string, { readonly impact: string }>;
export type AlarmId = keyof typeof ALARMS;

/** Text of an alarm: what it means and where to read on. */
export function describeAlarm(id: AlarmId): string {
  return `${ALARMS[id].impact} What to do: docs/runbook.md#${id}`;
}
