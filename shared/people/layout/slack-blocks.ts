import { type Line, type Message, type Span, toText } from '../message.ts';
import { cutTo } from '../messages/clean-text.ts';
import { cutLines, fitLines, MAX_HEADING_CHARACTERS } from './fit-lines.ts';
import { formatFooter } from './message-footer.ts';

/** Slack was seen to refuse blocks of more than about 13,200 characters in all, and documents no limit. */
const MAX_BLOCKS_BYTES = 12_000;
const MAX_BLOCK_CHARACTERS = 3_000;
/** Slack cuts at 4,000 characters; a notification shows fewer. */
const MAX_FALLBACK_CHARACTERS = 2_900;
/** Slack's limit is 150 characters. */
const MAX_HEADER_CHARACTERS = 145;

/** Text that Slack shows verbatim: without format, mentions, links or `:emoji:`. */
interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji: false;
}

/** Of a rich text, elements alone are mentions, links, emoji or bold: nothing in their texts is markup, or escaped. */
type RichElement =
  | { readonly type: 'text'; readonly text: string; readonly style?: { readonly bold: true } }
  /** Its text is ours: a name in it could pass for another address. */
  | { readonly type: 'link'; readonly url: string; readonly text: 'Open' };

interface Section {
  readonly type: 'rich_text_section';
  readonly elements: readonly RichElement[];
}

interface List {
  readonly type: 'rich_text_list';
  readonly style: 'bullet';
  readonly indent: 0 | 1;
  readonly elements: Section[];
}

/** A link that looks like a button. */
interface LinkButton {
  readonly type: 'button';
  readonly text: PlainText;
  readonly url: string;
}

type Block =
  | { readonly type: 'header'; readonly text: PlainText }
  | { readonly type: 'rich_text'; readonly elements: readonly (Section | List)[] }
  | { readonly type: 'actions'; readonly elements: readonly [LinkButton] }
  | { readonly type: 'context'; readonly elements: readonly [PlainText] };

/** These make Slack treat `text` as plain, and fetch no previews of links. */
const VERBATIM = {
  mrkdwn: false,
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const;

/** What is posted to an incoming webhook of Slack. */
export interface SlackPayload extends Readonly<typeof VERBATIM> {
  /** For notifications, and for clients that do not show blocks. */
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** The payload of a message. Texts are shown verbatim and have no other effect; lines without room are counted. */
export function buildSlackPayload(message: Message): SlackPayload {
  return {
    text: buildFallbackText(message),
    blocks: fitLines(message, MAX_BLOCKS_BYTES, (lines) => buildBlocks(message, lines)),
    ...VERBATIM,
  };
}

/**
 * Slack always turns `:name:` into an emoji here; a space after the first colon prevents it. No emoji has a name of two
 * digits, which stand in a clock time before a colon.
 */
function buildFallbackText(message: Message): string {
  const heading = cutTo(message.heading, MAX_HEADING_CHARACTERS);
  const lines = [heading, ...cutLines(message).map(({ spans }) => toText(spans))];
  return escapeTo(lines.join('\n').replace(/:(?!\d\d:)(?=[^\s:]+:)/g, ': '), MAX_FALLBACK_CHARACTERS);
}

function buildBlocks(message: Message, lines: readonly Line[]): Block[] {
  const { heading, url } = message;
  const header = escapeTo(heading, MAX_HEADER_CHARACTERS);
  const whole = cutTo(heading, MAX_HEADING_CHARACTERS);
  return [
    { type: 'header', text: plain(header) },
    ...(header === escapeText(heading) ? [] : [richText(buildSection({ spans: [whole] }))]),
    ...(lines.length === 1 ? lines.map((line) => richText(buildSection(line))) : buildBullets(lines)),
    ...(url === undefined ? [] : [button(url)]),
    { type: 'context', elements: [plain(formatFooter(message))] },
  ];
}

/** Inner lines are bullets below others. */
function buildBullets(lines: readonly Line[]): Block[] {
  const blocks: List[][] = [];
  let room = 0;
  for (const line of lines) {
    const section = buildSection(line);
    const length = section.elements.reduce((sum, { text }) => sum + text.length, 0);
    if (length > room) {
      blocks.push([]);
      room = MAX_BLOCK_CHARACTERS;
    }
    room -= length;
    const indent = line.isInner === true ? 1 : 0;
    const last = blocks.at(-1)?.at(-1);
    if (last?.indent === indent) last.elements.push(section);
    else blocks.at(-1)?.push({ type: 'rich_text_list', style: 'bullet', indent, elements: [section] });
  }
  return blocks.map((lists) => richText(...lists));
}

function buildSection({ spans, url }: Line): Section {
  const link: RichElement[] = url === undefined ? [] : [toElement('  '), { type: 'link', url, text: 'Open' }];
  return { type: 'rich_text_section', elements: [...spans.map(toElement), ...link] };
}

function toElement(span: Span): RichElement {
  if (typeof span === 'string') return { type: 'text', text: span };
  return { type: 'text', text: span.bold, style: { bold: true } };
}

function richText(...elements: readonly (Section | List)[]): Block {
  return { type: 'rich_text', elements };
}

function button(url: string): Block {
  return { type: 'actions', elements: [{ type: 'button', text: plain('Open'), url }] };
}

function plain(text: string): PlainText {
  return { type: 'plain_text', text, emoji: false };
}

/** Escapes `&`, `<` and `>` as Slack requires, within `max` characters; no escape is cut in half. */
function escapeTo(text: string, max: number): string {
  return cutTo(escapeText(text), max).replace(/&[a-z]*\.\.\.$/, '...');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
