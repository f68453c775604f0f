import { toLocalDate, toLocalTime } from '#shared/core/dates.ts';
import { buildMail } from '#shared/people/layout/mail.ts';
import { buildSlackPayload } from '#shared/people/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/people/layout/teams-card.ts';
import type { Message } from '#shared/people/message.ts';
import { formatDay } from '#shared/people/messages/moments.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { renderTeamsCard } from '#shared/terminal/teams-card.ts';
import type { ToldMessage } from './live-days.ts';

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

export function renderPage(told: readonly ToldMessage[]): string {
  const days = Map.groupBy(told, ({ at }) => toLocalDate(at, TIME_ZONE));
  const rendered = [...days].map(([day, messages]) => {
    const all = messages.map(renderTold).join('\n\n');
    return `## ${formatDay(day, { year: '2026' })}\n\n${all}`;
  });
  return `${renderIntroduction(told)}\n\n${rendered.join('\n\n')}\n`;
}

function renderIntroduction(told: readonly ToldMessage[]): string {
  return `# Three days of messages

What people read while the sample company with two pay calendars lives from Monday 2 to Wednesday 4 November: every message, in order, as its reader sees it. \`npm run messages\` writes this page. The engine, the settings and the texts are those that are deployed; only the clock is virtual.

Thirty people work in four departments. Weekly periods close on Tuesday at 10:30, and one department's fortnights at 12:30. On Wednesday at 09:10 a processing in a period that is settled is undone, and done again at 11:40; from 14:00 to 14:25 the service does not answer; at 15:20 somebody changes hours that are paid already.

| Channel | Gets | Messages |
|---|---|---|
| Slack \`#payroll\` | what means something for pay | ${count(told, 'payroll')} |
| mail to \`payroll-office\` | the same; each mail ends with why the reader gets it and how to stop it, which is left out here | ${count(told, MAIL)} |
| Slack \`#it\` | troubles of the notifier, with their cause | ${count(told, 'it')} |
| Teams \`managers\` | deadlines, a summary at 08:00, missing clockings; quiet from 20:00 to 07:00 | ${count(told, 'managers')} |`;
}

function count(told: readonly ToldMessage[], name: string): number {
  return told.filter(({ channel }) => channel === name).length;
}

function renderTold({ channel, message, at }: ToldMessage): string {
  const known = CHANNELS[channel];
  if (known === undefined) throw new Error(`there is no channel ${channel}`);
  return `**${toLocalTime(at, TIME_ZONE)}, ${known.title}**\n\n\`\`\`text\n${known.render(message)}\n\`\`\``;
}

function renderMail(message: Message): string {
  const { subject, body } = buildMail(message, { channel: MAIL, stackName: 'workforce-notifier' });
  return `Subject: ${subject}\n\n${body.slice(0, body.indexOf(SEPARATOR)).trimEnd()}`;
}

function joinLines(lines: readonly { readonly text: string }[] | null): string {
  if (lines === null) throw new Error('the channel would refuse this message');
  return lines.map(({ text }) => text).join('\n');
}
