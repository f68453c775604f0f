import { NotifierError } from '#shared/core/errors.ts';
import { readSecretText } from './secret-text.ts';

/** Of a bot, also one that is rotated. A token of a user would post in the name of a person. */
const BOT_TOKEN = /^(?:xoxe\.)?xoxb-[A-Za-z0-9-]{8,500}$/;

/**
 * Reads the text of the secret of a Slack channel with a bot: its token by itself, or `{"token": "..."}`. Throws
 * `NotifierError` `secret_invalid`, which says what is allowed and nothing of what the secret holds.
 */
export function parseBotToken(text: string, secretName: string): string {
  const token = readSecretText(text, 'token');
  if (BOT_TOKEN.test(token)) return token;
  throw new NotifierError(
    'secret_invalid',
    `the secret "${secretName}" holds no token of a Slack bot; put the "Bot User OAuth Token" (xoxb-...) of the app into it, or {"token": ...} with it`,
  );
}
