import { type Line, type Message, toText } from '../message.ts';
import { breakAddresses, cutTo } from '../messages/clean-text.ts';
import { cutHeading } from '../messages/cut-heading.ts';
import { fitLines, MAX_HEADING_CHARACTERS } from './fit-lines.ts';
import { formatFooter } from './message-footer.ts';

/** SNS takes 256 KB with attributes. */
const MAX_BODY_BYTES = 200_000;

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
export function buildMail(message: Message, route: MailRoute): Mail {
  const heading = cutTo(message.heading, MAX_HEADING_CHARACTERS);
  const subject = toSubject(heading) || 'Workforce alert';
  return {
    subject,
    body: fitLines(message, MAX_BODY_BYTES, (lines) =>
      [
        // A subject says less than the heading where that is long, or not in ASCII.
        ...(subject === heading ? [] : [heading, '']),
        ...buildLines(lines),
        ...(message.url === undefined ? [] : [message.url, '']),
        formatFooter(message),
        '',
        ...buildReason(route),
      ].join('\n'),
    ),
  };
}

/** Empty where the heading has nothing that ASCII can say. */
function toSubject(heading: string): string {
  const ascii = heading
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

/** With an empty line after them. A line alone needs no bullet. */
function buildLines(lines: readonly Line[]): string[] {
  if (lines.length === 0) return [];
  const bullet = lines.length > 1 ? '- ' : '';
  const texts = lines.flatMap(({ spans, isInner, url }) => {
    const indent = isInner === true ? '  ' : '';
    const link = url === undefined ? [] : [`${indent}${' '.repeat(bullet.length)}${url}`];
    return [`${indent}${bullet}${toText(spans)}`, ...link];
  });
  return [...texts, ''];
}

function buildReason({ channel, stackName }: MailRoute): string[] {
  return [
    '--',
    `You receive this because your address is in the channel "${channel}" of ${stackName}.`,
    'To stop it, use the link that AWS adds below, or ask for your address to be removed from notifier.config.ts.',
    '',
  ];
}
