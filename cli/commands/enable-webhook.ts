import { Command } from 'commander';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { WithTarget } from '#shared/operator/target.ts';
import { type Target, type TargetFlags, toTableOptions } from '#shared/operator/target.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import { print } from '#shared/terminal/output.ts';
import { markEnabled } from '#shared/webhooks/disabled-webhook.ts';
import { addTargetOptions } from '../options.ts';

const HELP = `
A webhook whose endpoint answers 410 Gone is disabled and receives nothing more.
Enabling it resumes deliveries; it does not send what was missed, for which
there is deliveries --resend. People who heard that it is disabled hear that it
gets events again, with the next event for it.

Examples:
  $ npm run notifier -- enable-webhook payroll-system
  $ npm run notifier -- deliveries --to webhooks/payroll-system --since 3d --resend`;

export function enableWebhookCommand(withTarget: WithTarget): Command {
  const command = new Command('enable-webhook')
    .summary('resume deliveries to a disabled webhook')
    .description('Resumes deliveries to a webhook that was disabled because its endpoint answered 410.')
    .argument('<name>', 'name of the webhook in the config')
    .addHelpText('after', HELP);
  return addTargetOptions(command).action(async (name: string, flags: TargetFlags) => {
    await withTarget(flags, async (target) => {
      const enabled = await enable(name, target);
      if (flags.json === true) print(JSON.stringify({ webhook: name, enabled }));
      else if (enabled) print(`${name} receives events again; ${describeNextStep(name, target)}`);
      else print(`${name} was not disabled`);
    });
  });
}

/** How the endpoint receives what it missed. */
function describeNextStep(name: string, target: Target): string {
  const command = formatCommand(target, 'deliveries', '--to', `webhooks/${name}`, '--resend');
  return `${command} sends the events it missed`;
}

async function enable(name: string, target: Target): Promise<boolean> {
  const { config } = target;
  if (!config.webhooks.some((webhook) => webhook.name === name)) {
    const names = config.webhooks.map((webhook) => webhook.name).join(', ');
    throw new NotifierError(
      'webhook_unknown',
      `there is no webhook "${name}" in the config; ${names === '' ? 'it has none' : `use one of ${names}`}`,
    );
  }
  const store = createWebhookStateStore(toTableOptions(target));
  const disabled = await store.loadDisabled(name);
  if (disabled === null || disabled.enabledAt !== undefined) return false;
  // With the next event for it, `webhook.enabled` is published.
  if (disabled.told) await store.saveDisabled(name, markEnabled(disabled, Date.now()));
  else await store.saveDisabled(name, null);
  return true;
}
