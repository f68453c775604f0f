import { Command } from 'commander';
import { checkAlarms } from '../doctor/alarm-checks.ts';
import { checkCalendars } from '../doctor/calendar-checks.ts';
import { checkDeliveries } from '../doctor/delivery-checks.ts';
import { type Finding, ok } from '../doctor/finding.ts';
import { checkSource } from '../doctor/source-checks.ts';
import { checkFeeds, checkQueues } from '../doctor/state-checks.ts';
import { checkTopics } from '../doctor/topic-checks.ts';
import { applyStyle, escapeUnprintable, print, printJson, table } from '../output.ts';
import { addTargetOptions, withTarget } from '../targets/open-target.ts';
import type { Target, TargetFlags } from '../targets/target.ts';

const STYLES = { ok: 'green', warning: 'yellow', wrong: 'red' } as const;

interface DoctorFlags extends TargetFlags {
  readonly json?: true;
}

const HELP = `
The exit code is 1 when something is wrong; warnings alone leave it 0. What a
source says in its error messages may name people: it is shown on a terminal and
left out of files, pipes and JSON.

Examples:
  $ npm run notifier -- doctor
  $ npm run notifier -- doctor --data .data --json`;

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .summary('check a notifier and say how to fix what is wrong')
    .description(
      'Checks config, secrets, sources, permissions, clocks, table, topics, alarms, queues, webhooks and the event bus, and says how to fix what is wrong.',
    )
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (flags: DoctorFlags) => {
    await withTarget(flags, async (target) => {
      const findings = await runChecks(target);
      if (flags.json === true)
        printJson(JSON.stringify({ target: target.title, findings: findings.map(omitSourceText) }, null, 2));
      else print(...formatFindings(process.stdout.isTTY === true ? findings : findings.map(omitSourceText)));
      if (findings.some(({ outcome }) => outcome === 'wrong')) process.exitCode = 1;
    });
  });
}

async function runChecks(target: Target): Promise<Finding[]> {
  const found = ok('config', `is valid; ${target.title} has ${target.parts.size} parts`);
  const checks = [
    ...target.connections.map((connection) => checkSource(connection, target)),
    checkFeeds(target),
    ...target.connections.map((connection) => checkCalendars(connection, target)),
    checkTopics(target),
    checkAlarms(target),
    checkQueues(target),
    checkDeliveries(target),
  ];
  return [found, ...(await Promise.all(checks)).flat()];
}

/** Removes what the source said, which may name people: for output that may be kept. */
function omitSourceText({ said: _, ...finding }: Finding): Finding {
  return finding;
}

function formatFindings(findings: readonly Finding[]): string[] {
  const rows = table(findings.map(({ outcome, about, says }) => [outcome, about, escapeUnprintable(says)]));
  const lines = findings.flatMap(({ outcome, mend, said }, index) => {
    const row = `${applyStyle(STYLES[outcome], outcome)}${(rows[index] ?? '').slice(outcome.length)}`;
    const indent = ' '.repeat('warning  '.length);
    const quoted = said === undefined ? [] : [`${indent}the source said: ${escapeUnprintable(said)}`];
    return [row, ...quoted, ...(mend === undefined ? [] : [`${indent}-> ${mend}`])];
  });
  const count = (outcome: Finding['outcome']) => findings.filter((each) => each.outcome === outcome).length;
  return [...lines, '', `${count('ok')} ok, ${count('warning')} warnings, ${count('wrong')} wrong`];
}
