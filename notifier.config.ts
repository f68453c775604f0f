import { defineNotifierConfig, PAYING_EVENT_TYPES } from '#infra/config.ts';

/**
 * What to watch, and who gets the events. This is the one file to edit; `shared/config/schema/notifier-config.ts`
 * describes every setting and its default.
 */
export default defineNotifierConfig({
  stackName: 'workforce-notifier',

  // One entry per source API. A renamed connection starts with a new baseline.
  connections: [
    {
      name: 'main',
      baseUrl: 'https://workforce.example.com',
      timeZone: 'Pacific/Auckland',
      // Holds a token, or {"clientId": "...", "clientSecret": "..."}: a parameter of Systems Manager, which costs nothing,
      // or, without `ssm:/secrets/`, a secret in AWS Secrets Manager.
      secretName: 'ssm:/secrets/workforce-notifier/main',
      // Timesheets of these calendar days around today are watched.
      window: { backDays: 35, forwardDays: 14 },
      // Publishes who has not clocked in or out so long after the plan; channels whose `tells` has 'missing-clockings' are told.
      // absences: { clockInMinutes: 15, clockOutHours: 3 },
      // Publishes every few minutes up to when everything is published, for systems that must know that nothing is missing.
      // watermark: true,
      // When the periods of a pay calendar close, as `'Fri 10:00'` or as days after their last day; people are reminded
      // 1d and 1h before of what is not approved. These are the sample company's: put your own calendars here.
      calendars: [
        { name: 'Weekly', closesAt: '+2d 10:30' },
        { name: 'Fortnightly', closesAt: '+2d 12:30' },
      ],
      // Events can be sent again for this long.
      retentionDays: 90,
    },
  ],

  // 256 MB are enough for 2,000 employees; above that leave it out, for 512.
  poll: { memoryMb: 256 },

  // People. They hear of approvals before a deadline, closed and reopened periods, late changes and a source that does
  // not answer, or of what `tells` names, of `departments` and `calendars`. See docs/messages.md.
  people: {
    // Who is called by name in messages, in the console, and by assistants; without it everybody by an id.
    names: ['employees', 'departments'],
    channels: [
      // The secret holds the address of an incoming webhook of Slack; for kind 'teams', that of a workflow of Teams.
      // With `channelId: 'C0123456789'` it holds the token of a Slack bot, which posts in threads: docs/messages.md.
      {
        name: 'payroll',
        kind: 'slack',
        secretName: 'ssm:/secrets/workforce-notifier/slack/payroll',
        // What is not approved in open periods, once a day.
        // dailySummary: { at: '08:00' },
      },
      // Troubles of the notifier itself, with their cause. Without it payroll still hears what they mean for pay.
      // { name: 'it', kind: 'slack', secretName: 'ssm:/secrets/workforce-notifier/slack/it', for: 'operations' },
      {
        name: 'payroll-office',
        kind: 'email',
        addresses: ['payroll@acme.example'],
      },
    ],
    // What people call the service that is watched, within a sentence.
    // serviceName: 'Deputy',
  },

  // Systems outside AWS: signed webhooks. The secret holds `whsec_` and a key. `PAYING_EVENT_TYPES`: approvals, closings,
  // and everything that may become of them.
  webhooks: [
    {
      name: 'payroll-system',
      url: 'https://payroll.acme.example/hooks/workforce',
      secretName: 'ssm:/secrets/workforce-notifier/webhooks/payroll-system',
      topics: ['timesheets', 'pay-periods'],
      filter: { type: PAYING_EVENT_TYPES },
    },
  ],

  // Systems in AWS: queues that the stack creates, or existing ones (`queueArn`).
  queues: [
    {
      name: 'payroll',
      topics: ['timesheets', 'pay-periods'],
      filter: { type: PAYING_EVENT_TYPES },
    },
  ],

  // Who hears when something stops? An address of the people who run this, or the `topicArn` of an existing topic.
  // Without one, alarms only show in CloudWatch, and `cdk deploy` and `doctor` say so.
  alarms: {
    // email: 'operations@acme.example',
  },

  links: {
    // Where people open a timesheet, for a link beside it.
    // recordUrl: 'https://workforce.example.com/timesheets/{timesheetId}',
    // Where those who read messages run the console, for a link to what happened to a record.
    // consoleUrl: 'http://127.0.0.1:4600',
  },
});
