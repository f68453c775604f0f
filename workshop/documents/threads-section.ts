import type { ChannelMessage } from '#shared/alerts/alert.ts';
import { buildSlackPayload } from '#shared/alerts/layout/slack-blocks.ts';
import { toEventType } from '#shared/core/event-types.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { composeFor } from '#shared/threads/compose-threads.ts';
import { advanceThread, startThread, type Thread } from '#shared/threads/thread.ts';
import { buildThreadHead } from '#shared/threads/thread-head.ts';
import { alertSamples } from './alert-samples.ts';

/** What the page on alerts says about threads. */
export function renderThreadsSection(): string[] {
  return [SETUP, THREADS, renderSampleThread(), LIMITS];
}

const SETUP = `With \`channelId\` a bot posts, and what follows about a thing goes into the thread of the first message about it. The head of a thread says how it is as of its latest message.

1. Create an app at \`https://api.slack.com/apps\`, give its bot the scope \`chat:write\`, and install it in the workspace. No other scope is needed; \`chat:write.public\` lets it post to public channels that it is not a member of.
2. Put its "Bot User OAuth Token" (\`xoxb-...\`) into the secret of \`secretName\`, by itself or as \`{"token": "..."}\`. A token of a user is refused.
3. Invite the bot to the channel (\`/invite @name\`), and write the id of the channel, such as \`C0123456789\`, into \`channelId\`. Slack shows it at the end of the details of the channel.
4. \`npm run notifier -- doctor\` asks Slack whether it takes the token; \`send-example pay_period.closed --to slack/payroll\` shows whether the bot may post.`;

const THREADS = `| Thread | Its head says |
|---|---|
| a pay period | how far it is before its deadline and who is missing; its closing with the numbers; what changed since then, one line a timesheet; that it was reopened; its statement |
| a timesheet that was told of alone | the net effect of all that was told |
| the troubles of a kind on a connection, such as lists that cannot be read | which are open, and since all have ended that they are settled. The next one begins another thread |

Below that, a head has the headings of what was told before, with their times. Each pay period and each kind of trouble has a message of its own; timesheets that are due together still share a digest. Events that a webhook did not accept have no thread, nor have more than 50 troubles at once. A digest belongs to no thread, but changes the heads of the timesheets in it that have one, and of the closed pay periods that they came after.

A reply is also shown in the channel, unless nobody has to act on it: that a timesheet was processed after all, that somebody clocked in after all, or that a trouble is over, stays in its thread, where the head says it too. What is urgent is always shown. Slack tells nobody of a reply but those who follow the thread.`;

const LIMITS = `A head that somebody deleted, or that Slack lets nobody change any more (\`edit_window_closed\`, \`cant_update_message\`), is left alone: the next message begins a new thread. An update that Slack limits or does not answer never holds up a message; it is made up for after it, or with the next message of the channel or of the thread. After 45 days without news a thread is forgotten; until then the table holds its sentences, with the names in them. If a function dies between a post and noting it, one message comes twice, and if that was the head, the first of the two stays as it is. Slack has no key that would prevent it, and looking for the message would need the right to read the channel.`;

/** A pay period from its reminder to its statement. */
function renderSampleThread(): string {
  const types = ['pay_period.readiness', 'pay_period.closed', 'pay_period.statement'] as const;
  const alerts = alertSamples({
    channels: [{ ...CHANNEL, names: ['employees', 'departments'] }],
    rules: [{ types: types.map(toEventType) }],
  })
    .map(({ alert }) => alert)
    .sort((a, b) => a.at - b.at);
  const messages = alerts
    .flatMap((alert) => composeFor(CHANNEL, [alert]))
    .flatMap(({ message }) => message ?? []);
  const thread = messages.reduce<Thread | null>(take, null);
  if (thread === null) throw new Error('the samples make no thread');
  const replies = messages.slice(1).map(({ heading = '' }) => `    reply, shown in the channel: ${heading}`);
  return ['```text', ...render(buildThreadHead(thread)), ...replies, '```'].join('\n');
}

const CHANNEL = {
  name: 'payroll',
  kind: 'slack',
  secretName: 'workforce-notifier/slack/payroll',
  channelId: 'C0123456789',
} as const;

function take(thread: Thread | null, message: ChannelMessage): Thread | null {
  const { thread: news } = message;
  if (news === undefined) return thread;
  return thread === null ? startThread(message, news, '1.1') : advanceThread(thread, message, news);
}

function render(message: ChannelMessage): string[] {
  return (renderSlackMessage(buildSlackPayload(message)) ?? []).map(({ text }) => text);
}
