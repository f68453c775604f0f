import type { ChannelMessage } from '../alert.ts';
import { fitLines } from './fit-lines.ts';
import { formatFooter } from './message-footer.ts';
import { splitStrong } from './strong-text.ts';

/** Teams takes messages of 28 KB; the rest is for what the workflow adds, and for how it writes the card again. */
const MAX_PAYLOAD_BYTES = 24_000;
/** Of one text, before escapes of JSON; sentences are shorter. */
const MAX_TEXT_CHARACTERS = 1_500;
/** More would not be read. */
const MAX_LINES = 40;
const BULLET = '• ';
/** Spaces of a card collapse, these do not. */
const INNER_BULLET = '\u2003\u25e6 ';
const CUT = '...';

interface OpenUrl {
  readonly type: 'Action.OpenUrl';
  readonly title: string;
  readonly url: string;
}

/** Text that Teams shows verbatim: unlike TextBlock and FactSet it knows no Markdown, which phones cannot escape. */
interface TextRun {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly size?: 'Large';
  readonly isSubtle?: true;
  readonly selectAction?: OpenUrl;
}

interface RichTextBlock {
  readonly type: 'RichTextBlock';
  readonly inlines: readonly TextRun[];
  readonly separator?: true;
}

interface AdaptiveCard {
  readonly type: 'AdaptiveCard';
  readonly $schema: string;
  readonly version: '1.4';
  readonly msteams: { readonly width: 'Full' };
  readonly body: readonly RichTextBlock[];
  readonly actions?: readonly OpenUrl[];
}

/** What is posted to a workflow of Teams that waits for webhook requests. */
export interface TeamsPayload {
  readonly type: 'message';
  readonly attachments: readonly [
    {
      readonly contentType: 'application/vnd.microsoft.card.adaptive';
      readonly contentUrl: null;
      readonly content: AdaptiveCard;
    },
  ];
}

/** The payload of a message. Texts are shown verbatim and have no other effect; lines without room are counted. */
export function buildTeamsPayload(message: ChannelMessage): TeamsPayload {
  const lines = Math.min(message.lines.length, MAX_LINES);
  return fitLines({ lines, maxBytes: MAX_PAYLOAD_BYTES }, (shown) => buildPayload(message, shown));
}

/** With the first `shown` lines. */
function buildPayload(message: ChannelMessage, shown: number): TeamsPayload {
  const { lines, links = [], inner = [], strong, url } = message;
  const content: AdaptiveCard = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      ...buildHeading(message, 'Workforce alert'),
      ...lines.slice(0, shown).map((line, at) =>
        buildLine(`${inner[at] === true ? INNER_BULLET : BULLET}${line}`, {
          strong: strong?.lines[at] ?? [],
          link: links[at] == null ? null : openUrl(links[at], 'Open'),
        }),
      ),
      { ...block({ ...run(formatFooter(message, shown)), isSubtle: true }), separator: true },
    ],
    ...(url === undefined ? {} : { actions: [openUrl(url, 'Open')] }),
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

/** The heading, and the sentence of a single alert below it. */
function buildHeading(message: ChannelMessage, noTitle: string): RichTextBlock[] {
  const { facts, heading: given, lines, strong } = message;
  const title = message.title.trim() === '' ? noTitle : message.title;
  const heading = given ?? (lines.length > 0 ? title : undefined);
  const sentence = block(...runs(given === undefined ? title : (facts ?? title), strong?.title ?? []));
  if (heading === undefined || heading.trim() === '') return [sentence];
  const bold = block({ ...run(heading), weight: 'Bolder', size: 'Large' });
  return heading === title ? [bold] : [bold, sentence];
}

function buildLine(
  line: string,
  { strong, link }: { readonly strong: readonly string[]; readonly link: OpenUrl | null },
): RichTextBlock {
  if (link === null) return block(...runs(line, strong));
  return block(...runs(`${line}  `, strong), { ...run(link.title), selectAction: link });
}

function block(...inlines: readonly TextRun[]): RichTextBlock {
  return { type: 'RichTextBlock', inlines };
}

/** With what stands out in bold. */
function runs(text: string, strong: readonly string[]): TextRun[] {
  return splitStrong(cut(text), strong).map((piece) => ({
    ...run(piece.text),
    ...(piece.isStrong ? { weight: 'Bolder' as const } : {}),
  }));
}

function run(text: string): TextRun {
  return { type: 'TextRun', text: cut(keepVerbatim(text)) };
}

function openUrl(url: string, title: string): OpenUrl {
  return { type: 'Action.OpenUrl', title, url };
}

/** `{{DATE(...)}}` and `{{TIME(...)}}` are functions in every text of a card, until a space is in the braces. */
function keepVerbatim(text: string): string {
  return text.replace(/\{(?=\{)/g, '{ ');
}

/** Cuts between characters. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT_CHARACTERS) return text;
  let start = '';
  for (const character of text) {
    if (start.length + character.length > MAX_TEXT_CHARACTERS - CUT.length) break;
    start += character;
  }
  return `${start.trimEnd()}${CUT}`;
}
