import { Command } from 'commander';
import { toIso } from '#shared/core/dates.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { findDisabledWebhook, resumeWebhook } from '#shared/operator/deliveries/disabled-webhook.ts';
import { type FoundDelivery, findDeliveries } from '#shared/operator/deliveries/find-deliveries.ts';
import { resendTo } from '#shared/operator/deliveries/resend.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import { findReceiver, listReceivers, type Receiver, WITH_DELIVERIES } from '#shared/operator/receivers.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { escapeUnprintable, print, printJson, table } from '#shared/terminal/output.ts';
import { formatLocalMoment } from '#shared/terminal/readable-value.ts';
import { confirm } from '../confirm.ts';
import { addReadingOptions, SINCE_FORMS } from '../options.ts';

interface DeliveriesFlags extends TargetFlags {
  readonly since: string;
  readonly to?: string;
  readonly failed?: true;
  readonly resend?: true;
  readonly yes?: true;
}

const HELP = `
Each line is an event of the log and a receiver: when the event was logged, its
type, record and id, and whether it was delivered, waits (with what every
attempt was answered, and when the next one is), or failed: it was given up.
--failed lists only the last, with --json as one object per line.

--resend sends every failed event to its webhook again: byte for byte, with the
header webhook-sent-again, and its dead letter is deleted. A webhook whose
endpoint answered 410 Gone is disabled; --resend has it get events again. It
counts first and asks for confirmation.

Only who reads a queue knows what became of an event there. Events about
webhooks are not in the log, nor listed here, and neither is what the config, as
it is now, does not send to a receiver: "events RECORD" has that.

Examples:
  $ npm run notifier -- deliveries --to payroll-system --failed --since 3d
  $ npm run notifier -- deliveries --to payroll-system --since 3d --resend
  $ npm run notifier -- deliveries --data .data --since 2h --json`;

export function deliveriesCommand(withTarget: WithTarget): Command {
  const command = new Command('deliveries')
    .summary('list what became of events at their receivers')
    .description(
      'Lists the deliveries of events to webhooks, Slack and mail: attempts, answers, and the next try. Can send failed ones again.',
    )
    .option(
      '--to <receiver>',
      'only to this webhook or channel, such as payroll-system or slack/payroll (default: all)',
    )
    .option('--failed', 'only deliveries that were given up')
    .option('--resend', 'send the failed ones to their webhooks again, and resume those that are disabled')
    .option('--yes', 'with --resend: do not ask for confirmation')
    .option('--since <time>', `only events logged at or after this time: ${SINCE_FORMS}`, '24h')
    .addHelpText('after', HELP);
  return addReadingOptions(command).action(async (flags: DeliveriesFlags) => {
    checkFlags(flags);
    await withTarget(flags, (target) => listDeliveries(flags, target));
  });
}

/** Lists deliveries, or sends the failed ones again. Throws a `NotifierError`. */
export async function listDeliveries(flags: DeliveriesFlags, target: Target): Promise<void> {
  const { to, since, failed, resend, json } = flags;
  const receivers =
    to === undefined ? listReceivers(WITH_DELIVERIES, target) : [findReceiver(to, WITH_DELIVERIES, target)];
  const queries = buildQueries({ since }, target);
  if (resend === true) {
    const webhooks = selectWebhooks(receivers, to);
    const failed = await findFailed(webhooks, queries, target);
    await resendFailed({ failed, disabled: await findDisabled(webhooks, target) }, flags, target);
    return;
  }
  const all: FoundDelivery[] = [];
  for await (const each of findDeliveries(queries, receivers, target)) all.push({ ...each, text: '' });
  const found = failed === true ? all.filter(({ delivery }) => delivery?.outcome === 'failed') : all;
  found.sort((a, b) => (a.committedAt < b.committedAt ? -1 : a.committedAt > b.committedAt ? 1 : 0));
  if (json === true) for (const each of found) printJson(formatDeliveryJson(each));
  else if (found.length === 0) print(describeNothing(all, flags));
  else {
    print(...formatDeliveries(found, receivers.length === 1), '', ...summarizeDeliveries(found));
    print(...(await suggestCommands(found, flags, target)));
  }
}

function checkFlags({ resend, yes }: DeliveriesFlags): void {
  if (resend === true || yes !== true) return;
  throw new NotifierError('options_wrong', '--yes belongs to --resend; add --resend, or leave it out');
}

/** Nothing is given up before it was tried for days: what waits may need somebody now. */
function describeNothing(all: readonly FoundDelivery[], { failed, to }: DeliveriesFlags): string {
  if (failed !== true) return `no event in the log was for ${to ?? 'a webhook or a channel'}`;
  const waiting = all.filter(({ delivery }) => delivery?.outcome === 'waiting').length;
  const others = waiting === 0 ? '' : `; ${waiting} waiting, listed without --failed`;
  return `no delivery${to === undefined ? '' : ` to ${to}`} failed in this time${others}`;
}

/** Throws a `NotifierError` for a channel: an alert is not an event, and is not sent again. */
function selectWebhooks(receivers: readonly Receiver[], to: string | undefined): Receiver[] {
  const webhooks = receivers.filter(({ interest }) => interest !== null);
  if (webhooks.length > 0) return webhooks;
  throw new NotifierError(
    'receiver_wrong',
    to === undefined
      ? '--resend sends to webhooks, and the config has none; use send for queues'
      : `--to is ${JSON.stringify(to)}; --resend sends to webhooks alone: messages to people are not sent again`,
  );
}

async function findFailed(
  receivers: readonly Receiver[],
  queries: ReturnType<typeof buildQueries>,
  target: Target,
): Promise<FoundDelivery[]> {
  const found: FoundDelivery[] = [];
  for await (const each of findDeliveries(queries, receivers, target)) {
    if (each.delivery?.outcome === 'failed') found.push(each);
  }
  return found;
}

async function findDisabled(webhooks: readonly Receiver[], target: Target): Promise<string[]> {
  const labels: string[] = [];
  for (const { label } of webhooks)
    if ((await findDisabledWebhook(label, target)) !== null) labels.push(label);
  return labels;
}

/** What `--resend` is about: failed deliveries, and the webhooks that were disabled. */
interface Resending {
  readonly failed: readonly FoundDelivery[];
  readonly disabled: readonly string[];
}

/** Counts, asks for confirmation, resumes and sends. */
async function resendFailed(
  { failed, disabled }: Resending,
  { yes }: DeliveriesFlags,
  target: Target,
): Promise<void> {
  const byReceiver = Map.groupBy(failed, ({ receiver }) => receiver.label);
  print(...formatCounts(byReceiver), ...disabled.map((label) => `${label} is disabled`));
  if (failed.length + disabled.length === 0) return;
  if (yes !== true && !(await confirm('send them again?', 'nothing was sent'))) return;
  for (const label of disabled) {
    await resumeWebhook(label, target);
    print(`${label} gets events again`);
  }
  for (const [label, deliveries] of byReceiver) {
    await resendTo(label, deliveries, target);
    print(`${deliveries.length} sent again to ${label}`);
  }
}

function formatCounts(byReceiver: ReadonlyMap<string, readonly FoundDelivery[]>): string[] {
  if (byReceiver.size === 0) return ['no delivery to a webhook failed in this time'];
  return [...byReceiver].flatMap(([label, deliveries]) => {
    const types = [...Map.groupBy(deliveries, ({ type }) => type)];
    return [
      ...table(types.map(([type, { length }]) => [String(length).padStart(8), type])),
      `${deliveries.length} failed ${deliveries.length === 1 ? 'event' : 'events'} to ${label}`,
    ];
  });
}

/** What to do about webhooks that are disabled or failed. */
async function suggestCommands(
  found: readonly FoundDelivery[],
  { since }: DeliveriesFlags,
  target: Target,
): Promise<string[]> {
  const failed = found.filter(
    ({ delivery, receiver }) => delivery?.outcome === 'failed' && receiver.interest !== null,
  );
  const hints: string[] = [];
  for (const label of new Set(failed.map(({ receiver }) => receiver.label))) {
    const isDisabled = (await findDisabledWebhook(label, target)) !== null;
    const command = formatCommand(target, 'deliveries', '--to', label, '--since', since, '--resend');
    if (isDisabled) hints.push(`${label} is disabled; ${command} resumes it, and sends what failed again`);
    else hints.push(`${command} sends what failed again`);
  }
  return hints;
}

const PREFIX = 'workforce.';
const UNTRIED = 'not yet tried';

/** One aligned line each: the event, the receiver unless there is only one, and what became of it. */
export function formatDeliveries(found: readonly FoundDelivery[], hasOneReceiver: boolean): string[] {
  return table(
    found.map(({ receiver, timeZone, eventId, type, record, committedAt, delivery }) => [
      formatLocalMoment(committedAt, timeZone),
      escapeUnprintable(type.replace(PREFIX, '')),
      escapeUnprintable(record ?? ''),
      escapeUnprintable(eventId),
      ...(hasOneReceiver ? [] : [receiver.label]),
      ...describeDelivery(delivery, timeZone).map(escapeUnprintable),
    ]),
  );
}

/** `failed`, and `10 attempts: 503, timeout, ...; last 2026-11-22 08:00:00`. */
function describeDelivery(delivery: Delivery | null, timeZone: string): [string, string] {
  if (delivery === null) return [UNTRIED, ''];
  const { outcome, at, attempts, detail, nextAt } = delivery;
  const moment = (instant: number) => formatLocalMoment(toIso(instant), timeZone);
  if (outcome === 'waiting' && attempts === 0) {
    return [outcome, `${detail ?? ''} since ${moment(at)}`.trim()];
  }
  const failures = listAnswers(delivery);
  const tries = attempts === 0 ? '' : `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const tried = [tries, failures.join(', ')].filter((part) => part !== '').join(': ');
  const last = outcome === 'delivered' ? moment(at) : `last ${moment(at)}`;
  const next = nextAt === undefined ? [] : [`next ${moment(nextAt)}`];
  // Of a message to people: which one the event was in.
  const remark = outcome === 'delivered' && detail !== null ? [detail] : [];
  return [outcome, [tried, last, ...remark, ...next].join('; ')];
}

/** What failed attempts were answered; of a message to people only the last. */
function listAnswers({ outcome, attempts, answers, detail }: Delivery): readonly string[] {
  if (answers !== undefined) return answers;
  const isUntried = outcome === 'waiting' && attempts === 0;
  return outcome === 'delivered' || isUntried || detail === null ? [] : [detail];
}

/** One JSON object per delivery. `outcome` is `untried` while no attempt is known. */
export function formatDeliveryJson({
  receiver,
  connection,
  eventId,
  type,
  record,
  committedAt,
  delivery,
}: FoundDelivery): string {
  const { at, nextAt } = delivery ?? {};
  return JSON.stringify({
    receiver: receiver.label,
    eventId,
    type,
    record,
    connection,
    committedAt,
    outcome: delivery?.outcome ?? 'untried',
    attempts: delivery?.attempts ?? 0,
    answers: delivery === null ? [] : listAnswers(delivery),
    at: at === undefined ? null : toIso(at),
    nextAt: nextAt === undefined ? null : toIso(nextAt),
  });
}

/** `payroll-system: 12 delivered, 2 waiting, 1 failed`, one line per receiver. */
export function summarizeDeliveries(found: readonly FoundDelivery[]): string[] {
  const byReceiver = Map.groupBy(found, ({ receiver }) => receiver.label);
  return [...byReceiver].map(([label, deliveries]) => {
    const counts = Map.groupBy(deliveries, ({ delivery }) => delivery?.outcome ?? UNTRIED);
    const parts = (['delivered', 'waiting', UNTRIED, 'failed'] as const).flatMap((outcome) => {
      const count = counts.get(outcome)?.length ?? 0;
      return count === 0 ? [] : [`${count} ${outcome}`];
    });
    return `${label}: ${parts.join(', ')}`;
  });
}
