import type { Line, Message, Span } from '../message.ts';
import { cutTo } from '../messages/clean-text.ts';
import { fitLines, MAX_HEADING_CHARACTERS } from './fit-lines.ts';
import { formatFooter } from './message-footer.ts';

/** Teams takes messages of 28 KB; the rest is for what the workflow adds, and for how it writes the card again. */
const MAX_PAYLOAD_BYTES = 24_000;
const BULLET = '• ';
/** Spaces of a card collapse, these do not. */
const INNER_BULLET = '\u2003\u25e6 ';

interface OpenUrl {
  readonly type: 'Action.OpenUrl';
  readonly title: 'Open';
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
export function buildTeamsPayload(message: Message): TeamsPayload {
  return fitLines(message, MAX_PAYLOAD_BYTES, (lines) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: buildCard(message, lines),
      },
    ],
  }));
}

function buildCard(message: Message, lines: readonly Line[]): AdaptiveCard {
  const heading = cutTo(message.heading, MAX_HEADING_CHARACTERS);
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [
      block({ ...run(heading), weight: 'Bolder', size: 'Large' }),
      ...lines.map((line) => buildLine(line, { isAlone: lines.length === 1 })),
      { ...block({ ...run(formatFooter(message)), isSubtle: true }), separator: true },
    ],
    ...(message.url === undefined ? {} : { actions: [openUrl(message.url)] }),
  };
}

/** A line alone needs no bullet. */
function buildLine({ spans, isInner, url }: Line, { isAlone }: { readonly isAlone: boolean }): RichTextBlock {
  const bullet = isInner === true ? INNER_BULLET : BULLET;
  return block(
    ...(isAlone ? [] : [run(bullet)]),
    ...spans.map(run),
    ...(url === undefined ? [] : [run('  '), { ...run('Open'), selectAction: openUrl(url) }]),
  );
}

function block(...inlines: readonly TextRun[]): RichTextBlock {
  return { type: 'RichTextBlock', inlines };
}

function run(span: Span): TextRun {
  if (typeof span === 'string') return { type: 'TextRun', text: keepVerbatim(span) };
  return { type: 'TextRun', text: keepVerbatim(span.bold), weight: 'Bolder' };
}

function openUrl(url: string): OpenUrl {
  return { type: 'Action.OpenUrl', title: 'Open', url };
}

/** `{{DATE(...)}}` and `{{TIME(...)}}` are functions in every text of a card, until a space is in the braces. */
function keepVerbatim(text: string): string {
  return text.replace(/\{(?=\{)/g, '{ ');
}
