import { splitStrong } from './strong-text.ts';

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
  readonly text: typeof OPEN;
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
export interface RichTextBlock {
  readonly type: 'rich_text';
  readonly elements: readonly (RichTextSection | RichTextList)[];
}

/** A line of a message. */
export interface RichLine {
  readonly text: string;
  readonly strong: readonly string[];
  /** Below the line before it. */
  readonly isInner: boolean;
  readonly url: string | null;
}

export const OPEN = 'Open';
/** Sentences are shorter, but for the words that a rule puts around them. */
const MAX_TEXT_CHARACTERS = 1_500;
const CUT = '...';

export function buildParagraph(text: string, strong: readonly string[]): RichTextBlock {
  return { type: 'rich_text', elements: [buildSection({ text, strong, isInner: false, url: null })] };
}

/** Bullets; lines below others are bullets below theirs. */
export function buildBullets(lines: readonly RichLine[]): RichTextBlock {
  const lists: { readonly indent: 0 | 1; readonly elements: RichTextSection[] }[] = [];
  for (const line of lines) {
    const indent = line.isInner ? 1 : 0;
    const last = lists.at(-1);
    if (last?.indent === indent) last.elements.push(buildSection(line));
    else lists.push({ indent, elements: [buildSection(line)] });
  }
  return {
    type: 'rich_text',
    elements: lists.map((list) => ({ type: 'rich_text_list', style: 'bullet', ...list })),
  };
}

function buildSection({ text, strong, url }: RichLine): RichTextSection {
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
          { type: 'link', url, text: OPEN },
        ];
  return { type: 'rich_text_section', elements: [...texts, ...link] };
}

/** Cuts between characters. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  const start = text.slice(0, MAX_TEXT_CHARACTERS - CUT.length).replace(/[\uD800-\uDBFF]$/, '');
  return `${start.trimEnd()}${CUT}`;
}
