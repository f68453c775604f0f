import type { ChannelMessage } from '../alert.ts';
import { fitLines } from './fit-lines.ts';
import { formatFooter, formatMore } from './message-footer.ts';
import { splitStrong } from './strong-text.ts';

/** Slack was seen to refuse blocks of more than about 13,200 characters in all, and documents no limit. */
const MAX_BLOCK_BYTES = 12_000;
/** More would not be read. */
const MAX_LINES = 60;
/** Slack cuts at 4,000 characters; a notification shows fewer. */
const MAX_FALLBACK_CHARACTERS = 2_900;
/** Slack's limit is 150 characters. */
const MAX_HEADER_CHARACTERS = 145;
/** Slack's limit is 2,000 characters. */
const MAX_CONTEXT_CHARACTERS = 1_900;
const CUT = '...';

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
  | RichTextBlock
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

/** The payload of a message. Texts are shown verbatim and have no other effect; lines without room are counted. */
export function buildSlackPayload(message: ChannelMessage): SlackPayload {
  const title = message.title.trim() === '' ? 'Workforce alert' : message.title;
  return {
    text: buildFallbackText([
      title,
      ...message.lines,
      ...(message.more === 0 ? [] : [formatMore(message.more)]),
    ]),
    blocks: fitLines(
      { lines: Math.min(message.lines.length, MAX_LINES), maxBytes: MAX_BLOCK_BYTES },
      (shown) => buildBlocks({ ...message, title }, shown),
    ),
    mrkdwn: false,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** With the first `shown` lines. */
function buildBlocks(message: ChannelMessage, shown: number): Block[] {
  const { lines, links = [], inner = [], strong } = message;
  const bullets = lines.slice(0, shown).map((text, at) => ({
    text,
    strong: strong?.lines[at] ?? [],
    isInner: inner[at] === true,
    url: links[at] ?? null,
  }));
  return [
    ...buildHeading(message, 'Open'),
    ...(bullets.length === 0 ? [] : [buildBullets(bullets, 'Open')]),
    {
      type: 'context',
      elements: [plain(escapeTo(formatFooter(message, shown), MAX_CONTEXT_CHARACTERS))],
    },
  ];
}

/** The heading, which Slack shows bold; a single alert's sentence below it, and its link. */
function buildHeading(message: ChannelMessage, open: string): Block[] {
  const { title, facts, heading: given, lines, strong, url } = message;
  const own = given?.trim() === '' ? undefined : given;
  const heading = own ?? (lines.length > 0 ? title : undefined);
  const button: Block[] = url === undefined ? [] : [{ type: 'actions', elements: [linkButton(url, open)] }];
  const sentence = buildParagraph(own === undefined ? title : (facts ?? title), strong?.title ?? []);
  if (heading === undefined) return [sentence, ...button];
  const header: Block = { type: 'header', text: plain(escapeTo(heading, MAX_HEADER_CHARACTERS)) };
  return [
    header,
    ...(heading === title && title.length <= MAX_HEADER_CHARACTERS ? [] : [sentence]),
    ...button,
  ];
}

/** Slack always turns `:name:` into an emoji here; a space after the first colon prevents it. */
function buildFallbackText(lines: readonly string[]): string {
  const text = lines.join('\n').replace(/:(?=[^\s:]+:)/g, ': ');
  return escapeTo(text, MAX_FALLBACK_CHARACTERS);
}

function linkButton(url: string, open: string): LinkButton {
  return { type: 'button', text: plain(open), url };
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

/** Text that Slack shows verbatim: of a rich text, elements alone are mentions, links, emoji or bold. */
interface TextElement {
  readonly type: 'text';
  readonly text: string;
  readonly style?: { readonly bold: true };
}

/** Its text is ours: a name in it could pass for another address. */
interface LinkElement {
  readonly type: 'link';
  readonly url: string;
  readonly text: string;
}

interface RichTextSection {
  readonly type: 'rich_text_section';
  readonly elements: readonly (TextElement | LinkElement)[];
}

interface RichTextList {
  readonly type: 'rich_text_list';
  readonly style: 'bullet';
  readonly indent: 0 | 1;
  readonly elements: readonly RichTextSection[];
}

/** A block of Slack whose texts know no markup, so that nothing in them is escaped. */
interface RichTextBlock {
  readonly type: 'rich_text';
  readonly elements: readonly (RichTextSection | RichTextList)[];
}

/** A line of a message. */
interface RichLine {
  readonly text: string;
  readonly strong: readonly string[];
  /** Below the line before it. */
  readonly isInner: boolean;
  readonly url: string | null;
}

/** Sentences are shorter. */
const MAX_TEXT_CHARACTERS = 1_500;

function buildParagraph(text: string, strong: readonly string[]): RichTextBlock {
  return { type: 'rich_text', elements: [buildSection({ text, strong, isInner: false, url: null }, '')] };
}

/** Bullets; lines below others are bullets below theirs. */
function buildBullets(lines: readonly RichLine[], open: string): RichTextBlock {
  const lists: { readonly indent: 0 | 1; readonly elements: RichTextSection[] }[] = [];
  for (const line of lines) {
    const indent = line.isInner ? 1 : 0;
    const last = lists.at(-1);
    if (last?.indent === indent) last.elements.push(buildSection(line, open));
    else lists.push({ indent, elements: [buildSection(line, open)] });
  }
  return {
    type: 'rich_text',
    elements: lists.map((list) => ({ type: 'rich_text_list', style: 'bullet', ...list })),
  };
}

function buildSection({ text, strong, url }: RichLine, open: string): RichTextSection {
  // Slack refuses an element without text.
  const pieces = splitStrong(text === '' ? ' ' : cut(text), strong);
  const texts = pieces.map(
    (piece): TextElement => ({
      type: 'text',
      text: piece.text,
      ...(piece.isStrong ? { style: { bold: true } } : {}),
    }),
  );
  const link: (TextElement | LinkElement)[] =
    url === null
      ? []
      : [
          { type: 'text', text: '  ' },
          { type: 'link', url, text: open },
        ];
  return { type: 'rich_text_section', elements: [...texts, ...link] };
}

/** Cuts between characters. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  const start = text.slice(0, MAX_TEXT_CHARACTERS - CUT.length).replace(/[\uD800-\uDBFF]$/, '');
  return `${start.trimEnd()}${CUT}`;
}
