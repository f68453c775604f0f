/**
 * `critical` wakes somebody at night: nothing is reported, or a subscriber misses what is. `warning` is for the morning:
 * something is late, kept for a redrive, or of one receiver.
 */
export type Severity = 'critical' | 'warning';

/** First word of the description of each alarm, by which a receiver tells them apart. */
export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  critical: 'Critical:',
  warning: 'Warning:',
};

/**
 * Every alarm of the template. `docs/runbook.md` has a chapter for each, under its id. `impact` is what the reader of
 * the alarm sees: what is lost or late while it sounds.
 */
export const ALARMS = {
  'poll-dead-letters': {
    severity: 'warning',
    impact:
      'Polls failed, hung or never started three times in a day: changes are reported late, none is lost.',
  },
  'poll-silent': {
    severity: 'critical',
    impact:
      'No poll of this feed has read everything it planned to for a while: changes are reported late or not yet.',
  },
  'events-waiting': {
    severity: 'critical',
    impact: 'Stored events cannot be published: subscribers get them late but in order, none is lost.',
  },
  'feed-lagging': {
    severity: 'warning',
    impact:
      'The source allows fewer requests than are due: changes are reported late, by half an hour or more.',
  },
  'slice-unreadable': {
    severity: 'warning',
    impact:
      'Some dates cannot be read: their changes are reported once they can be. All others are read as usual.',
  },
  'source-form-changed': {
    severity: 'critical',
    impact:
      'The source sends records in a different form: no changes of the feed are reported until that is fixed.',
  },
  'publish-failed': {
    severity: 'critical',
    impact:
      'Some events can never be published: subscribers miss them and must read the records in the source.',
  },
  'deliveries-withheld': {
    severity: 'critical',
    impact:
      'Published events were not tried at a webhook for half an hour, or a receiver is not subscribed any more: it misses events.',
  },
  'subscriber-dead-letters': {
    severity: 'warning',
    impact: 'A subscriber failed to process events; they are in its dead-letter queue.',
  },
  'subscriber-backlog': {
    severity: 'warning',
    impact: 'A subscriber processes its queue too slowly or not at all: it learns of changes late.',
  },
  'check-dead-letters': {
    severity: 'warning',
    impact:
      'The check of deliveries failed or never started three times in a day: nobody hears of events that are withheld.',
  },
  'alerts-dead-letters': {
    severity: 'warning',
    impact: 'Events that should become alerts are in a dead-letter queue: people do not hear of them.',
  },
  'alerts-late': {
    severity: 'warning',
    impact: 'Events wait for more than 15 minutes to become alerts: people get messages late.',
  },
  'release-dead-letters': {
    severity: 'warning',
    impact:
      'The functions that send alerts and read names failed or never started three times in a day: people get messages late, or with old names. None is lost.',
  },
  'alerts-silent': {
    severity: 'warning',
    impact:
      'Alerts wait because the function that sends them does not run: people get no messages. None is lost.',
  },
  'slack-late': {
    severity: 'warning',
    impact: 'Messages to a Slack channel wait for more than 15 minutes: its readers get them late.',
  },
  'slack-dead-letters': {
    severity: 'warning',
    impact: 'Slack refused messages to a channel: its readers did not get them.',
  },
  'teams-late': {
    severity: 'warning',
    impact: 'Messages to a Teams channel wait for more than 15 minutes: its readers get them late.',
  },
  'teams-dead-letters': {
    severity: 'warning',
    impact: 'Teams refused messages to a channel: its readers did not get them.',
  },
  'names-stale': {
    severity: 'warning',
    impact:
      'The names of employees and departments were not refreshed for two days: messages show old names, or ids.',
  },
  'webhook-dead-letters': {
    severity: 'warning',
    impact: 'An endpoint did not accept events in spite of all retries; they are in its dead-letter queue.',
  },
  'webhook-failing': {
    severity: 'warning',
    impact:
      'An endpoint has refused an event for more than half an hour: it learns of changes late. What waits is sent again.',
  },
  'webhook-paused': {
    severity: 'warning',
    impact: 'An endpoint is paused, and its oldest event has waited for 12 days: SQS deletes it after 14.',
  },
} as const satisfies Record<string, { readonly severity: Severity; readonly impact: string }>;
export type AlarmId = keyof typeof ALARMS;

/**
 * Chapters of `docs/runbook.md` on what no metric shows: `npm run notifier -- doctor` checks it, and its findings lead
 * there.
 */
export const DOCTOR_CHAPTERS = ['alarms-unheard', 'mail-unconfirmed', 'clock-skew'] as const;

/** Where a finding of `doctor` leads to. */
export function describeChapter(chapter: AlarmId | (typeof DOCTOR_CHAPTERS)[number]): string {
  return `see ${chapter} in docs/runbook.md`;
}

/** Description of an alarm: its severity, its impact, and its chapter of the runbook. */
export function describeAlarm(id: AlarmId): string {
  const { severity, impact } = ALARMS[id];
  return `${SEVERITY_WORDS[severity]} ${impact} What to do: docs/runbook.md#${id}`;
}
