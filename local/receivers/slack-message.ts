import * as z from 'zod';
import type { MessageLine } from './format-message.ts';

const textSchema = z.looseObject({ text: z.string() });
const elementSchema = z.looseObject({ type: z.string(), text: z.unknown().optional() });
type Element = z.output<typeof elementSchema>;

const blockSchema = z.looseObject({
  type: z.string(),
  text: textSchema.optional(),
  fields: z.array(textSchema).default([]),
  elements: z.array(elementSchema).default([]),
  accessory: elementSchema.optional(),
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
  switch (block.type) {
    case 'divider':
      return [{ text: '---', style: 'dim' }];
    case 'header':
      return toLines(block.text?.text ?? '', 'bold');
    case 'actions':
      return toLines(block.elements.map((element) => `[${renderElement(element)}]`).join(' '), 'dim');
    case 'context':
      return toLines(block.elements.map(renderElement).join(' '), 'dim');
    default: {
      const button = block.accessory === undefined ? '' : ` [${renderElement(block.accessory)}]`;
      const texts = [block.text, ...block.fields].flatMap((each) =>
        each === undefined ? [] : [`${each.text}${button}`],
      );
      // The first block is the title.
      const style = index === 0 ? 'bold' : undefined;
      return texts.length > 0
        ? texts.flatMap((text) => toLines(text, style))
        : block.elements.flatMap((element) => toLines(renderElement(element), style));
    }
  }
}

/** Text of an element, including nested rich text. */
function renderElement(element: Element): string {
  const { text, elements } = element;
  if (typeof text === 'string') return text;
  const nested = textSchema.safeParse(text);
  if (nested.success) return nested.data.text;
  const inner = z.array(elementSchema).safeParse(elements);
  if (!inner.success) return '';
  const list = element.type === 'rich_text_list';
  return inner.data.map((each) => `${list ? '• ' : ''}${renderElement(each)}`).join(list ? '\n' : '');
}

function toLines(text: string, style?: MessageLine['style']): MessageLine[] {
  return unescapeText(text)
    .split('\n')
    .map((line) => (style === undefined ? { text: line } : { text: line, style }));
}

/** The three escapes of Slack, valid in every kind of text. */
function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
