import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { NotifierError } from '../../core/errors.ts';

const settingSchema = z.object({ url: z.string() });

export interface AddressRules {
  /** For error messages. */
  readonly secretName: string;
  /** Only for a run on one machine, whose receiver has no certificate. */
  readonly allowHttp: boolean;
}

/**
 * Reads the text of a Slack channel's secret: the address of its incoming webhook by itself, or `{"url": "..."}`.
 * Throws `NotifierError` `secret_invalid`, which says what is allowed and nothing of what the secret holds: anybody who
 * knows the address can post.
 */
export function parseWebhookAddress(text: string, { secretName, allowHttp }: AddressRules): string {
  const url = parseUrl(extractAddress(text.trim()));
  if (url === null || url.username !== '' || url.password !== '') {
    throw invalidSecretError(secretName, 'holds no address of an incoming webhook');
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && allowHttp)) return url.href;
  throw invalidSecretError(secretName, 'holds an address that is not https');
}

function invalidSecretError(secretName: string, what: string): NotifierError {
  return new NotifierError(
    'secret_invalid',
    `the secret "${secretName}" ${what}; put the address that Slack shows for it (https://hooks.slack.com/services/...) into it, or {"url": ...} with it`,
  );
}

function extractAddress(text: string): string {
  if (!text.startsWith('{')) return text;
  return settingSchema.safeParse(parseJsonOrNull(text)).data?.url.trim() ?? '';
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
