import { toLocalDate, toLocalTime } from '#shared/core/dates.ts';
import { buildMail } from '#shared/people/layout/mail.ts';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import type { Message } from '#shared/people/message.ts';
import { formatDay } from '#shared/people/messages/moments.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { renderTeamsCard } from '#shared/terminal/teams-card.ts';
import type { ToldMessage } from '#test/fortnight/run-fortnight.ts';
import { ACTIONS, describeActions } from './actions.ts';

const TIME_ZONE = 'Pacific/Auckland';
const MAIL = 'payroll-office';
const SEPARATOR = '\n--\n';

/** What a channel is called, and a message to it as its reader sees it. */
const CHANNELS: Readonly<
  Record<string, { readonly title: string; readonly render: (message: Message) => string }>
> = {
  payroll: {
    title: 'Slack `#payroll`',
    render: (message) => joinLines(renderSlackMessage(buildSlackPayload(message))),
  },
  [MAIL]: { title: 'Mail to `payroll-office`', render: renderMail },
  it: {
    title: 'Slack `#it`',
    render: (message) => joinLines(renderSlackMessage(buildSlackPayload(message))),
  },
  managers: {
    title: 'Teams `managers`',
    render: (message) => joinLines(renderTeamsCard(buildTeamsPayload(message))),
  },
};

/** The days of a fortnight, from its first message on, in the order in which they were sent. */
export function renderDays(told: readonly ToldMessage[]): string {
  const days = Map.groupBy(told, ({ at }) => toLocalDate(at, TIME_ZONE));
  return [...days]
    .map(([day, messages]) => `## ${formatDay(day, { year: '2026' })}\n\n${renderDay(messages)}`)
    .join('\n\n');
}

export function renderPage(told: readonly ToldMessage[], counts: { readonly accounts: number }): string {
  return `${renderIntroduction(told, counts)}\n\n${renderDays(told)}\n`;
}

function renderIntroduction(
  told: readonly ToldMessage[],
  { accounts }: { readonly accounts: number },
): string {
  const heard = new Set(told.flatMap(({ types }) => types));
  const kinds = new Map(
    [...ACTIONS].filter(([type]) => heard.has(type)).map(([, each]) => [each.message, each]),
  );
  return `# A fortnight of messages

What people read while the sample company with two pay calendars lives from Monday 2 to Sunday 15 November: every message, in order, as its reader sees it. \`npm run fortnight\` writes this page. The engine, the settings and the texts are those that are deployed; only the clock is virtual.

Thirty people work in four departments. Weekly periods close on Tuesday at 10:30, and one department's fortnights at 12:30. On Wednesday the 4th at 09:10 a processing in a period that is settled is undone, and done again at 11:40; at 15:20 somebody changes hours that are paid already. On Thursday the 5th the service does not answer from 14:00 to 14:25.

| Channel | Gets | Messages |
|---|---|---|
| Slack \`#payroll\` | what means something for pay | ${count(told, 'payroll')} |
| mail to \`payroll-office\` | the same; each mail ends with why the reader gets it and how to stop it, which is left out here | ${count(told, MAIL)} |
| Slack \`#it\` | troubles of the notifier, with their cause | ${count(told, 'it')} |
| Teams \`managers\` | deadlines, a summary at 08:00, missing clockings; quiet from 20:00 to 07:00 | ${count(told, 'managers')} |

The command compares each account of a pay period that the events tell, ${accounts} in all, with the company's own records while its dates were read, and writes nothing when one is wrong: \`test/fortnight/check-accounts.ts\` does not use the engine.

## Who acts on what

| Message | Who | How |
|---|---|---|
${[...kinds.values()].map(({ message, who, how }) => `| ${message} | ${who} | ${how} |`).join('\n')}`;
}

function count(told: readonly ToldMessage[], name: string): number {
  return told.filter(({ channel }) => channel === name).length;
}

function renderDay(messages: readonly ToldMessage[]): string {
  return messages.map(renderTold).join('\n\n');
}

function renderTold({ channel, message, types, at }: ToldMessage): string {
  const known = CHANNELS[channel];
  if (known === undefined) throw new Error(`there is no channel ${channel}`);
  const heading = `**${toLocalTime(at, TIME_ZONE)}, ${known.title}.** ${channel === 'it' ? 'Who runs the notifier: find the cause, and mend it.' : describeActions(types)}`;
  return `${heading}\n\n\`\`\`text\n${known.render(message)}\n\`\`\``;
}

function renderMail(message: Message): string {
  const { subject, body } = buildMail(message, { channel: MAIL, stackName: 'workforce-notifier' });
  return `Subject: ${subject}\n\n${body.slice(0, body.indexOf(SEPARATOR)).trimEnd()}`;
}

function joinLines(lines: readonly { readonly text: string }[] | null): string {
  if (lines === null) throw new Error('the channel would refuse this message');
  return lines.map(({ text }) => text).join('\n');
}
