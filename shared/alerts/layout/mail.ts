import { ENGLISH, type Language } from '#shared/languages/language.ts';
import { say } from '#shared/languages/text.ts';
import { breakAddresses } from '../../core/messages/clean-text.ts';
import { MAX_HEADING_CHARACTERS } from '../../core/messages/heading-length.ts';
import type { ChannelMessage } from '../alert.ts';
import { formatMore, formatSeen } from './message-footer.ts';

const CUT = '...';
/** A subject is cut at a word unless that leaves less than this. */
const MIN_SUBJECT_CHARACTERS = 50;
/** What is longer is cut before it is normalized, which takes long for long runs of marks. */
const MAX_TITLE_CHARACTERS = 1_000;

/** ASCII forms of letters and punctuation that Unicode normalization does not decompose. */
const PLAIN_FORMS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
};

export interface Mail {
  /** At most 78 ASCII characters on one line, beginning with a letter or a digit. */
  readonly subject: string;
  /** Plain text. */
  readonly body: string;
}

/** Through which channel of which notifier a mail goes, and in which language: English without one. */
interface MailRoute {
  readonly channel: string;
  readonly stackName: string;
  readonly language?: Language | undefined;
}

/** A message as a mail through the topic `alerts`. The body says why the reader receives it and how to stop it. */
export function buildMail(message: ChannelMessage, route: MailRoute): Mail {
  const { noTitle } = (route.language ?? ENGLISH).layout;
  const subjects = [message.heading ?? message.title, noTitle].map(toSubject);
  return {
    subject: subjects.find((subject) => subject !== '') ?? route.stackName,
    body: buildBody(message, route),
  };
}

/** Empty where the title has nothing that ASCII can say. */
function toSubject(title: string): string {
  const ascii = [...title.slice(0, MAX_TITLE_CHARACTERS).normalize('NFC')].map(toAscii).join('');
  const line = ascii
    .replace(/\s+/g, ' ')
    .replace(/\?{2,}/g, '?')
    .replace(/^[^A-Za-z0-9]+/, '')
    .trim();
  // Other forms of `:`, `@` and dots have become ASCII only here.
  return cutAtWord(breakAddresses(line));
}

function toAscii(character: string): string {
  if (/[\s\p{Cc}]/u.test(character)) return ' ';
  if (/[ -~]/.test(character)) return character;
  const form = PLAIN_FORMS[character];
  if (form !== undefined) return form;
  const plain = character.normalize('NFKD').replace(/\p{M}/gu, '');
  if (plain === '') return '';
  return /^[ -~]+$/.test(plain) ? plain : '?';
}

function cutAtWord(line: string): string {
  if (line.length <= MAX_HEADING_CHARACTERS) return line;
  const start = line.slice(0, MAX_HEADING_CHARACTERS - CUT.length + 1);
  const end = start.lastIndexOf(' ');
  return `${(end >= MIN_SUBJECT_CHARACTERS ? start.slice(0, end) : start.slice(0, -1)).replace(/[\s,;:(-]+$/, '')}${CUT}`;
}

function buildBody(message: ChannelMessage, { channel, stackName, language = ENGLISH }: MailRoute): string {
  const { mail } = language.layout;
  const { title, facts = title, lines, links = [], inner = [], more, url } = message;
  const items = lines.flatMap((line, at) => {
    const indent = inner[at] === true ? '  ' : '';
    return [`${indent}- ${line}`, ...(links[at] == null ? [] : [`${indent}  ${links[at]}`])];
  });
  const list = [...items, ...(more === 0 ? [] : [formatMore(more, language)])];
  return [
    facts,
    ...(url === undefined ? [] : [url]),
    ...(list.length === 0 ? [] : ['', ...list]),
    '',
    `${formatSeen(message, language)}.`,
    '',
    '--',
    say(mail.why, { channel, stack: stackName }),
    mail.stop,
    '',
  ].join('\n');
}
