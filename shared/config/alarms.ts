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
 * Every kind of alarm of the template; most sound for each connection, queue or receiver alone, which their name ends
 * with. `docs/runbook.md` has a chapter for each, under its id. `impact` is what the reader of the alarm sees: what is
 * lost or late while it sounds.
 */
export const ALARMS = {
  'poll-silent': {
    severity: 'critical',
    impact:
      'No poll of this connection has read all that was due for a while: changes are reported late or not yet.',
  },
  'events-waiting': {
    severity: 'critical',
    impact: 'Stored events cannot be published: subscribers get them late but in order, none is lost.',
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
  'feed-overdue': {
    severity: 'warning',
    impact:
      'The source allows fewer requests than are due: changes are reported late, by half an hour or more.',
  },
  'source-doubtful': {
    severity: 'warning',
    impact:
      'Some dates or lists of the source cannot be read, or come in another form: their changes are reported once they can be.',
  },
  'credential-refused': {
    severity: 'warning',
    impact:
      'The source refuses the credential: its secret needs a valid one. Where no poll reads anything for it, poll-silent sounds too.',
  },
  'dead-letters': {
    severity: 'warning',
    impact:
      'What failed again and again was put aside: a receiver or people miss it until somebody acts, or runs of a function are missing.',
  },
  'receiver-failing': {
    severity: 'warning',
    impact:
      'A webhook has refused an event for half an hour, or a subscriber leaves its queue lying: it learns of changes late.',
  },
  'webhook-paused': {
    severity: 'warning',
    impact: 'A webhook is paused, and its oldest event has waited for 12 days: SQS deletes it after 14.',
  },
  'messages-late': {
    severity: 'warning',
    impact: 'Messages to people wait for more than 15 minutes: they get them late. None is lost.',
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
