import type { NamesRequest } from '#shared/config/requests/names-request.ts';
import { NotifierError, SourceError } from '#shared/core/errors.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import type { NamedKind, Names } from '../names/names.ts';
import { readDisplayNames } from '../names/read-names.ts';

/** Names of records, refreshed daily, or within minutes where there are none. They expire two weeks after they were last written. */
export interface NameStore {
  /** Those of the kinds that were never saved, or have expired. */
  listMissing(connection: string, kinds: readonly NamedKind[]): Promise<readonly NamedKind[]>;
  load(connection: string, kinds: readonly NamedKind[]): Promise<Names>;
  /** Replaces the names of a kind. They last for at least ten days without another save. */
  save(connection: string, kind: NamedKind, names: ReadonlyMap<string, string>): Promise<void>;
}

/** The lists of the source API that contain names. */
export interface NameSource {
  /** All records of a list, unchecked. Throws `SourceError` unless the list is complete. */
  list(kind: NamedKind): Promise<readonly unknown[]>;
  /** Requests sent and 429s received since the adapter was made. */
  counts(): { readonly requests: number; readonly throttled: number };
}

/** The list of the source that has the names of a kind. */
export function listOf(kind: NamedKind): Exclude<NamedKind, 'managers'> {
  return kind === 'managers' ? 'departments' : kind;
}

export interface RefreshNamesPorts {
  readonly source: NameSource;
  readonly store: NameStore;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Result of one kind: `refreshed`, or the former names are `kept` because of an error. */
type Refresh =
  | {
      readonly kind: NamedKind;
      readonly outcome: 'refreshed';
      readonly names: number;
      readonly skipped: number;
    }
  | { readonly kind: NamedKind; readonly outcome: 'kept'; readonly error: NotifierError };

/** Response of the function: counts, no names. */
export interface RefreshNamesReport {
  readonly connection: string;
  /** `incomplete`: some kinds kept their former names, for `reasons`. */
  readonly outcome: 'complete' | 'incomplete';
  readonly reasons: readonly string[];
  /** Per refreshed kind: names stored, and records without a readable one. */
  readonly kinds: Readonly<Partial<Record<NamedKind, { readonly names: number; readonly skipped: number }>>>;
}

/**
 * Refreshes the names of a connection: list -> names -> store, kind by kind. A kind whose list is forbidden or
 * incomplete keeps its former names, and the others continue.
 *
 * Throws `directory_incomplete` at the end when a retry can help; what could be refreshed is stored by then. A request
 * for what is missing is soon made again: it never throws that, and a kind that is empty or forbidden is
 * stored without names, so that it is asked for with the others from then on.
 */
export async function refreshNames(
  { connection, kinds: wanted, only }: NamesRequest,
  ports: RefreshNamesPorts,
): Promise<RefreshNamesReport> {
  const isMissing = only === 'missing';
  const kinds = isMissing ? await ports.store.listMissing(connection.name, wanted) : wanted;
  if (kinds.length === 0) return buildReport(connection.name, []);
  const startedAt = ports.clock.now();
  const refreshes: Refresh[] = [];
  for (const kind of kinds) {
    const refusal = refreshes.find(isRefusal);
    refreshes.push(
      refusal === undefined ? await refresh(kind, connection.name, ports) : { ...refusal, kind },
    );
  }
  report(refreshes, { connection: connection.name, isMissing, startedAt, ports });
  if (isMissing) {
    await storeEmpty(connection.name, refreshes, ports);
    return buildReport(connection.name, refreshes);
  }
  const retryable = kept(refreshes).filter(({ error }) => error.retryable);
  if (retryable.length > 0) throw incompleteError(retryable);
  return buildReport(connection.name, refreshes);
}

async function refresh(kind: NamedKind, connection: string, ports: RefreshNamesPorts): Promise<Refresh> {
  const records = await listOrError(kind, ports.source);
  if (records instanceof SourceError) return { kind, outcome: 'kept', error: records };
  const { names, skipped } = readDisplayNames(kind, records);
  if (names.size === 0 && skipped > 0) return { kind, outcome: 'kept', error: unreadableError(kind) };
  // An empty list may be a fault of the source, and names of former employees do no harm.
  if (names.size > 0) await ports.store.save(connection, kind, names);
  return { kind, outcome: 'refreshed', names: names.size, skipped };
}

/** Notes the kinds that have no names or are forbidden: their next request is that for all, once a day. */
async function storeEmpty(
  connection: string,
  refreshes: readonly Refresh[],
  { store }: RefreshNamesPorts,
): Promise<void> {
  const without = refreshes.filter((each) =>
    each.outcome === 'refreshed' ? each.names === 0 : each.error.code === 'source_forbidden',
  );
  // Not over names that the request for all has stored meanwhile.
  const kinds = without.map(({ kind }) => kind);
  for (const kind of await store.listMissing(connection, kinds))
    await store.save(connection, kind, new Map());
}

async function listOrError(kind: NamedKind, source: NameSource): Promise<readonly unknown[] | SourceError> {
  try {
    return await source.list(kind);
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
}

interface RefreshRun {
  readonly connection: string;
  readonly isMissing: boolean;
  readonly startedAt: number;
  readonly ports: RefreshNamesPorts;
}

/** Logs counts and codes only, since an error message of the source may contain names. */
function report(
  refreshes: readonly Refresh[],
  { connection, isMissing, startedAt, ports }: RefreshRun,
): void {
  const failures = kept(refreshes);
  const done = refreshed(refreshes);
  const forbidden = failures.filter(({ error }) => error.code === 'source_forbidden').length;
  ports.telemetry.report({
    // Alarms count the lines of those that run once a day.
    outcome: isMissing ? 'directory.filled' : 'directory.polled',
    connection,
    result: failures.length === 0 ? 'complete' : 'incomplete',
    reason: failures[0] === undefined ? null : `${failures[0].kind}: ${failures[0].error.code}`,
    kinds: refreshes.length,
    kindsKept: failures.length,
    ...(forbidden === 0 ? {} : { forbidden }),
    ...Object.fromEntries(done.map(({ kind, names }) => [kind, names])),
    skipped: done.reduce((sum, { skipped }) => sum + skipped, 0),
    ...ports.source.counts(),
    duration_ms: ports.clock.now() - startedAt,
  });
}

function buildReport(connection: string, refreshes: readonly Refresh[]): RefreshNamesReport {
  const failures = kept(refreshes);
  return {
    connection,
    outcome: failures.length === 0 ? 'complete' : 'incomplete',
    reasons: failures.map(({ kind, error }) => `${kind}: ${error.message}`),
    kinds: Object.fromEntries(
      refreshed(refreshes).map(({ kind, names, skipped }) => [kind, { names, skipped }]),
    ),
  };
}

function kept(refreshes: readonly Refresh[]) {
  return refreshes.filter((each) => each.outcome === 'kept');
}

function refreshed(refreshes: readonly Refresh[]) {
  return refreshes.filter((each) => each.outcome === 'refreshed');
}

/** The credential is refused, and will be for the other lists, too. */
function isRefusal(each: Refresh): boolean {
  return each.outcome === 'kept' && each.error.code === 'source_unauthorised';
}

function unreadableError(kind: NamedKind): NotifierError {
  return new NotifierError(
    'directory_unreadable',
    `no record in the list of ${kind} has an id and a name that can be read; check that baseUrl leads to the API itself`,
  );
}

function incompleteError(failures: readonly Extract<Refresh, { outcome: 'kept' }>[]): NotifierError {
  const which = failures.map(({ kind }) => kind).join(', ');
  return new NotifierError(
    'directory_incomplete',
    `names of ${which} were not refreshed (${failures[0]?.error.message}); those stored before stay in use until the source answers, for at most two weeks`,
    { retryable: true, cause: failures[0]?.error },
  );
}
