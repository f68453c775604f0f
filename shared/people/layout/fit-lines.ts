import { type Line, type Message, toText } from '../message.ts';
import { cutTo } from '../messages/clean-text.ts';
import { formatNumber } from '../messages/numbers.ts';

/** A heading is far shorter; to normalize a long run of marks takes long. */
export const MAX_HEADING_CHARACTERS = 1_000;
/** More would not be read. */
const MAX_LINES = 40;
/** A line is a sentence or two; this only keeps one from taking all room. */
const MAX_LINE_CHARACTERS = 600;

/** What is sent with as many lines as there is room for, the first ones; without any, if that is too long. */
export function fitLines<Payload>(
  message: Message,
  maxBytes: number,
  build: (lines: readonly Line[]) => Payload,
): Payload {
  for (let shown = Math.min(message.lines.length, MAX_LINES); shown > 0; shown -= 1) {
    const payload = build(cutLines(message, shown));
    if (new TextEncoder().encode(JSON.stringify(payload)).length <= maxBytes) return payload;
  }
  return build(cutLines(message, 0));
}

/** The first lines, and how many there are more. */
export function cutLines({ lines, more }: Message, shown = MAX_LINES): Line[] {
  const first = lines.slice(0, shown).map(cutLine);
  const left = lines.length - first.length + more;
  return left === 0 ? first : [...first, { spans: [`and ${formatNumber(left)} more`] }];
}

/** Slack and Teams refuse a piece without text. */
function cutLine(line: Line): Line {
  const text = line.spans.map((span) => toText([span]).slice(0, MAX_LINE_CHARACTERS + 1)).join('');
  if (text.length > MAX_LINE_CHARACTERS) return { ...line, spans: [cutTo(text, MAX_LINE_CHARACTERS)] };
  const spans = line.spans.filter((span) => toText([span]) !== '');
  return { ...line, spans: spans.length === 0 ? [' '] : spans };
}
