import type { ChannelMessage } from './alert.ts';
import { formatMore, formatSeen } from './message-footer.ts';

/** Slack's limit is 3,000 characters in the text of a section, counting escapes; the rest is a margin. */
const MAX_SECTION_CHARACTERS = 2_900;
/** Slack's limit is 50 blocks; heading, sentence, link and time are four of them. */
const MAX_LIST_SECTIONS = 40;
/** Slack cuts at 4,000 characters; a notification shows fewer. */
const MAX_FALLBACK_CHARACTERS = 2_900;
/** Slack's limit is 150 characters. */
const MAX_HEADER_CHARACTERS = 145;
const BULLET = '• ';
const INNER_BULLET = '    ◦ ';
const CUT = '...';
const NO_TITLE = 'Workforce alert';

/** Text that Slack shows verbatim: without format, mentions, links or `:emoji:`. */
interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji: false;
}

/** A link that looks like a button. */
interface LinkButton {
  readonly type: 'button';
  readonly text: PlainText;
  readonly url: string;
}

type Block =
  | { readonly type: 'header'; readonly text: PlainText }
  | { readonly type: 'actions'; readonly elements: readonly [LinkButton] }
  | { readonly type: 'section'; readonly text: PlainText; readonly accessory?: LinkButton }
  | { readonly type: 'context'; readonly elements: readonly [PlainText] };

/** What is posted to an incoming webhook of Slack. */
export interface SlackPayload {
  /** For notifications, and for clients that do not show blocks. */
  readonly text: string;
  readonly blocks: readonly Block[];
  /** These make Slack treat `text` as plain, and fetch no previews of links. */
  readonly mrkdwn: false;
  readonly parse: 'none';
  readonly link_names: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

/** The payload of a message. Texts are shown verbatim and have no other effect. */
export function buildSlackPayload(message: ChannelMessage): SlackPayload {
  const title = message.title.trim() === '' ? NO_TITLE : message.title;
  const { sections, left } = splitIntoSections(message);
  const more = message.more + left;
  const closing = [...(more === 0 ? [] : [formatMore(more)]), formatSeen(message)];
  return {
    text: buildFallbackText([
      title,
      ...message.lines,
      ...(message.more === 0 ? [] : [formatMore(message.more)]),
    ]),
    blocks: [
      ...buildHeading(title, message),
      ...sections.map(({ text, url }) => section(text, url)),
      { type: 'context', elements: [plain(escapeTo(closing.join('  |  '), MAX_SECTION_CHARACTERS))] },
    ],
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** The heading, which Slack shows bold; a single alert's sentence below it, and its link. */
function buildHeading(title: string, { headline, lines, url }: ChannelMessage): Block[] {
  const heading = headline ?? (lines.length > 0 ? title : undefined);
  const open: Block[] = url === undefined ? [] : [{ type: 'actions', elements: [linkButton(url)] }];
  const sentence = section(escapeTo(title, MAX_SECTION_CHARACTERS));
  if (heading === undefined) return [sentence, ...open];
  const header: Block = { type: 'header', text: plain(escapeTo(heading, MAX_HEADER_CHARACTERS)) };
  return [header, ...(heading === title && title.length <= MAX_HEADER_CHARACTERS ? [] : [sentence]), ...open];
}

interface Section {
  readonly text: string;
  readonly url?: string;
}

/** Escapes lines and fills sections with them; a line with a link is one. `left`: how many lines found no room. */
function splitIntoSections({ lines, links = [], inner = [] }: ChannelMessage): {
  sections: Section[];
  left: number;
} {
  const sections: Section[] = [];
  let taken = 0;
  for (const [at, line] of lines.entries()) {
    const bullet = inner[at] === true ? INNER_BULLET : BULLET;
    const text = escapeTo(`${bullet}${line}`, MAX_SECTION_CHARACTERS);
    const url = links[at] ?? undefined;
    const last = sections.at(-1);
    const hasRoom = last !== undefined && last.text.length + text.length + 1 <= MAX_SECTION_CHARACTERS;
    if (hasRoom && url === undefined && last.url === undefined) {
      sections[sections.length - 1] = { text: `${last.text}\n${text}` };
    } else if (sections.length < MAX_LIST_SECTIONS) {
      sections.push({ text, ...(url === undefined ? {} : { url }) });
    } else {
      break;
    }
    taken += 1;
  }
  return { sections, left: lines.length - taken };
}

/** Slack always turns `:name:` into an emoji here; a space after the first colon prevents it. */
function buildFallbackText(lines: readonly string[]): string {
  const text = lines.join('\n').replace(/:(?=[^\s:]+:)/g, ': ');
  return escapeTo(text, MAX_FALLBACK_CHARACTERS);
}

function section(text: string, url?: string): Block {
  return { type: 'section', text: plain(text), ...(url === undefined ? {} : { accessory: linkButton(url) }) };
}

function linkButton(url: string): LinkButton {
  return { type: 'button', text: plain('Open'), url };
}

function plain(text: string): PlainText {
  return { type: 'plain_text', text, emoji: false };
}

/** Escapes `&`, `<` and `>` as Slack requires, within `max` characters; cuts between characters. */
function escapeTo(text: string, max: number): string {
  const whole = escapeText(text);
  if (whole.length <= max) return whole;
  let start = '';
  for (const character of text) {
    const next = escapeText(character);
    if (start.length + next.length > max - CUT.length) break;
    start += next;
  }
  return `${start.trimEnd()}${CUT}`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
