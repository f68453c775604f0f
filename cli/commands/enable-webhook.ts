import { Command } from 'commander';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { print } from '../output.ts';
import { addTargetOptions, withTarget } from '../targets/open-target.ts';
import type { Target, TargetFlags } from '../targets/target.ts';

interface EnableFlags extends TargetFlags {
  readonly json?: true;
}

/** `notifier enable-webhook`: an endpoint that answered 410 gets events again. */
export function enableWebhookCommand(): Command {
  const command = new Command('enable-webhook')
    .description('deliver to a webhook again that was disabled because it answered 410')
    .argument('<name>', 'of the webhook in the config');
  return addTargetOptions(command).action(async (name: string, flags: EnableFlags) => {
    await withTarget(flags, async (target) => {
      const enabled = await enable(name, target);
      if (flags.json === true) print(JSON.stringify({ webhook: name, enabled }));
      else if (enabled) print(`${name} gets events again; ${describeNextStep(name, target)}`);
      else print(`${name} was not disabled`);
    });
  });
}

/** How the endpoint gets what it missed. On one machine nothing is redriven. */
function describeNextStep(name: string, { redirects }: Target): string {
  return redirects
    ? `npm run notifier -- replay --to webhooks/${name} sends what it missed`
    : 'docs/runbook.md#webhook-dead-letters says how to send what it missed';
}

async function enable(name: string, target: Target): Promise<boolean> {
  const { config, dynamoDb: client, tableName, system } = target;
  if (!config.webhooks.some((webhook) => webhook.name === name)) {
    const names = config.webhooks.map((webhook) => webhook.name).join(', ');
    throw new NotifierError(
      'webhook_unknown',
      `there is no webhook "${name}" in the config; ${names === '' ? 'it has none' : `use one of ${names}`}`,
    );
  }
  const store = createWebhookStateStore({ client, tableName, sleep: system.sleep, random: system.random });
  if ((await store.loadDisabled(name)) === null) return false;
  await store.saveDisabled(name, null);
  return true;
}
