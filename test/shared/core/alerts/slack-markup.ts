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
    ...findActiveInText(payload),
    ...blocks.flatMap((block) => textObjects(block).flatMap(findActiveInObject)),
  ];
}

/** What a reader sees of all blocks. */
export function shown({ blocks }: Payload): string {
  return blocks
    .flatMap((block) => textObjects(block).map(({ text }) => unescapeText(String(text))))
    .join('\n');
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
  const isLink =
    type === 'button' && typeof url === 'string' && url.startsWith('https://') && url.length <= 3_000;
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
