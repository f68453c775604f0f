import * as z from 'zod';
import type { MessageLine } from './received.ts';

const textSchema = z.looseObject({ text: z.string() });
const elementSchema = z.looseObject({ type: z.string(), text: z.unknown().optional() });
type Element = z.output<typeof elementSchema>;

const blockSchema = z.looseObject({
  type: z.string(),
  text: textSchema.optional(),
  elements: z.array(elementSchema).default([]),
});
type Block = z.output<typeof blockSchema>;

const payloadSchema = z.looseObject({
  text: z.string().default(''),
  blocks: z.array(blockSchema).default([]),
});

/** The lines that a Slack user sees of a message to an incoming webhook; `null` when Slack would reject it. */
export function renderSlackMessage(payload: unknown): MessageLine[] | null {
  const result = payloadSchema.safeParse(payload);
  if (!result.success) return null;
  const { text, blocks } = result.data;
  if (blocks.length > 0) return blocks.flatMap(renderBlock);
  return text === '' ? null : toLines(text);
}

function renderBlock(block: Block, index: number): MessageLine[] {
  // The first block is the title.
  const style = index === 0 ? 'bold' : undefined;
  switch (block.type) {
    case 'header':
      return toLines(block.text?.text ?? '', 'bold');
    case 'actions':
      return toLines(block.elements.map((element) => `[${renderElement(element)}]`).join(' '), 'dim');
    case 'context':
      return toLines(block.elements.map(renderElement).join(' '), 'dim');
    case 'rich_text':
      return block.elements.flatMap((element) => splitLines(renderRichText(element), style));
    default:
      return block.text === undefined ? [] : toLines(block.text.text, style);
  }
}

/** Text of an element that is no rich text. */
function renderElement({ text }: Element): string {
  if (typeof text === 'string') return text;
  return textSchema.safeParse(text).data?.text ?? '';
}

/** Bullets by the depth of their list. */
const BULLETS = ['• ', '    ◦ '];

/** Rich text knows no escapes: what looks like one is text. */
function renderRichText(element: Element): string {
  const { type, text, elements, indent } = element;
  if (type === 'link') return `[${text}]`;
  if (typeof text === 'string') return text;
  const inner = z.array(elementSchema).safeParse(elements).data ?? [];
  if (type !== 'rich_text_list') return inner.map(renderRichText).join('');
  const bullet = BULLETS[indent === 1 ? 1 : 0];
  return inner.map((each) => `${bullet}${renderRichText(each)}`).join('\n');
}

function toLines(text: string, style?: MessageLine['style']): MessageLine[] {
  return splitLines(unescapeText(text), style);
}

function splitLines(text: string, style?: MessageLine['style']): MessageLine[] {
  return text.split('\n').map((line) => (style === undefined ? { text: line } : { text: line, style }));
}

/** The three escapes of Slack, valid in every text but rich text. */
function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
