import { CfnResource, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { NotifierError } from '#shared/core/errors.ts';

/** Quota of CloudFormation for one stack, which no support case raises. */
const MAX_RESOURCES = 500;

/** What an entry of a list of the config is made of, by the id that its construct begins with. */
const LISTS: readonly (readonly [setting: string, id: RegExp])[] = [
  ['connections', /^Poll(?:Timesheets|PayPeriods)$/],
  ['webhooks', /^Webhook-/],
  ['alerts.channels', /^(?:People|Mailboxes)$/],
  ['subscriptions', /^Subscription-/],
];

/**
 * Throws `config_invalid` when the stack around a construct has more resources than CloudFormation takes. Names the list
 * of the config that takes most of them.
 */
export function checkStackSize(scope: Construct): void {
  const size = countResources(Stack.of(scope));
  if (size <= MAX_RESOURCES) return;
  const [most] = LISTS.map(([setting, id]) => {
    const parts = scope.node.children.filter((child) => id.test(child.node.id));
    return { setting, size: parts.reduce((sum, part) => sum + countResources(part), 0) };
  }).sort((a, b) => b.size - a.size);
  throw new NotifierError(
    'config_invalid',
    `${most?.setting}: the stack has ${size} resources, ${most?.size} of them for these, and CloudFormation takes ${MAX_RESOURCES}; move some into a second stack, with a config and a stackName of its own, or let one receiver pass events on`,
  );
}

function countResources({ node }: Pick<Construct, 'node'>): number {
  return node.findAll().filter((part) => CfnResource.isCfnResource(part)).length;
}
