/**
 * What Teams makes of the parts of a card, after the documentation of Adaptive Cards and of Teams: an oracle that knows
 * nothing of how our payload is made.
 */

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook */
const MAX_BYTES = 28 * 1024;
/** Their texts are Markdown, which phones do not let anybody escape. */
const MARKDOWN_TYPES = ['TextBlock', 'FactSet', 'Fact', 'Input.Toggle', 'Input.ChoiceSet'];
const KNOWN_TYPES = ['message', 'AdaptiveCard', 'RichTextBlock', 'TextRun', 'Action.OpenUrl'];
/** https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features */
const FUNCTIONS = /\{\{(?:DATE|TIME)\(/;

/** Things in a payload that do more than stand there, and breaches of limits. */
export function findActiveCardMarkup(payload: object): string[] {
  const text = JSON.stringify(payload);
  const bytes = Buffer.byteLength(text);
  return [...(bytes <= MAX_BYTES ? [] : [`${bytes} bytes`]), ...listObjects(payload).flatMap(findActive)];
}

/** What a reader sees, a line for each block. */
export function shownInCard(payload: object): string {
  return listObjects(payload)
    .filter(({ type }) => type === 'RichTextBlock')
    .map(({ inlines }) => (inlines as { text: string }[]).map(({ text }) => text).join(''))
    .join('\n');
}

type Part = Readonly<Record<string, unknown>>;

function findActive({ type, text, url, inlines }: Part): string[] {
  if (type === undefined) return [];
  return [
    ...(MARKDOWN_TYPES.includes(String(type)) ? [`Markdown: ${type}`] : []),
    ...(KNOWN_TYPES.includes(String(type)) ? [] : [`unknown: ${type}`]),
    ...(type === 'TextRun' && (typeof text !== 'string' || text === '') ? ['an empty text'] : []),
    ...(type === 'RichTextBlock' && (inlines as unknown[]).length === 0 ? ['an empty block'] : []),
    ...(FUNCTIONS.test(String(text)) ? ['a function'] : []),
    ...(url === undefined || String(url).startsWith('https://') ? [] : [`an address: ${url}`]),
  ];
}

/** All objects within, the outer ones first. */
function listObjects(value: unknown): Part[] {
  if (Array.isArray(value)) return value.flatMap(listObjects);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Part, ...Object.values(value).flatMap(listObjects)];
}
