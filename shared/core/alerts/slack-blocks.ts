import type { ChannelMessage } from './alert.ts';
import { formatMore, formatSeen } from './message-footer.ts';

/** Slack takes 3,000 characters in the text of a section, escapes counted; the rest is room for doubt. */
const MAX_SECTION_CHARACTERS = 2_900;
/** Slack takes 50 blocks; title and time are two of them. */
const MAX_LIST_SECTIONS = 40;
/** A notification shows less; Slack cuts at 4,000. */
const MAX_FALLBACK_CHARACTERS = 2_900;
const BULLET = '• ';
const CUT = '...';
const NO_TITLE = 'Workforce alert';

/** Text that Slack shows as it is: no format, no mention, no link, no emoji made of colons. */
interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji: false;
}

type Block =
  | { readonly type: 'section'; readonly text: PlainText }
  | { readonly type: 'context'; readonly elements: readonly [PlainText] };

/** What is posted to an incoming webhook of Slack. */
export interface SlackPayload {
  /** For notifications, and for whoever does not see blocks. */
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Nothing in `text` is mark-up, a mention or a link, and nothing is fetched to be shown below. */
  readonly mrkdwn: false;
  readonly parse: 'none';
  readonly link_names: false;
  readonly unfurl_links: false;
  readonly unfurl_media: false;
}

/** A message as Slack gets it. Whatever stands in it is shown, and does nothing else. */
export function buildSlackPayload(message: ChannelMessage): SlackPayload {
  const title = message.title.trim() === '' ? NO_TITLE : message.title;
  const { sections, left } = splitIntoSections(message.lines);
  const more = message.more + left;
  const closing = [...(more === 0 ? [] : [formatMore(more)]), formatSeen(message)];
  return {
    text: buildFallbackText([
      title,
      ...message.lines,
      ...(message.more === 0 ? [] : [formatMore(message.more)]),
    ]),
    blocks: [
      section(escapeTo(title, MAX_SECTION_CHARACTERS)),
      ...sections.map(section),
      { type: 'context', elements: [plain(escapeTo(closing.join('  |  '), MAX_SECTION_CHARACTERS))] },
    ],
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** Lines in as few sections as hold them, escaped; `left` is how many found no room. */
function splitIntoSections(lines: readonly string[]): { sections: string[]; left: number } {
  const sections: string[] = [];
  let taken = 0;
  for (const line of lines) {
    const item = escapeTo(`${BULLET}${line}`, MAX_SECTION_CHARACTERS);
    const last = sections.at(-1);
    if (last !== undefined && last.length + item.length + 1 <= MAX_SECTION_CHARACTERS) {
      sections[sections.length - 1] = `${last}\n${item}`;
    } else if (sections.length < MAX_LIST_SECTIONS) {
      sections.push(item);
    } else {
      break;
    }
    taken += 1;
  }
  return { sections, left: lines.length - taken };
}

/** Slack turns `:name:` into an emoji here whatever it is told; a space in between keeps it from being a name. */
function buildFallbackText(lines: readonly string[]): string {
  const text = lines.join('\n').replace(/:(?=[^\s:]+:)/g, ': ');
  return escapeTo(text, MAX_FALLBACK_CHARACTERS);
}

function section(text: string): Block {
  return { type: 'section', text: plain(text) };
}

function plain(text: string): PlainText {
  return { type: 'plain_text', text, emoji: false };
}

/** The three characters that Slack gives a meaning, escaped as it asks for; cut between characters when too long. */
function escapeTo(text: string, most: number): string {
  const whole = escapeText(text);
  if (whole.length <= most) return whole;
  let start = '';
  for (const character of text) {
    const next = escapeText(character);
    if (start.length + next.length > most - CUT.length) break;
    start += next;
  }
  return `${start.trimEnd()}${CUT}`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
