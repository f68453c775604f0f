import { Command } from 'commander';
import type { Finding } from '#shared/operator/doctor/finding.ts';
import { omitSourceText, runChecks } from '#shared/operator/doctor/run-checks.ts';
import type { TargetFlags, WithTarget } from '#shared/operator/target.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { applyStyle, escapeUnprintable, print, printJson, table } from '#shared/terminal/output.ts';
import { addReadingOptions } from '../options.ts';

const STYLES = { ok: 'green', warning: 'yellow', wrong: 'red' } as const;

const HELP = `
The exit code is 1 when something is wrong; warnings alone leave it 0. What a
source says in its error messages may name people: it is shown on a terminal and
left out of files, pipes and JSON.

Examples:
  $ npm run notifier -- doctor
  $ npm run notifier -- doctor --data .data --json`;

export function doctorCommand(withTarget: WithTarget): Command {
  const command = new Command('doctor')
    .summary('check a notifier and say how to fix what is wrong')
    .description(
      'Checks config, secrets, sources, permissions, clocks, table, topics, alarms, queues and webhooks, and says how to fix what is wrong.',
    )
    .addHelpText('after', HELP);
  return addReadingOptions(command).action(async (flags: TargetFlags) => {
    await withTarget(flags, async (target) => {
      const findings = await runChecks(target);
      if (flags.json === true)
        printJson(JSON.stringify({ target: target.title, findings: findings.map(omitSourceText) }, null, 2));
      else print(...formatFindings(process.stdout.isTTY === true ? findings : findings.map(omitSourceText)));
      if (findings.some(({ outcome }) => outcome === 'wrong')) process.exitCode = 1;
    });
  });
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
  const warnings = formatCount(count('warning'), 'warning');
  return [...lines, '', `${count('ok')} ok, ${warnings}, ${count('wrong')} wrong`];
}
