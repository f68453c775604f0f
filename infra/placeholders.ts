import { Annotations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** Domains that belong to nobody (RFC 2606, RFC 6761): whoever deploys one forgot to replace it. */
const RESERVED_DOMAIN = /(?:^|\.)(?:example|invalid|test|example\.(?:com|net|org))$/i;

/** A setting of the config, such as `connections[0].baseUrl`, and the reserved domain in it. */
export interface Placeholder {
  readonly path: string;
  readonly domain: string;
}

/** Warns at synth and deploy of every address that leads nowhere. */
export function warnOfPlaceholders(stack: IConstruct, config: NotifierConfig): void {
  for (const { path, domain } of findPlaceholders(config)) {
    Annotations.of(stack).addWarningV2(
      `workforce-notifier:placeholder:${path}`,
      `${path}: ${domain} is a domain for examples and belongs to nobody; put your own address in its place`,
    );
  }
}

/** The addresses of sources, webhooks and mailboxes whose domain is reserved. */
export function findPlaceholders({ connections, webhooks, alerts, alarms }: NotifierConfig): Placeholder[] {
  const hosts = [
    ...connections.map(({ baseUrl }, index) => [`connections[${index}].baseUrl`, readHost(baseUrl)]),
    ...webhooks.map(({ url }, index) => [`webhooks[${index}].url`, readHost(url)]),
    ...alerts.channels.flatMap((channel, index) =>
      channel.kind === 'email'
        ? channel.addresses.map((address, at) => [
            `alerts.channels[${index}].addresses[${at}]`,
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
