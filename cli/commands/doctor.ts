import { Command } from 'commander';
import { checkDeliveries } from '../doctor/delivery-checks.ts';
import { type Finding, ok } from '../doctor/finding.ts';
import { checkSource } from '../doctor/source-checks.ts';
import { checkFeeds, checkQueues } from '../doctor/state-checks.ts';
import { checkTopics } from '../doctor/topic-checks.ts';
import { applyStyle, print, table } from '../output.ts';
import { addTargetOptions, withTarget } from '../targets/open-target.ts';
import type { Target, TargetFlags } from '../targets/target.ts';

const SIGNS = { ok: 'ok', warning: 'warning', wrong: 'wrong' } as const;
const STYLES = { ok: 'green', warning: 'yellow', wrong: 'red' } as const;

interface DoctorFlags extends TargetFlags {
  readonly json?: true;
}

/** `notifier doctor`: looks at everything a notifier needs, and says of each fault how to mend it. */
export function doctorCommand(): Command {
  const command = new Command('doctor').description(
    'look at config, secrets, sources, permissions, clocks, table, topics, queues and webhooks; say how to mend what is wrong',
  );
  return addTargetOptions(command).action(async (flags: DoctorFlags) => {
    await withTarget(flags, async (target) => {
      const findings = await runChecks(target);
      if (flags.json === true)
        print(JSON.stringify({ target: target.title, findings: findings.map(omitSourceText) }, null, 2));
      else print(...formatFindings(process.stdout.isTTY === true ? findings : findings.map(omitSourceText)));
      if (findings.some(({ outcome }) => outcome === 'wrong')) process.exitCode = 1;
    });
  });
}

async function runChecks(target: Target): Promise<Finding[]> {
  const found = ok('config', `is valid, and ${target.title} is there with ${target.parts.size} parts`);
  const checks = [
    ...target.connections.map((connection) => checkSource(connection, target)),
    checkFeeds(target),
    checkTopics(target),
    checkQueues(target),
    checkDeliveries(target),
  ];
  return [found, ...(await Promise.all(checks)).flat()];
}

/** A finding for whatever keeps what is printed: without what the source said, which may name people. */
function omitSourceText({ said: _, ...finding }: Finding): Finding {
  return finding;
}

function formatFindings(findings: readonly Finding[]): string[] {
  const rows = table(findings.map(({ outcome, about, says }) => [SIGNS[outcome], about, says]));
  const lines = findings.flatMap(({ outcome, mend, said }, index) => {
    const sign = SIGNS[outcome];
    const row = `${applyStyle(STYLES[outcome], sign)}${(rows[index] ?? '').slice(sign.length)}`;
    const indent = ' '.repeat('warning  '.length);
    const heard = said === undefined ? [] : [`${indent}it said: ${said}`];
    return [row, ...heard, ...(mend === undefined ? [] : [`${indent}-> ${mend}`])];
  });
  const count = (outcome: Finding['outcome']) => findings.filter((each) => each.outcome === outcome).length;
  return [...lines, '', `${count('ok')} ok, ${count('warning')} warnings, ${count('wrong')} wrong`];
}
