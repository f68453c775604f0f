import { connectionSchema } from '#shared/config/schema/connection.ts';
import { isPlainHttp } from '#shared/config/schema/plain-http.ts';
import { createOptionsError } from '#shared/terminal/options.ts';

/** Environment variable with the token of a real source. */
export const TOKEN_VARIABLE = 'WORKFORCE_API_TOKEN';
export const DEFAULT_SPEED = 600;

interface RemoteSource {
  readonly kind: 'remote';
  readonly baseUrl: string;
  readonly token: string;
  /** Whether the user accepts http to another host. */
  readonly allowHttp?: true;
}

/** A real source, or the sample company with its speed in simulated seconds per real second. */
export type SourceChoice = RemoteSource | { readonly kind: 'emulator'; readonly speed: number };

/** The options that choose the source. */
export interface SourceOptions {
  readonly baseUrl?: string;
  readonly allowHttp?: true;
  readonly speed?: number;
}

/** Throws a `NotifierError` for a wrong address or token. Never shows a password or the token. */
export function readSource(
  { baseUrl, allowHttp, speed }: SourceOptions,
  environment: NodeJS.ProcessEnv,
): SourceChoice {
  if (baseUrl === undefined) return { kind: 'emulator', speed: speed ?? DEFAULT_SPEED };
  if (speed !== undefined) {
    throw createOptionsError(
      '--speed is for the sample company and cannot be combined with --base-url; omit one of them',
    );
  }
  checkBaseUrl(baseUrl);
  if (isPlainHttp(baseUrl) && allowHttp !== true) {
    throw createOptionsError(
      `--base-url ${JSON.stringify(baseUrl)} is http, which shows the token to the network; use https, or add --allow-http`,
    );
  }
  const token = environment[TOKEN_VARIABLE]?.trim() ?? '';
  if (token === '') {
    throw createOptionsError(`${TOKEN_VARIABLE} is not set; set it to a token of the source at ${baseUrl}`);
  }
  if (/\p{Cc}/u.test(token)) {
    throw createOptionsError(
      `${TOKEN_VARIABLE} contains a line break or control character; set it to the token alone`,
    );
  }
  return { kind: 'remote', baseUrl, token, ...(allowHttp === true ? { allowHttp } : {}) };
}

/** Not an argument parser of commander: its message would show a password in the URL. */
function checkBaseUrl(text: string): void {
  const result = connectionSchema.shape.baseUrl.safeParse(text);
  if (result.success) return;
  const shown = text.includes('@') ? '' : ` ${JSON.stringify(text)}`;
  throw createOptionsError(
    `--base-url${shown} cannot be used: ${result.error.issues[0]?.message}`,
    result.error,
  );
}
