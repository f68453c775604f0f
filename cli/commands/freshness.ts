import { Command } from 'commander';
import { toShortType } from '#shared/core/event-types.ts';
import { formatCount } from '#shared/core/messages/numbers.ts';
import { CAUSES } from '#shared/freshness/causes.ts';
import type { Freshness, KeptObjective, PlaceFreshness } from '#shared/freshness/report.ts';
import { findLedgerReceivers, listLedgerReceivers } from '#shared/operator/deliveries/find-deliveries.ts';
import {
  type FreshnessReport,
  type ReceiverFreshness,
  readFreshness,
} from '#shared/operator/freshness/read-freshness.ts';
import { buildQueries, type LogFlags } from '#shared/operator/log-query.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { applyStyle, escapeUnprintable, print, printJson, table } from '#shared/terminal/output.ts';
import { addLogOptions, addTargetOptions } from '../options.ts';

interface FreshnessFlags extends LogFlags, TargetFlags {
  readonly to?: string;
}

const ADVICE = "no objectives; set objectives in the config, such as { clockings: '60s' }";

const HELP = `
How long it took from a change in the source to its event being published, and
to each receiver accepting it: half of the events were there within p50, 99 in
100 within p99. The time begins when the source says that it happened, but not
before the last look at the old state: a clocking of 09:00 that is entered at
17:00 counts from 17:00. What waits counts with its time so far.

With \`objectives\` in the config, the share that kept them, and why the others
are late, as far as that is known. Channels for people get digests and have
quiet hours: they have no objective.

Not counted: what the notifier tells at times of its own (statements, reminders,
events about the watching), what was there at its first look, what was last seen
before a restore, and replays. Queues of subscriptions and event buses do not
say when they took an event.

Examples:
  $ npm run notifier -- freshness --since 7d
  $ npm run notifier -- freshness --type 'timesheet.clock*' --to webhooks/payroll-system
  $ npm run notifier -- freshness --data .data --since 2h --json`;

export function freshnessCommand(withTarget: WithTarget): Command {
  const command = new Command('freshness')
    .summary('measure how soon changes are published and accepted')
    .description(
      'Measures the time from a change in the source to its event: to publication, and to acceptance by each receiver.',
    )
    .option(
      '--to <receiver>',
      'of receivers, only webhooks/<name>, slack/<channel>, teams/<channel> or email/<channel> (default: all)',
    )
    .addHelpText('after', HELP);
  return addTargetOptions(addLogOptions(command, '24h')).action(async (flags: FreshnessFlags) => {
    await withTarget(flags, async (target) => {
      const report = await readFreshness(buildQueries(flags, target), selectReceivers(flags, target), target);
      if (flags.json === true) printJson(JSON.stringify(report, null, 2));
      else print(...formatFreshness(report));
    });
  });
}

function selectReceivers({ to }: FreshnessFlags, target: Target) {
  return to === undefined ? listLedgerReceivers(target) : findLedgerReceivers(to, target);
}

/** The report in readable lines, one block for each place. */
export function formatFreshness(report: FreshnessReport): string[] {
  const { objectives, publication, receivers, unmeasuredReceivers, unmeasured } = report;
  if (publication.types.length === 0)
    return ['no event in the log has a freshness', ...describeUnmeasured(unmeasured)];
  const [idle, busy] = [receivers.filter(isIdle), receivers.filter((each) => !isIdle(each))];
  return [
    ...formatPlace('publication', publication),
    ...busy.flatMap((each) => ['', ...formatReceiver(each)]),
    '',
    ...(idle.length === 0 ? [] : [`nothing went to ${listNames(idle.map(({ to }) => to))}`]),
    ...(unmeasuredReceivers.length === 0
      ? []
      : [`not measured: ${listNames(unmeasuredReceivers)}, in real time beside the sample company`]),
    ...describeUnmeasured(unmeasured),
    ...(Object.keys(objectives).length > 0 ? [] : [ADVICE]),
  ];
}

function isIdle({ types, untried, replayed }: ReceiverFreshness): boolean {
  return types.length + untried + replayed === 0;
}

function listNames(names: readonly string[]): string {
  return names.map(escapeUnprintable).join(', ');
}

function formatReceiver(receiver: ReceiverFreshness): string[] {
  const { to, untried, replayed } = receiver;
  return [
    ...formatPlace(escapeUnprintable(to), receiver),
    ...(untried === 0 ? [] : [`not counted: ${untried} from before its first delivery`]),
    ...(replayed === 0 ? [] : [`not counted: ${replayed} that only a replay brought`]),
  ];
}

function formatPlace(to: string, { all, types, objectives }: PlaceFreshness): string[] {
  const heading = ['', 'events', 'p50', 'p99', 'longest'];
  const sum = all === null || types.length < 2 ? [] : [formatRow('all', all)];
  return [
    applyStyle('bold', `to ${to}`),
    ...table([heading, ...types.map((each) => formatRow(toShortType(each.type), each)), ...sum]),
    ...objectives.flatMap(formatObjective),
  ];
}

function formatRow(name: string, { events, waiting, lost, p50, p99, longest }: Freshness): string[] {
  const remarks = [
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(lost === 0 ? [] : [`${lost} given up`]),
  ].join(', ');
  const cells = [name, String(events)];
  return [...cells, ...[p50, p99, longest].map(formatSeconds), remarks];
}

/** `4.2 s`, `45 s`, `2 min`, `4 min 12 s`, `3 h 5 min`; `never` for what was given up. */
export function formatSeconds(seconds: number | null): string {
  if (seconds === null) return 'never';
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 100) return `${whole} s`;
  return whole < 3_600 ? formatParts(whole, 'min', 's') : formatParts(Math.round(whole / 60), 'h', 'min');
}

/** A number of the smaller unit, of which the larger one has 60. */
function formatParts(count: number, large: string, small: string): string {
  const rest = count % 60;
  return `${Math.floor(count / 60)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

function formatObjective({ class: name, seconds, events, kept, late }: KeptObjective): string[] {
  // Rounded down: 99.96 % is not all.
  const percent = Math.floor((kept / events) * 1_000) / 10;
  return [
    `${name} within ${formatSeconds(seconds)}: ${percent} % of ${formatCount(events, 'event')}`,
    ...late.map((each) => `  ${each.events} late: ${CAUSES[each.cause]}`),
  ];
}

function describeUnmeasured({ untimed, first_sight, restore }: FreshnessReport['unmeasured']): string[] {
  const parts = [
    [untimed, 'told at times of our own'],
    [first_sight, 'there at the first look'],
    [restore, 'last seen before the restore'],
  ] as const;
  const listed = parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return listed.length === 0 ? [] : [`not counted: ${listed.join(', ')}`];
}
