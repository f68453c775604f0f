import type { ChatKind } from '../../config/schema/chat-kind.ts';
import { NotifierError } from '../../core/errors.ts';
import { readSecretText } from './secret-text.ts';

const ADVICE: Readonly<Record<ChatKind, string>> = {
  slack: 'that Slack shows for it (https://hooks.slack.com/services/...)',
  teams: 'that the workflow of Teams shows when it was saved (https://...)',
};

export interface AddressRules {
  readonly kind: ChatKind;
  /** For error messages. */
  readonly secretName: string;
  /** Only for a run on one machine, whose receiver has no certificate. */
  readonly allowHttp: boolean;
}

/**
 * Reads the text of the secret of a channel of Slack or Teams: the address of its webhook by itself, or `{"url": "..."}`.
 * Throws `NotifierError` `secret_invalid`, which says what is allowed and nothing of what the secret holds: anybody who
 * knows the address can post.
 */
export function parseWebhookAddress(text: string, rules: AddressRules): string {
  const url = parseUrl(readSecretText(text, 'url'));
  if (url === null || url.username !== '' || url.password !== '') {
    throw invalidSecretError(rules, 'holds no address of an incoming webhook');
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && rules.allowHttp)) return url.href;
  throw invalidSecretError(rules, 'holds an address that is not https');
}

function invalidSecretError({ kind, secretName }: AddressRules, what: string): NotifierError {
  return new NotifierError(
    'secret_invalid',
    `the secret "${secretName}" ${what}; put the address ${ADVICE[kind]} into it, or {"url": ...} with it`,
  );
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
