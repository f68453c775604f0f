import { Annotations, CfnResource, Stack, Token } from 'aws-cdk-lib';
import type { Construct, IConstruct } from 'constructs';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { findUnheardFollowUps } from '#shared/config/schema/unheard-follow-ups.ts';
import { NotifierError } from '#shared/core/errors.ts';

/** Domains that belong to nobody (RFC 2606, RFC 6761): whoever deploys one forgot to replace it. */
const RESERVED_DOMAIN = /(?:^|\.)(?:example|invalid|test|example\.(?:com|net|org))$/i;

/** A setting of the config, such as `connections[0].baseUrl`, and the reserved domain in it. */
export interface Placeholder {
  readonly path: string;
  readonly domain: string;
}

/**
 * Warns at synth and deploy of what the config allows and nobody wants: addresses that lead nowhere or may hold a
 * secret, alarms that nobody hears, and filters by which a receiver pays hours that have changed since.
 */
export function warnOfConfig(stack: IConstruct, config: NotifierConfig): void {
  // The CLI reads the id up to its first bracket.
  const warn = (id: string, text: string) =>
    Annotations.of(stack).addWarningV2(`workforce-notifier:${id.replaceAll(/\[(\d+)\]/g, '.$1')}`, text);
  for (const { path, domain } of findPlaceholders(config)) {
    const mend = 'put your own address in its place';
    warn(`placeholder:${path}`, `${path}: ${domain} is a domain for examples and belongs to nobody; ${mend}`);
  }
  for (const [index, { url }] of config.webhooks.entries()) {
    if (URL.parse(url)?.search === '') continue;
    const path = `webhooks[${index}].url`;
    warn(
      `webhook-query:${path}`,
      `${path} has a query, which ends in logs, and which whoever sees the template or the config reads; put what is secret in it as headers into the secret of the webhook (docs/webhooks.md)`,
    );
  }
  const { email, topicArn } = config.alarms;
  if (email === undefined && topicArn === undefined) {
    warn(
      'alarms-unheard',
      'alarms: nobody is notified of them, so nobody hears that polls or deliveries stopped; set alarms.email or alarms.topicArn',
    );
  }
  const { region } = Stack.of(stack);
  const elsewhere = topicArn?.split(':')[3] ?? region;
  if (!Token.isUnresolved(region) && elsewhere !== region) {
    warn(
      'alarms-elsewhere',
      `alarms.topicArn is a topic in ${elsewhere}, and alarms of ${region} reach topics of ${region} alone; name one there`,
    );
  }
  for (const { path, says, mend } of findUnheardFollowUps(config)) {
    warn(`unheard-follow-ups:${path}`, `${path}: ${says}; ${mend} (docs/subscribing.md)`);
  }
}

/** The addresses of sources, webhooks and mailboxes whose domain is reserved. */
export function findPlaceholders({ connections, webhooks, people, alarms }: NotifierConfig): Placeholder[] {
  const hosts = [
    ...connections.map(({ baseUrl }, index) => [`connections[${index}].baseUrl`, readHost(baseUrl)]),
    ...webhooks.map(({ url }, index) => [`webhooks[${index}].url`, readHost(url)]),
    ...people.channels.flatMap((channel, index) =>
      channel.kind === 'email'
        ? channel.addresses.map((address, at) => [
            `people.channels[${index}].addresses[${at}]`,
            readDomain(address),
          ])
        : [],
    ),
    ...(alarms.email === undefined ? [] : [['alarms.email', readDomain(alarms.email)]]),
  ] as const;
  return hosts.flatMap(([path = '', domain = '']) =>
    RESERVED_DOMAIN.test(domain) ? [{ path, domain }] : [],
  );
}

function readHost(address: string): string {
  return URL.parse(address)?.hostname.replace(/\.$/, '') ?? '';
}

function readDomain(mailAddress: string): string {
  return mailAddress.slice(mailAddress.lastIndexOf('@') + 1);
}

/** Quota of CloudFormation for one stack, which no support case raises. */
const MAX_RESOURCES = 500;

/** What an entry of a list of the config is made of, by the id that its construct begins with. */
const LISTS: readonly (readonly [setting: string, id: RegExp])[] = [
  ['connections', /^Poll(?:Timesheets|PayPeriods)$/],
  ['webhooks', /^Webhook(?:s$|-)/],
  ['people.channels', /^(?:People|Mailboxes)$/],
  ['queues', /^Queue-/],
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
