import * as z from 'zod';
import type { ChatKind } from '#shared/config/schema/chat-kind.ts';
import { isPlainHttp } from '#shared/config/schema/plain-http.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { describeUnknownMember, parseSecretMembers } from '#shared/core/secret-members.ts';

/** The only member of a secret, or the text of one by itself. `wrong`: what is, of a secret with another member. */
function readSecretText(
  secret: string,
  member: string,
): { readonly text: string; readonly wrong: string | null } {
  const members = parseSecretMembers(secret, member);
  const { data } = z.object({ [member]: z.string() }).safeParse(members);
  return { text: data?.[member]?.trim() ?? '', wrong: describeUnknownMember(members, [member]) };
}

/** Of a bot, also one that is rotated. A token of a user would post in the name of a person. */
const BOT_TOKEN = /^(?:xoxe\.)?xoxb-[A-Za-z0-9-]{8,500}$/;

/**
 * Reads the text of the secret of a Slack channel with a bot: its token by itself, or `{"token": "..."}`. Throws
 * `NotifierError` `secret_invalid`, which says what is allowed and nothing of what the secret holds.
 */
export function parseBotToken(text: string, secretName: string): string {
  const { text: token, wrong } = readSecretText(text, 'token');
  if (wrong === null && BOT_TOKEN.test(token)) return token;
  throw new NotifierError(
    'secret_invalid',
    `the secret "${secretName}" ${wrong ?? 'holds no token of a Slack bot'}; put the "Bot User OAuth Token" (xoxb-...) of the app into it, or {"token": ...} with it`,
  );
}

/** Hosts whose webhooks are meant. */
const HOSTS: Readonly<Record<ChatKind, RegExp>> = {
  slack: /^hooks\.slack(?:-gov)?\.com$/,
  // Of workflows (Power Automate, before that Logic Apps), those of governments and China too, and of connectors.
  teams:
    /\.(?:logic\.azure\.(?:com|us|cn)|api\.(?:powerplatform\.com|(?:gov|high)\.powerplatform\.microsoft\.us|appsplatform\.us|powerplatform\.partner\.microsoftonline\.cn)|webhook\.office\.com)$|^outlook\.office(?:365)?\.com$/,
};

const ADVICE: Readonly<Record<ChatKind, string>> = {
  slack: 'that Slack shows for it (https://hooks.slack.com/services/...)',
  teams:
    'that the workflow of Teams shows when it was saved (https://...logic.azure.com/... or https://...api.powerplatform.com/...)',
};

export interface AddressRules {
  readonly kind: ChatKind;
  /** For error messages. */
  readonly secretName: string;
  /** Only for a run on one machine: an address there without TLS is taken too. */
  readonly allowHttp: boolean;
}

/**
 * Reads the text of the secret of a channel of Slack or Teams: the address of its webhook by itself, or `{"url": "..."}`.
 * Throws `NotifierError` `secret_invalid`, which says what is allowed and nothing of what the secret holds: anybody who
 * knows the address can post.
 */
export function parseWebhookAddress(text: string, rules: AddressRules): string {
  const { text: address, wrong } = readSecretText(text, 'url');
  if (wrong !== null) throw invalidSecretError(rules, wrong);
  const url = parseUrl(address);
  if (url === null || url.username !== '' || url.password !== '') {
    throw invalidSecretError(rules, 'holds no address of an incoming webhook');
  }
  if (url.protocol === 'http:' && rules.allowHttp && !isPlainHttp(url.href)) return url.href;
  if (url.protocol !== 'https:') throw invalidSecretError(rules, 'holds an address that is not https');
  if (HOSTS[rules.kind].test(url.hostname)) return url.href;
  throw invalidSecretError(rules, 'holds an address of another host');
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
