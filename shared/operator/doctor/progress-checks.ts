import * as z from 'zod';
import { toIso } from '#shared/core/dates.ts';
import { type Finding, warning, wrong } from './finding.ts';

const MINUTE_MS = 60_000;
/** Dates and fields that one finding names at most. */
const MAX_NAMED = 5;

/**
 * The parts of a feed's state that show what keeps it from making progress. Absent or unknown parts are ignored: another
 * version may have stored the state.
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

/** What keeps a feed from making progress, by its stored state. */
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
      [`${slice}: ${code}, ${attempts} attempts since ${toIso(since)}`, `next at ${toIso(nextAt)}`].join(
        ', ',
      ),
    );
  const more = dates.length > MAX_NAMED ? [`and ${dates.length - MAX_NAMED} more`] : [];
  const count = dates.length === 1 ? '1 date cannot be read' : `${dates.length} dates cannot be read`;
  return warning(
    about,
    `${count} (${[...details, ...more].join(' | ')})`,
    'ask the operator of the source why it does not list them; they are retried automatically, and all other dates go on',
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
    `dates are late by ${formatMinutes(lateMs)} since ${toIso(lag.since)}: ${worst.join(', ')}`,
    'raise requests.maxPerSecond if the source allows more, or reduce the window; the lag ends by itself once the source is fast enough',
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
    `the source changed the form of its records ${where} ${fields.join(', ')} at ${toIso(formChanged.since)}, so they cannot be read`,
    'ask the operator of the source whether the change is intended; if it is, deploy a version of the notifier that reads it',
  );
}

function formatMinutes(milliseconds: number): string {
  return `${Math.round(milliseconds / MINUTE_MS)} min`;
}
