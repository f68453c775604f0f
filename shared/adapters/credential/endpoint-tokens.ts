import * as z from 'zod';
import { stillLasts } from '#shared/core/clock-tolerance.ts';
import { NotifierError, SourceError } from '#shared/core/errors.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { ClientCredentials, EndpointTokens, WebhookClient } from '#shared/systems/flow/webhook-run.ts';
import { type Credential, createCredential, type RequestToken } from './credential.ts';

export interface EndpointTokensOptions {
  /** For error messages. */
  readonly secretName: string;
  /** For the endpoint's token server; its timeout is `TOKEN_TIMEOUT_MS`. */
  readonly client: WebhookClient;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Held {
  readonly key: string;
  readonly credential: Credential;
  token: string | null;
  failure: { readonly error: NotifierError; readonly until: number } | null;
}

/**
 * So long a failure stands for all deliveries of a batch. Less than the first wait of a webhook, whose next attempt asks
 * anew.
 */
const FAILURE_KEPT_MS = 4_000;

/** The tokens of one endpoint: kept until they expire, or the endpoint or the secret wants another one. */
export function createEndpointTokens(options: EndpointTokensOptions): EndpointTokens {
  let held: Held | null = null;
  return {
    async find(credentials, { fresh }) {
      const key = JSON.stringify(credentials);
      if (held?.key !== key)
        held = { key, credential: openCredential(credentials, options), token: null, failure: null };
      const current = held;
      const { credential, token, failure } = current;
      if (failure !== null && stillLasts(failure.until, options.now(), FAILURE_KEPT_MS)) throw failure.error;
      try {
        current.token = fresh && token !== null ? await credential.renew(token) : await credential.token();
        return current.token;
      } catch (cause) {
        if (!(cause instanceof SourceError)) throw cause;
        const message = `the token server named in the secret "${options.secretName}" gives no token: ${cause.message}`;
        const error = new NotifierError('token_refused', message, { cause, retryable: true });
        current.failure = { error, until: options.now() + FAILURE_KEPT_MS };
        throw error;
      }
    },
  };
}

function openCredential(
  { tokenUrl: tokenPath, ...credentials }: ClientCredentials,
  { secretName, client, now }: EndpointTokensOptions,
): Credential {
  const contents = JSON.stringify({ ...credentials, tokenPath });
  return createCredential({
    secretName,
    readSecret: async () => contents,
    requestToken: createTokenPost(client),
    now,
  });
}

/** What a token server calls a refusal (RFC 6749, section 5.2); of its answer nothing else is kept. */
const refusalSchema = z.looseObject({ error: z.string().regex(/^[a-z_]{1,40}$/) });

/** The JSON value of a token server's answer (RFC 6749, section 4.4). Throws `SourceError` when it gives none. */
function createTokenPost(client: WebhookClient): RequestToken {
  return async (url, { form, headers: ofClient }) => {
    const type = 'application/x-www-form-urlencoded';
    const headers = { 'content-type': type, accept: 'application/json', ...ofClient };
    const body = new URLSearchParams(form).toString();
    const answer = await client.post({ url, headers, body, readsAnswer: true });
    if (answer.outcome === 'unanswered') throw new SourceError('source_unauthorised', answer.reason);
    const { status, text = '' } = answer;
    if (status === 200) return parseJsonOrNull(text);
    const said = refusalSchema.safeParse(parseJsonOrNull(text)).data?.error ?? '';
    throw new SourceError('source_unauthorised', `it answered ${status}`, { status, said });
  };
}
