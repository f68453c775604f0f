import { resolve } from 'node:path';
import { Command } from 'commander';
import { loadNotifierConfig } from '#infra/load-config.ts';
import { readCollectEnvironment } from '#shared/config/environment/alert-environment.ts';
import type { Alerts } from '#shared/config/schema/alerting.ts';
import { rehearseAlerts } from '#shared/core/alerts/rehearsal.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { formatCount } from '#shared/core/messages/numbers.ts';
import { buildQueries, type LogFlags } from '#shared/operator/log-query.ts';
import type { Target, TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { parseCount } from '#shared/terminal/options.ts';
import { print, printJson } from '#shared/terminal/output.ts';
import { addTargetOptions } from '../options.ts';
import { readPast } from '../rehearsal/read-past.ts';
import {
  type Comparison,
  formatDifferences,
  formatMessages,
  formatTable,
  toJson,
} from '../rehearsal/report.ts';

interface RehearseFlags extends TargetFlags, Pick<LogFlags, 'since' | 'until' | 'connection'> {
  readonly config?: string;
  readonly limit: number;
  readonly json?: true;
}

const HELP = `
The alerts section of the edited config is applied to the stored events, at the
times at which they were observed. Messages are collected, held in quiet hours,
put together and worded by the code that the functions run every minute. Nothing
is sent and nothing is written.

The table counts messages, messages a day, alerts, alerts held by quiet hours,
approvals and revocations that cancel each other out, and alerts that still wait.
"24 by rule 2 alone" counts messages that only this rule led to; rules count
from 1. The differences are to the deployed rules. A data folder without a
running machine has those of notifier.config.ts.

processing.finished is rehearsed once for each pay period that is processed now.
Events about webhooks are not in the log, nor rehearsed.

Examples:
  $ npm run notifier -- rehearse --since 7d
  $ npm run notifier -- rehearse --since 30d --config edited.config.ts --data .data`;

export function rehearseCommand(withTarget: WithTarget): Command {
  const command = new Command('rehearse')
    .summary('show what edited alert rules would have sent')
    .description(
      'Shows the messages that edited channels and rules would have sent about stored events, and how many.',
    )
    .option('--config <file>', 'the edited config (default: notifier.config.ts)')
    .option('--since <time>', 'how far to look back: an age such as 7d, a date or an instant', '30d')
    .option('--until <time>', 'only events logged before this time (default: no limit)')
    .option('--connection <name>', 'only this connection (default: all)')
    .option('--limit <number>', 'print at most this many messages of each channel', parseCount, 20)
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (flags: RehearseFlags) => {
    await withTarget(flags, (target) => rehearse(flags, target));
  });
}

/** Prints what the edited rules would have sent. Throws a `NotifierError`. */
async function rehearse(flags: RehearseFlags, target: Target): Promise<void> {
  const { alerts } = flags.config === undefined ? target.config : await loadConfig(flags.config);
  if (alerts.channels.length === 0) {
    throw new NotifierError(
      'alerts_missing',
      `${flags.config ?? 'notifier.config.ts'} has no alerts.channels; add one to rehearse its rules`,
    );
  }
  const queries = buildQueries(flags, target);
  const past = await readPast(queries, target);
  const { connections } = target;
  const deployed = await readDeployedAlerts(target);
  const comparison: Comparison = {
    channels: alerts.channels,
    edited: rehearseAlerts({ ...alerts, connections }, past),
    deployed: rehearseAlerts({ ...deployed, connections }, past),
    // The log may begin later.
    from: Math.min(past.until, ...past.events.map(({ time }) => Date.parse(time))),
    until: past.until,
    stackName: target.config.stackName,
  };
  if (flags.json === true) {
    printJson(JSON.stringify(toJson(comparison), null, 2));
    return;
  }
  const differences = formatDifferences(comparison);
  print(
    ...formatMessages(comparison, flags.limit),
    ...formatTable(comparison),
    '',
    `${formatCount(past.events.length, 'stored event')}, nothing was sent`,
    ...(differences.length === 0
      ? ['the deployed rules send the same messages']
      : ['against the deployed rules:', ...differences.map((line) => `  ${line}`)]),
  );
}

/** The file as the user typed it starts at the current folder. */
async function loadConfig(file: string) {
  return await loadNotifierConfig(resolve(file));
}

/** What the functions were deployed with; no channels when there are none. */
async function readDeployedAlerts({ readEnvironment, parts, config }: Target): Promise<Alerts> {
  if (readEnvironment === undefined) return config.alerts;
  if (!parts.has('functions/release-alerts/name')) return { channels: [], rules: [] };
  return readCollectEnvironment(await readEnvironment('release-alerts')).alerting;
}
