import type { ChannelMessage } from '../alert.ts';
import { breakAddresses } from '../messages/clean-text.ts';
import { cutHeading } from '../messages/cut-heading.ts';
import { formatMore, formatSeen } from './message-footer.ts';

/** What is longer is cut before it is normalized, which takes long for long runs of marks. */
const MAX_TITLE_CHARACTERS = 1_000;

export interface Mail {
  /** At most 78 ASCII characters on one line, beginning with a letter or a digit. */
  readonly subject: string;
  /** Plain text. */
  readonly body: string;
}

/** Through which channel of which notifier a mail goes. */
interface MailRoute {
  readonly channel: string;
  readonly stackName: string;
}

/** A message as a mail through the topic `alerts`. The body says why the reader receives it and how to stop it. */
export function buildMail(message: ChannelMessage, route: MailRoute): Mail {
  const { heading = message.title, title, facts = title } = message;
  const own = toSubject(heading);
  // Facts alone stand below a heading that says whom they are about, which ASCII may not.
  const first = own === heading ? facts : title;
  return { subject: own || toSubject('Workforce alert'), body: buildBody(message, first, route) };
}

/** Empty where the title has nothing that ASCII can say. */
function toSubject(title: string): string {
  const ascii = title
    .slice(0, MAX_TITLE_CHARACTERS)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .normalize('NFKD')
    .replace(/[^ -~]/g, '');
  const line = ascii
    .replace(/ +/g, ' ')
    .replace(/^[^A-Za-z0-9]+/, '')
    .trim();
  // Other forms of `:`, `@` and dots have become ASCII only here.
  return cutHeading(breakAddresses(line));
}

function buildBody(message: ChannelMessage, first: string, { channel, stackName }: MailRoute): string {
  const { lines, links = [], inner = [], more, url } = message;
  const items = lines.flatMap((line, at) => {
    const indent = inner[at] === true ? '  ' : '';
    return [`${indent}- ${line}`, ...(links[at] == null ? [] : [`${indent}  ${links[at]}`])];
  });
  const list = [...items, ...(more === 0 ? [] : [formatMore(more)])];
  return [
    first,
    ...(url === undefined ? [] : [url]),
    ...(list.length === 0 ? [] : ['', ...list]),
    '',
    `${formatSeen(message)}.`,
    '',
    '--',
    `You receive this because your address is in the channel "${channel}" of ${stackName}.`,
    'To stop it, use the link that AWS adds below, or ask for your address to be removed from notifier.config.ts.',
    '',
  ].join('\n');
}
