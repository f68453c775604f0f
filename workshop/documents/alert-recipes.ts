import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';

/** Settings for a purpose, as `alerts` of `notifier.config.ts`. */
export interface AlertRecipe {
  readonly title: string;
  readonly why: string;
  readonly alerts: NonNullable<NotifierConfigInput['alerts']>;
}

export const ALERT_RECIPES: readonly AlertRecipe[] = [
  {
    title: 'Payroll runs when a period closes',
    why: 'One calendar, one mailbox, in words of your own. The day shift reads it: at night and on weekends the message waits.',
    alerts: {
      channels: [
        {
          name: 'payroll-office',
          kind: 'email',
          addresses: ['payroll@acme.example'],
          quietHours: { from: '18:00', to: '07:00', weekends: true },
        },
      ],
      rules: [
        {
          types: ['workforce.pay_period.closed'],
          when: { calendar: ['Weekly'] },
          words: 'Please run payroll: {sentence}',
        },
      ],
    },
  },
  {
    title: 'Hours that change after approval',
    why: 'A change of half an hour or more to a timesheet that somebody has approved already. Urgent: it goes out at once, also in quiet hours.',
    alerts: {
      channels: [{ name: 'payroll', kind: 'slack', secretName: 'workforce-notifier/slack/payroll' }],
      rules: [
        {
          types: ['workforce.timesheet.changed', 'workforce.timesheet.removed'],
          when: { late: ['approval', 'processing'], hoursChangedBy: 0.5 },
          urgent: true,
        },
      ],
    },
  },
  {
    title: 'One department in a channel of its own',
    why: 'The kitchen sees who clocks in and out, by name. Several alerts within five minutes become one message.',
    alerts: {
      channels: [
        {
          name: 'kitchen',
          kind: 'slack',
          secretName: 'workforce-notifier/slack/kitchen',
          digestSeconds: 300,
          names: ['employees', 'departments'],
        },
      ],
      rules: [
        {
          types: ['workforce.timesheet.clocked_in', 'workforce.timesheet.clocked_out'],
          when: { departmentId: ['501_4711'] },
        },
      ],
    },
  },
  {
    title: 'Who has not come',
    why: 'Needs `absences: { clockInMinutes: 15, clockOutHours: 3 }` in the connection. Who comes before the message is sent is left out; of others the channel hears that they have come.',
    alerts: {
      channels: [
        {
          name: 'kitchen',
          kind: 'slack',
          secretName: 'workforce-notifier/slack/kitchen',
          names: ['employees', 'departments'],
        },
      ],
      rules: [
        {
          types: [
            'workforce.timesheet.clock_in_missing',
            'workforce.timesheet.clock_in_missing_cleared',
            'workforce.timesheet.clock_out_missing',
            'workforce.timesheet.clock_out_missing_cleared',
          ],
          when: { departmentId: ['501_4711'] },
        },
      ],
    },
  },
  {
    title: 'Clockings outside opening hours',
    why: '`timeOfDay` is the time at which the change was observed, in the time zone of the connection.',
    alerts: {
      channels: [{ name: 'managers', kind: 'slack', secretName: 'workforce-notifier/slack/managers' }],
      rules: [
        {
          types: ['workforce.timesheet.clocked_in', 'workforce.timesheet.clocked_out'],
          when: { timeOfDay: { from: '17:00', to: '07:00' } },
          words: 'Outside opening hours: {sentence}',
        },
      ],
    },
  },
  {
    title: 'Two audiences',
    why: 'Payroll hears of reopened periods at once and of late changes; IT of a source or a webhook in trouble. A rule without `channels` would be for both.',
    alerts: {
      channels: [
        { name: 'payroll-office', kind: 'email', addresses: ['payroll@acme.example'] },
        { name: 'it', kind: 'slack', secretName: 'workforce-notifier/slack/it' },
      ],
      rules: [
        { types: ['workforce.pay_period.reopened'], channels: ['payroll-office'], urgent: true },
        {
          types: ['workforce.timesheet.changed', 'workforce.timesheet.processing_reverted'],
          when: { late: true },
          channels: ['payroll-office'],
        },
        {
          types: [
            'workforce.source.unreachable',
            'workforce.source.recovered',
            'workforce.delivery.failed',
            'workforce.webhook.disabled',
          ],
          channels: ['it'],
        },
      ],
    },
  },
];
