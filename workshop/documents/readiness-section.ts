import { inspect } from 'node:util';
import { calendarSchema, calendarsSchema } from '#shared/config/schema/calendar.ts';
import { renderMailOf } from './sample-mail.ts';
import { renderSettings } from './settings-table.ts';

/** What the page on alerts says about deadlines and daily summaries. */
export function renderReadinessSection(): string[] {
  return [
    BEFORE_CLOSING,
    renderCalendarExample(),
    renderSettings(calendarSchema, CALENDAR_SETTINGS),
    READINESS,
    renderReadinessMail(),
  ];
}

const BEFORE_CLOSING = `\`calendars\` of a connection say when its pay periods close. At each of the times in \`remindBefore\`, the default rules tell every channel how far an open period is:`;

const CALENDAR_SETTINGS: Readonly<Record<string, string>> = {
  name: 'Name of the pay calendar, as the source writes it; `doctor` reports one that the source does not have',
  closesAt:
    "In the time zone of the connection: `'Fri 10:00'` is the first Friday 10:00 at or after the end of the last day of a period, `'+2d 10:00'` two days after that day. The second form suits calendars that are not weekly",
  remindBefore:
    'How long before that. Days go by the calendar, hours and minutes pass; they differ only when the clocks change',
};

const READINESS = `What is counted are the timesheets on the days of the period that are over, as they are stored: nothing is asked of the source, except whose they are where several calendars share dates. Nothing is told when all of them are approved, nor after the deadline. A moment that passed while nothing was polled is told when polling goes on, the latest alone, if the deadline is still ahead. A reminder that quiet hours would hold until half an hour before the deadline is urgent. Of several in one message, the latest stands for all, and the closing where that is told with them.

A channel with \`dailySummary\` gets the same once a day for every open period, the closest deadline first, whether or not its calendar has a deadline, and whatever the rules say.

Without \`calendars\` nobody is reminded. \`npm run notifier -- doctor\` offers the deadline at which the last periods of a calendar closed.`;

function renderCalendarExample(): string {
  const calendars = [
    { name: 'Weekly', closesAt: 'Mon 12:00', remindBefore: ['1d', '4h', '1h'] },
    { name: 'Monthly', closesAt: '+3d 17:00', remindBefore: ['2d', '4h'] },
  ];
  calendarsSchema.parse(calendars);
  return `\`\`\`js\ncalendars: ${inspect(calendars, { breakLength: 100 })}\n\`\`\``;
}

function renderReadinessMail(): string {
  return renderMailOf({
    channels: [
      {
        name: 'payroll-office',
        kind: 'email',
        addresses: ['payroll@acme.example'],
        names: ['employees', 'departments'],
      },
    ],
    rules: [{ types: ['workforce.pay_period.readiness'] }],
  });
}
