/**
 * What Slack makes of the parts of a message, after its documentation of incoming webhooks, text objects and
 * formatting: an oracle that knows nothing of how our payload is made.
 */

interface Payload {
  readonly text: string;
  readonly mrkdwn?: unknown;
  readonly parse?: unknown;
  readonly link_names?: unknown;
  readonly blocks: readonly unknown[];
}

/** Things in a message that do more than stand there, and breaches of Slack's limits. */
export function findActiveMarkup(payload: Payload): string[] {
  const { blocks } = payload;
  return [
    ...(blocks.length <= 50 ? [] : [`${blocks.length} blocks`]),
    ...(JSON.stringify(blocks).length <= 13_200 ? [] : ['blocks that are too long']),
    ...findActiveInText(payload),
    ...blocks.flatMap((block) =>
      isRichText(block) ? findActiveInRichText(block) : textObjects(block).flatMap(findActiveInObject),
    ),
  ];
}

/** What a reader sees of all blocks. */
export function shown({ blocks }: Payload): string {
  return blocks
    .flatMap((block) =>
      isRichText(block)
        ? block.elements.map(showRichText)
        : textObjects(block).map(({ text }) => unescapeText(String(text))),
    )
    .join('\n');
}

interface RichElement {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly url?: unknown;
  readonly style?: unknown;
  readonly indent?: unknown;
  readonly elements?: readonly RichElement[];
}

function isRichText(block: unknown): block is { readonly elements: readonly RichElement[] } {
  return (block as RichElement).type === 'rich_text';
}

/** Lists and sections of texts that are plain or bold, and of links with a text of ours; anything else is found. */
function findActiveInRichText({ elements = [] }: RichElement): string[] {
  if (elements.length === 0) return ['a rich text without elements'];
  return elements.flatMap((element) => {
    const { type, style } = element;
    if (type === 'rich_text_section') return findActiveInRichText(element);
    if (type === 'rich_text_list' && style === 'bullet') return findActiveInRichText(element);
    return type === 'link' ? findActiveInLink(element) : findActiveInRichElement(element);
  });
}

function findActiveInLink({ type, text, url, ...others }: RichElement): string[] {
  const isOurs = text === 'Open' && isAddress(url) && Object.keys(others).length === 0;
  return isOurs ? [] : [`a link: ${url}`];
}

function findActiveInRichElement({ type, text, style = {}, ...others }: RichElement): string[] {
  const unknown = [...Object.keys(others), ...Object.keys(style as object).filter((each) => each !== 'bold')];
  const isPlain = type === 'text' && typeof text === 'string' && text !== '' && unknown.length === 0;
  return isPlain ? [] : [`not plain text: ${type}`];
}

/** Texts stand there as they are: rich text knows neither escapes nor markup. */
function showRichText({ type, text, elements = [], indent }: RichElement): string {
  if (type === 'link') return `[${text}]`;
  if (type === 'text') return String(text);
  const bullet = indent === 1 ? '  ◦ ' : '• ';
  const inner = elements.map((each) => `${type === 'rich_text_list' ? bullet : ''}${showRichText(each)}`);
  return inner.join(type === 'rich_text_list' ? '\n' : '');
}

function isAddress(url: unknown): boolean {
  return typeof url === 'string' && url.startsWith('https://') && url.length <= 3_000;
}

/** The texts of a message that are bold. */
export function listBold({ blocks }: Payload): string[] {
  const bold = (element: RichElement): string[] => [
    ...((element.style as { bold?: unknown } | undefined)?.bold === true ? [String(element.text)] : []),
    ...(element.elements ?? []).flatMap(bold),
  ];
  return blocks.filter(isRichText).flatMap(({ elements }) => elements.flatMap(bold));
}

export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function findActiveInText({ text, mrkdwn, parse, link_names }: Payload): string[] {
  return [
    ...findControlSequences(text),
    ...(text.length <= 4_000 ? [] : ['a text that Slack cuts']),
    ...(text.trim() === '' ? ['no text'] : []),
    // Emoji have no switch here.
    ...(text.match(/:[^\s:]+:/g) ?? []),
    ...(mrkdwn === false ? [] : (text.match(/[*_~`]\S[^\n]*[*_~`]|^>/gm) ?? [])),
    ...(link_names === false ? [] : (text.match(/[@#][\w.-]+/g) ?? [])),
    ...(parse === 'none' ? [] : (text.match(/\b(?:https?:\/\/|mailto:|www\.)\S+/g) ?? [])),
  ];
}

interface TextObject {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly emoji?: unknown;
  readonly maxCharacters: number;
}

/** Text objects of sections and contexts, with the characters that each may have; of another block none is known. */
function textObjects(block: unknown): TextObject[] {
  const { type, text, elements, accessory } = block as {
    type?: unknown;
    text?: object;
    elements?: object[];
    accessory?: object;
  };
  if (type === 'header' && text !== undefined) return [{ ...text, maxCharacters: 150 }];
  if (type === 'actions' && elements !== undefined) return elements.map(textOfButton);
  if (type === 'section' && text !== undefined)
    return [{ ...text, maxCharacters: 3_000 }, ...(accessory === undefined ? [] : [textOfButton(accessory)])];
  if (type === 'context' && elements !== undefined)
    return elements.map((each) => ({ ...each, maxCharacters: 2_000 }));
  return [{ type: `a block that is not known: ${type}`, maxCharacters: 0 }];
}

/** A button with an address of https; anything else is a text that is not known. */
function textOfButton(element: object): TextObject {
  const { type, text, url } = element as { type?: unknown; text?: object; url?: unknown };
  const isLink = type === 'button' && isAddress(url);
  return isLink
    ? { ...text, maxCharacters: 75 }
    : { type: `a button that is not known: ${type}`, maxCharacters: 0 };
}

function findActiveInObject({ type, text, emoji, maxCharacters }: TextObject): string[] {
  if (type !== 'plain_text' || typeof text !== 'string') return [`not plain text: ${type}`];
  return [
    ...findControlSequences(text),
    ...(text.length <= maxCharacters ? [] : [`${text.length} characters`]),
    ...(text.trim() === '' ? ['an empty text'] : []),
    ...(emoji === false ? [] : (text.match(/:[^\s:]+:/g) ?? [])),
  ];
}

/** `<...>` is a link or a mention, and `&` begins one of three escapes: everything else must be escaped. */
function findControlSequences(text: string): string[] {
  return text.match(/[<>]|&(?!(?:amp|lt|gt);)/g) ?? [];
}
