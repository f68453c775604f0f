import { type Row, TOPICS, type Topic } from './row.ts';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';
const HEADING = '## ';

/** One Markdown table a topic, under its heading. */
export function buildTables(rows: readonly Row[]): Map<Topic, string> {
  const byTopic = Map.groupBy(rows, ({ topic }) => topic);
  return new Map(
    [...byTopic].map(([topic, group]) => [topic, `${HEADING}${TOPICS[topic]}\n\n${buildTable(group)}`]),
  );
}

/** Tables in the order of `TOPICS`. */
export function joinTables(tables: ReadonlyMap<Topic, string>): string {
  return Object.keys(TOPICS)
    .flatMap((topic) => tables.get(topic as Topic) ?? [])
    .join('\n\n');
}

/** Replaces the tables of some topics between the markers of a document; tables of other topics stay. */
export function replaceTables(document: string, tables: ReadonlyMap<Topic, string>): string {
  const [begin, end] = [document.indexOf(BEGIN) + BEGIN.length, document.indexOf(END)];
  if (begin < BEGIN.length || end < begin) throw new Error(`the document has no ${BEGIN} ... ${END}`);
  const kept = readTables(document.slice(begin, end));
  return `${document.slice(0, begin)}\n${joinTables(new Map([...kept, ...tables]))}\n${document.slice(end)}`;
}

function readTables(text: string): [Topic, string][] {
  const sections = text.split(/^(?=## )/m).map((section) => section.trim());
  return Object.entries(TOPICS).flatMap(([topic, heading]): [Topic, string][] => {
    const section = sections.find((each) => each.startsWith(`${HEADING}${heading}\n`));
    return section === undefined ? [] : [[topic as Topic, section]];
  });
}

function buildTable(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ metric, baseline, baselineValue, ours, ratio, seed }) =>
      `| ${[metric, baseline, baselineValue, ours, ratio, seed ?? ''].join(' | ')} |`,
  );
  return [
    '| Figure | Baseline | Its value | Notifier | Ratio | Seed |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}
