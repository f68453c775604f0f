import * as z from 'zod';

/**
 * Payloads within the bounds of Slack and Teams, after their documentation, in which no text has any effect: an oracle
 * that knows nothing of how ours are made. What is not listed here is refused.
 */

const textSchema = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed(), 'half a character');
const urlSchema = z.url({ protocol: /^https$/ }).max(3_000);

/** `<...>` is a link or a mention, and `&` begins one of three escapes. */
const escapedSchema = textSchema.regex(/^(?:[^<>&]|&(?:amp|lt|gt);)*$/).regex(/\S/);

function plainSchema(maxCharacters: number) {
  const text = escapedSchema.max(maxCharacters);
  return z.strictObject({ type: z.literal('plain_text'), text, emoji: z.literal(false) });
}

const styleSchema = z.strictObject({ bold: z.literal(true) });
const elementSchema = z.union([
  z.strictObject({ type: z.literal('text'), text: textSchema, style: styleSchema.optional() }),
  z.strictObject({ type: z.literal('link'), url: urlSchema, text: z.literal('Open') }),
]);
const sectionSchema = z.strictObject({
  type: z.literal('rich_text_section'),
  elements: z.array(elementSchema).min(1),
});
const listSchema = z.strictObject({
  type: z.literal('rich_text_list'),
  style: z.literal('bullet'),
  indent: z.literal([0, 1]),
  elements: z.array(sectionSchema).min(1),
});
const richSchema = z.strictObject({
  type: z.literal('rich_text'),
  elements: z.array(z.union([sectionSchema, listSchema])).min(1),
});
const buttonSchema = z.strictObject({ type: z.literal('button'), text: plainSchema(75), url: urlSchema });

const blockSchema = z.union([
  z.strictObject({ type: z.literal('header'), text: plainSchema(150) }),
  richSchema.refine((block) => countCharacters(block) <= 3_000, 'more than 3,000 characters'),
  z.strictObject({ type: z.literal('actions'), elements: z.tuple([buttonSchema]) }),
  z.strictObject({ type: z.literal('context'), elements: z.tuple([plainSchema(2_000)]) }),
]);

export const inertSlackSchema = z.strictObject({
  // Emoji have no switch here.
  text: escapedSchema.max(4_000).refine((text) => !/:(?!\d\d:)[^\s:]+:/.test(text), 'an emoji'),
  blocks: z
    .array(blockSchema)
    .max(50)
    .refine((blocks) => JSON.stringify(blocks).length <= 13_200, 'blocks that are too long'),
  mrkdwn: z.literal(false),
  parse: z.literal('none'),
  link_names: z.literal(false),
  unfurl_links: z.literal(false),
  unfurl_media: z.literal(false),
});

const openSchema = z.strictObject({
  type: z.literal('Action.OpenUrl'),
  title: z.literal('Open'),
  url: urlSchema,
});
const runSchema = z.strictObject({
  type: z.literal('TextRun'),
  /** https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features */
  text: textSchema.refine((text) => !/\{\{(?:DATE|TIME)\(/.test(text), 'a function'),
  weight: z.literal('Bolder').optional(),
  size: z.literal('Large').optional(),
  isSubtle: z.literal(true).optional(),
  selectAction: openSchema.optional(),
});
const cardBlockSchema = z.strictObject({
  type: z.literal('RichTextBlock'),
  inlines: z.array(runSchema).min(1),
  separator: z.literal(true).optional(),
});
const attachmentSchema = z.strictObject({
  contentType: z.literal('application/vnd.microsoft.card.adaptive'),
  contentUrl: z.null(),
  content: z.strictObject({
    type: z.literal('AdaptiveCard'),
    $schema: z.string(),
    version: z.literal('1.4'),
    msteams: z.strictObject({ width: z.literal('Full') }),
    body: z.array(cardBlockSchema).min(1),
    actions: z.tuple([openSchema]).optional(),
  }),
});

export const inertTeamsSchema = z
  .strictObject({ type: z.literal('message'), attachments: z.tuple([attachmentSchema]) })
  .refine((payload) => Buffer.byteLength(JSON.stringify(payload)) <= 24_576, 'more than 24 KB');

/** Of all texts within. */
function countCharacters(part: object): number {
  return Object.entries(part)
    .map(([name, value]) => {
      if (name === 'text') return String(value).length;
      return typeof value === 'object' ? countCharacters(value) : 0;
    })
    .reduce((sum, count) => sum + count, 0);
}
