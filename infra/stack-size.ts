import { CfnResource, Stack } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import { NotifierError } from '#shared/core/errors.ts';

/** Quota of CloudFormation for one stack, which no support case raises. */
const MAX_RESOURCES = 500;

/** What an entry of a list of the config is made of, by the id that its construct begins with. */
const LISTS: readonly (readonly [setting: string, id: RegExp])[] = [
  ['connections', /^Poll(?:Timesheets|PayPeriods)$/],
  ['webhooks', /^Webhook(?:s$|-)/],
  ['alerts.channels', /^(?:People|Mailboxes)$/],
  ['subscriptions', /^Subscription-/],
];

/**
 * Throws `config_invalid` when the stack around a construct has more resources than CloudFormation takes. Names the list
 * of the config that takes most of them. The stack within it that watches has at most about half as many.
 */
export function checkStackSize(scope: Construct): void {
  const stack = Stack.of(scope);
  const size = countResources(stack, stack);
  if (size <= MAX_RESOURCES) return;
  const [most] = LISTS.map(([setting, id]) => {
    const parts = scope.node.children.filter((child) => id.test(child.node.id));
    return { setting, size: parts.reduce((sum, part) => sum + countResources(part, stack), 0) };
  }).sort((a, b) => b.size - a.size);
  throw new NotifierError(
    'config_invalid',
    `${most?.setting}: the stack has ${size} resources, ${most?.size} of them for these, and CloudFormation takes ${MAX_RESOURCES}; move some into a second stack, with a config and a stackName of its own, or let one receiver pass events on`,
  );
}

/** Resources of a stack below a construct, without those of stacks within it. */
function countResources({ node }: IConstruct, stack: Stack): number {
  return node.findAll().filter((part) => CfnResource.isCfnResource(part) && part.stack === stack).length;
}
