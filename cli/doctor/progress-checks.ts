import * as z from 'zod';
import { type Finding, warning, wrong } from './finding.ts';

const MINUTE_MS = 60_000;
/** Dates and fields that a finding names. */
const MAX_NAMED = 5;

/**
 * What a feed's state says of dates that do not keep their time. Everything may be absent, and what is not understood is
 * passed over: the state may be of another version.
 */
const progressSchema = z.object({
  failing: z
    .record(
      z.string(),
      z.object({ since: z.number(), attempts: z.number(), nextAt: z.number(), code: z.string() }),
    )
    .catch({}),
  lag: z
    .object({
      since: z.number().nullable(),
      worst: z.array(z.object({ class: z.string(), dates: z.array(z.string()), lateMs: z.number() })),
    })
    .nullable()
    .catch(null),
  formChanged: z
    .object({
      since: z.number(),
      fields: z.array(z.object({ field: z.string(), kinds: z.array(z.string()) })),
    })
    .nullable()
    .catch(null),
});
type Progress = z.output<typeof progressSchema>;

/** What keeps a feed from moving, by its state; nothing when everything keeps its time. */
export function checkProgress(about: string, state: unknown): Finding[] {
  const { data } = progressSchema.safeParse(state);
  if (data === undefined) return [];
  return [checkForm, checkFailingDates, checkLag].flatMap((check) => check(about, data) ?? []);
}

function checkFailingDates(about: string, { failing }: Progress): Finding | null {
  const dates = Object.entries(failing).sort(([a], [b]) => (a < b ? -1 : 1));
  if (dates.length === 0) return null;
  const details = dates
    .slice(0, MAX_NAMED)
    .map(([slice, { since, attempts, nextAt, code }]) =>
      [`${slice}: ${code}, ${attempts} attempts since ${isoOf(since)}`, `next at ${isoOf(nextAt)}`].join(
        ', ',
      ),
    );
  const more = dates.length > MAX_NAMED ? [`and ${dates.length - MAX_NAMED} more`] : [];
  const count = dates.length === 1 ? '1 date cannot be read' : `${dates.length} dates cannot be read`;
  return warning(
    about,
    `${count} (${[...details, ...more].join(' | ')})`,
    'ask who runs the source why it does not list them; they are tried again by themselves, and everything else goes on',
  );
}

function checkLag(about: string, { lag }: Progress): Finding | null {
  if (lag === null || lag.since === null) return null;
  const lateMs = Math.max(0, ...lag.worst.map((each) => each.lateMs));
  const worst = lag.worst.map(({ class: kind, dates, lateMs: late }) => {
    return `${kind} by ${formatMinutes(late)} (${dates.slice(0, MAX_NAMED).join(', ')})`;
  });
  return warning(
    about,
    `dates are late by ${formatMinutes(lateMs)} since ${isoOf(lag.since)}: ${worst.join(', ')}`,
    'raise requests.maxPerSecond if the source takes more, or make the window smaller; it ends by itself when the source is fast enough',
  );
}

function checkForm(about: string, { formChanged }: Progress): Finding | null {
  if (formChanged === null) return null;
  const fields = formChanged.fields
    .slice(0, MAX_NAMED)
    .map(({ field, kinds }) => `${field} (now ${kinds.join(' or ')})`);
  const where = fields.length === 1 ? 'in field' : 'in fields';
  return wrong(
    about,
    `the source changed its form ${where} ${fields.join(', ')} at ${isoOf(formChanged.since)}, and its records cannot be read`,
    'ask who runs the source whether it is meant; if it is, deploy a version of the notifier that reads it',
  );
}

function formatMinutes(milliseconds: number): string {
  return `${Math.round(milliseconds / MINUTE_MS)} min`;
}

function isoOf(instant: number): string {
  return new Date(instant).toISOString();
}
