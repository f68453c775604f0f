import * as z from 'zod';
import type { MessageLine } from './received.ts';

const actionSchema = z.looseObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() });
const runSchema = z.looseObject({
  type: z.literal('TextRun'),
  text: z.string().min(1),
  weight: z.string().optional(),
  isSubtle: z.boolean().optional(),
  selectAction: actionSchema.optional(),
});
type Run = z.output<typeof runSchema>;

const blockSchema = z.looseObject({
  type: z.literal('RichTextBlock'),
  inlines: z.array(runSchema).min(1),
  separator: z.boolean().optional(),
});
type Block = z.output<typeof blockSchema>;

const cardSchema = z.looseObject({
  type: z.literal('AdaptiveCard'),
  version: z.string(),
  body: z.array(blockSchema).min(1),
  actions: z.array(actionSchema).default([]),
});

const attachmentSchema = z.looseObject({
  contentType: z.literal('application/vnd.microsoft.card.adaptive'),
  content: cardSchema,
});

const payloadSchema = z.looseObject({
  type: z.literal('message'),
  attachments: z.tuple([attachmentSchema]),
});

/** The lines that a Teams user sees of a card; `null` when it holds anything that the notifier does not send. */
export function renderTeamsCard(payload: unknown): MessageLine[] | null {
  const result = payloadSchema.safeParse(payload);
  if (!result.success) return null;
  const { body, actions } = result.data.attachments[0].content;
  const buttons = actions.map(({ title }) => `[${title}]`).join(' ');
  return [
    ...body.flatMap(renderBlock),
    ...(buttons === '' ? [] : [{ text: buttons, style: 'dim' as const }]),
  ];
}

function renderBlock({ inlines, separator }: Block): MessageLine[] {
  const [first] = inlines;
  const style = first?.weight === 'Bolder' ? 'bold' : first?.isSubtle === true ? 'dim' : undefined;
  const lines = inlines
    .map(renderRun)
    .join('')
    .split('\n')
    .map((text): MessageLine => (style === undefined ? { text } : { text, style }));
  return separator === true ? [{ text: '---', style: 'dim' }, ...lines] : lines;
}

function renderRun({ text, selectAction }: Run): string {
  return selectAction === undefined ? text : `[${text}]`;
}
