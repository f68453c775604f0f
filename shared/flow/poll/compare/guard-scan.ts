import type { RemovalCheck } from '#shared/core/compare/change.ts';
import { countUnseen, guardLosses, type MassChange } from '#shared/core/compare/mass-change.ts';
import { type GuardedAbsences, guardAbsences } from '#shared/core/compare/mass-deletion-guard.ts';
import { type Absent, selectDueChecks } from '#shared/core/compare/unlisted.ts';
import { SourceError } from '#shared/core/errors.ts';
import { idOf } from '#shared/core/fetch/pages.ts';
import type { Scan } from '#shared/core/fetch/scan.ts';
import { addLookUps } from '#shared/core/outcome/poll-findings.ts';
import { checkRow, readRow, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { isRecord } from '#shared/core/records/fields.ts';
import { findSliceForDate } from '#shared/core/snapshot/distant-slice.ts';
import { hasTimeLeft, type PollRun } from '../poll-run.ts';
import type { Lookup } from '../ports.ts';
import type { Survey } from './survey-scan.ts';

/** What of a scan is too much at once, and what became of its absent records. */
export interface ScanGuards {
  readonly deletionGuard: GuardedAbsences;
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  readonly massChanges: readonly MassChange[];
}

/** Looks absent records up, as far as they are believed to be gone, and counts what records lost (rule 6). */
export async function guardScan(scan: Scan, survey: Survey, run: PollRun): Promise<ScanGuards> {
  const { state, connection, memory } = run;
  const heads = memory.heads.all;
  const { vanishing } = connection;
  const { shrunk } = state;
  const now = run.ports.clock.now();
  const deletionGuard = guardAbsences(survey.absent, heads, { vanishing, shrunk, now });
  const answers = await confirmRemovals(selectDueChecks(deletionGuard.toConfirm, now), run);
  const { losses, strangers } = survey;
  const massChanges = guardLosses(losses.sum(strangers, answers), {
    heads,
    places: losses.places(strangers, answers),
    vanishing,
    held: state.massChange,
    countUnseen: (slice, lost) => countUnseen({ slice, lost }, { scan, heads, answers, ...survey }),
    slices: scan.slices,
    at: scan.startedAt ?? run.startedAt,
  });
  return { deletionGuard, answers, massChanges };
}

/** Look-ups in one poll: the next one goes on with the rest. */
const MAX_LOOK_UPS = 200;
/** Failures in a row after which this poll looks up no more records. */
const MAX_FAILURES_IN_A_ROW = 3;

/**
 * Looks absent records up one by one: only a 404 proves that one is gone (rule 6). Those that the list leaves out
 * although they are there are looked up less and less often. A record that the source forbids or fails on is unknown
 * for itself alone; a rejected credential, throttling and a source that does not answer end the look-ups.
 */
async function confirmRemovals(
  due: readonly Absent[],
  run: PollRun,
): Promise<ReadonlyMap<string, RemovalCheck>> {
  const { lookUps: before, credentialRejected } = run.memory.findings;
  const answers = new Map<string, RemovalCheck>();
  const reasons: string[] = [];
  let [lookUps, failures] = [0, 0];
  let stoppedBy: SourceError | null = null;
  const checks = credentialRejected ? [] : due;
  for (const { row } of checks.slice(0, Math.max(0, MAX_LOOK_UPS - before))) {
    if (failures >= MAX_FAILURES_IN_A_ROW || !hasTimeLeft(run)) break;
    lookUps += 1;
    const answer = await lookUpRecord(row.id, run);
    if (!(answer instanceof SourceError)) {
      failures = 0;
      answers.set(row.id, answer);
      continue;
    }
    reasons.push(...describeFailure(answer, row));
    if (stopsLookUps(answer)) {
      stoppedBy = answer;
      break;
    }
    failures = answer.code === 'source_failed' ? failures + 1 : 0;
    answers.set(row.id, { outcome: 'unknown', askedAt: run.ports.clock.now() });
  }
  addLookUps(run.memory.findings, { lookUps, reasons, error: stoppedBy });
  return answers;
}

async function lookUpRecord(id: string, run: PollRun): Promise<RemovalCheck | SourceError> {
  try {
    return toAnswer(await run.ports.source.lookUp(run.feed.feed, id), { id, run });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return error;
  }
}

function stopsLookUps({ code }: SourceError): boolean {
  return code === 'source_unauthorised' || code === 'source_unreachable' || code === 'source_throttled';
}

/** What fails for one record alone is reported when it is looked up for the first time. */
function describeFailure(error: SourceError, { unlisted }: Absent['row']): readonly string[] {
  if (stopsLookUps(error)) return [error.message];
  return unlisted === undefined ? [`some absent records could not be asked for by id (${error.code})`] : [];
}

function toAnswer(lookup: Lookup, { id, run }: { readonly id: string; readonly run: PollRun }): RemovalCheck {
  const { requestedAt, receivedAt } = lookup;
  if (lookup.outcome === 'gone') return { outcome: 'gone', requestedAt, receivedAt };
  const { record } = lookup;
  const unknown: RemovalCheck = { outcome: 'unknown', askedAt: requestedAt };
  if (!isRecord(record) || idOf(record) !== id) return unknown;
  const date = run.definition.sliceOf(record);
  const row = readRow(run.definition, record, { absences: run.absences, at: requestedAt });
  if (date === null || checkRow(run.definition, row).outcome === 'bad') return unknown;
  return { outcome: 'found', record: { id, slice: sliceOf(date, run), row, requestedAt, receivedAt } };
}

function sliceOf(date: string, { window, memory }: PollRun): string {
  return date === WHOLE_LIST ? date : findSliceForDate(date, { window, heads: memory.heads.all });
}
