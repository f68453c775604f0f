import { toLocalTime } from '#shared/core/dates.ts';
import { formatMessage, type ReceivedMessage } from '#shared/terminal/format-message.ts';
import { createPainter, table } from '#shared/terminal/output.ts';
import type { AlarmChange } from './alarms/alarm-watch.ts';
import type { TemplateAlarm } from './alarms/template-alarms.ts';
import type { IncidentResult } from './play-incident.ts';

const MINUTE_MS = 60_000;
const LABEL_COLUMNS = 11;
const MAX_MESSAGE_LINES = 3;
const MESSAGE_INDENT = 7;
/** Columns before the text of a line. */
const TEXT_INDENT = '  HH:MM  '.length + LABEL_COLUMNS;
const COMPARISONS = {
  GreaterThanOrEqualToThreshold: '>=',
  LessThanThreshold: '<',
} as const;

/** Writes what happens in a drill. */
export interface Printer {
  head(text: string): void;
  line(at: number, label: string, text: string): void;
  /** Alarms that changed their state in a minute. */
  alarms(at: number, changes: readonly AlarmChange[]): void;
  /** What people received in a minute. */
  messages(at: number, messages: readonly ReceivedMessage[]): void;
  table(results: readonly IncidentResult[]): void;
}

export interface PrinterOptions {
  readonly write: (line: string) => void;
  readonly colour: boolean;
  readonly timeZone: string;
  readonly stackName: string;
}

export function createPrinter({ write, colour, timeZone, stackName }: PrinterOptions): Printer {
  const paint = createPainter(colour);
  const line = (at: number, label: string, text: string) =>
    write(`  ${paint('dim', formatTime(at, timeZone))}  ${label.padEnd(LABEL_COLUMNS)}${text}`);
  return {
    head: (text) => write(`\n${paint('bold', text)}`),
    line,
    alarms: (at, changes) => {
      const nameOf = ({ alarm }: AlarmChange) => alarm.name.slice(stackName.length + 1);
      const begun = changes.filter(({ sounds }) => sounds);
      for (const [heading, same] of Map.groupBy(begun, ({ alarm }) => findHeading(alarm.description))) {
        line(at, paint('red', 'ALARM'.padEnd(LABEL_COLUMNS)), same.map(nameOf).join(', '));
        const [first] = same;
        if (first === undefined) continue;
        write(`${' '.repeat(TEXT_INDENT)}${describeCondition(first.alarm)}: docs/runbook.md#${heading}`);
      }
      const ended = changes.filter(({ sounds }) => !sounds);
      if (ended.length > 0)
        line(at, paint('green', 'quiet'.padEnd(LABEL_COLUMNS)), ended.map(nameOf).join(', '));
    },
    messages: (at, messages) => {
      const [first, ...others] = messages.filter(({ label }) => label.startsWith('slack'));
      if (first === undefined) return;
      line(
        at,
        'people',
        others.length === 0 ? 'get a message' : `get ${others.length + 1} messages; the first one:`,
      );
      const { lines, ...rest } = first;
      const shown = lines.filter(({ text }) => !text.startsWith('Seen on')).slice(0, MAX_MESSAGE_LINES);
      write(formatMessage({ ...rest, lines: shown }, colour).replaceAll(/^/gm, ' '.repeat(MESSAGE_INDENT)));
    },
    table: (results) => {
      write('');
      for (const row of table([HEADS, ...results.map(toRow)])) write(row.trimEnd());
    },
  };
}

const HEADS = [
  ...['broken', 'sounds', 'after', 'changes', 'told within', 'webhooks within'],
  ...['lost', 'twice', 'recovered in'],
];

function toRow(result: IncidentResult): string[] {
  const { incident, sounded, verdict, deliveries, twice, recoveryMs } = result;
  const [first] = sounded;
  return [
    incident.name,
    first === undefined ? 'nothing' : sounded.map(({ heading }) => heading).join(', '),
    first === undefined ? '' : formatMinutes(first.afterMs),
    String(verdict.changes),
    formatMinutes(verdict.maxDelayMs),
    deliveries.delivered === 0 ? '' : formatMinutes(deliveries.maxDelayMs),
    String(verdict.untold.length),
    String(twice),
    recoveryMs === null ? 'not' : formatMinutes(recoveryMs),
  ];
}

export function formatMinutes(milliseconds: number): string {
  return `${Math.ceil(milliseconds / MINUTE_MS)} min`;
}

/** The heading of the runbook that the description of an alarm names; null without one. */
export function findHeading(description: string): string | null {
  return /docs\/runbook\.md#([\w-]+)/.exec(description)?.[1] ?? null;
}

/** Such as `PollCompleted Sum < 1 in 15 of 15 min`. */
function describeCondition(alarm: TemplateAlarm): string {
  const { operator, threshold, breaches, evaluated, periodMs } = alarm;
  const minutes = periodMs / MINUTE_MS;
  const unit = minutes === 1 ? 'min' : `periods of ${minutes} min`;
  return `${describeMetrics(alarm)} ${COMPARISONS[operator]} ${threshold} in ${breaches} of ${evaluated} ${unit}`;
}

function describeMetrics({ metrics }: TemplateAlarm): string {
  return metrics.map(({ metric, statistic }) => `${statistic} of ${metric.name}`).join(' + ');
}

function formatTime(at: number, timeZone: string): string {
  return toLocalTime(at, timeZone).slice(0, 'HH:MM'.length);
}
