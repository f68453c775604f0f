import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import { describeUnknownMember, parseSecretMembers } from '#shared/core/secret-members.ts';
import type {
  ClientCredentials,
  EndpointTokens,
  SignedHeaders,
  WebhookSigner,
} from '#shared/systems/flow/webhook-run.ts';

export interface WebhookSignerOptions {
  readonly secretName: string;
  /** Reads the text of the secret; `fresh` bypasses the cache. */
  readonly readSecret: (ask: { readonly fresh: boolean }) => Promise<string>;
  readonly tokens: EndpointTokens;
}

/**
 * Signs according to the Standard Webhooks specification, with the current secret and the previous one, so that a
 * receiver that knows either can verify, and adds the headers and the token that the secret asks for. Throws
 * `secret_invalid`, `token_refused`, and what reading the secret throws.
 */
export function createWebhookSigner({ secretName, readSecret, tokens }: WebhookSignerOptions): WebhookSigner {
  return {
    async sign({ id, at, body }, ask): Promise<SignedHeaders> {
      const { signing, headers, oauth } = parseWebhookSecret(await readSecret(ask), secretName);
      const timestamp = String(Math.floor(at / 1_000));
      const signatures = signing.map((secret) => {
        const hmac = createHmac('sha256', decodeSigningKey(secret));
        return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
      });
      return {
        ...headers,
        ...(oauth === null ? {} : { authorization: `Bearer ${await tokens.find(oauth, ask)}` }),
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      };
    },
  };
}

const PREFIX = 'whsec_';
/** Sizes of a key that the Standard Webhooks specification allows. */
const KEY_BYTES = { min: 24, max: 64 };

/** A signing secret in the notation of the Standard Webhooks specification. */
const signingSecret = z
  .string()
  .transform((text) => text.trim())
  .refine(isSigningSecret);

/** Headers that a request has anyway, or that belong to its connection. */
const RESERVED_HEADER =
  /^(?:webhook-.*|proxy-.*|content-.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|user-agent|traceparent)$/;
const headerName = z
  .string()
  .transform((name) => name.toLowerCase())
  .pipe(z.string().regex(/^[a-z0-9-]{1,64}$/))
  .refine((name) => !RESERVED_HEADER.test(name));
const MAX_HEADERS = 10;
const headersSchema = z
  .record(headerName, z.string().regex(/^[\x20-\x7e]{1,4096}$/))
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS);
const oauthSchema = z.strictObject({
  tokenUrl: z.url({ protocol: /^https?$/ }),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  scope: z.string().min(1).optional(),
  audience: z.string().min(1).optional(),
});

const secretSchema = z.strictObject({
  current: signingSecret,
  previous: z.literal('').or(signingSecret).nullish(),
  headers: headersSchema.optional(),
  oauth: oauthSchema.optional(),
});

/** What the secret of a webhook holds. */
export interface WebhookSecret {
  /** The valid signing secrets, the current one first. */
  readonly signing: readonly string[];
  /** Sent with every request; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Client credentials for the token of every request. */
  readonly oauth: ClientCredentials | null;
}

const ADVICE = {
  headers: `headers that are not usable; give at most ${MAX_HEADERS}, with names of a-z, 0-9 and - that are not its own (webhook-*, content-*, host and the like) and printable ASCII as values`,
  oauth:
    'unusable client credentials; give {"tokenUrl": "https://...", "clientId": ..., "clientSecret": ..., "scope"?: ..., "audience"?: ...} as oauth',
};

/**
 * Reads the text of a webhook's secret: `whsec_...` by itself, or `{"current", "previous"?, "headers"?, "oauth"?}`.
 * Throws `NotifierError` `secret_invalid`, which says what is allowed and nothing of what the secret holds but the name of
 * a member that nobody reads.
 */
export function parseWebhookSecret(text: string, secretName: string): WebhookSecret {
  const members = parseSecretMembers(text, 'current');
  const result = secretSchema.safeParse(members);
  if (!result.success)
    throw new NotifierError(
      'secret_invalid',
      `the secret "${secretName}" ${describeUnknownMembers(members) ?? describeIssues(result.error)}`,
    );
  const { current, previous, headers = {}, oauth = null } = result.data;
  // Some people empty it at the end of a rotation instead of removing it.
  const signing = !previous || previous === current ? [current] : [current, previous];
  return { signing, headers, oauth };
}

function describeUnknownMembers(members: unknown): string | null {
  const { data } = z.looseObject({ oauth: z.unknown() }).safeParse(members);
  return (
    describeUnknownMember(members, Object.keys(secretSchema.shape)) ??
    describeUnknownMember(data?.oauth, Object.keys(oauthSchema.shape), ' in oauth')
  );
}

function describeIssues({ issues }: z.ZodError): string {
  const wrong = new Set(issues.map(({ path }) => path[0]));
  if (!wrong.has('current') && wrong.has('headers')) return `holds ${ADVICE.headers}`;
  if (!wrong.has('current') && wrong.has('oauth')) return `holds ${ADVICE.oauth}`;
  return `holds no signing secret; put whsec_ and ${KEY_BYTES.min} to ${KEY_BYTES.max} random bytes in base64 into it, or {"current": ..., "previous": ...} while it rotates`;
}

/** The key that a signing secret stands for. */
function decodeSigningKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

function isSigningSecret(text: string): boolean {
  const key = decodeSigningKey(text);
  // Decoding skips characters that are not base64, so only valid text survives the way there and back.
  const isBase64 = text === `${PREFIX}${key.toString('base64')}`;
  return isBase64 && key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max;
}
