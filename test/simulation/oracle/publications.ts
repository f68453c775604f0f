import { isSnapshotType } from '#shared/core/event-types.ts';
import { comparePositions, type EventPosition } from '#shared/core/events/event-order.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Publication } from '../journal.ts';
import { isAbsence, listEnded, withoutAbsences } from './absence-events.ts';
import type { Evidence, Told } from './evidence.ts';
import { canonicalStamp, type Watched } from './reading.ts';

const PREFIX = 'workforce.';

/**
 * Reads the published events: the same id always has the same text, no two events share an id, and an event of a record
 * is first published after all earlier ones. A later epoch begins with 1, or after a restore with a snapshot at 0 (rules 3,
 * 4 and 16 of docs/architecture.md).
 */
export function readPublications(evidence: Evidence): void {
  const { told, lost } = evidence.history.journal;
  const isLost = new Set<Publication>(lost);
  const texts = new Map<string, string>();
  const reader = new Reader(evidence);
  for (const publication of told) {
    const event = parse(publication);
    const known = texts.get(event.told.id);
    if (known === publication.text) continue;
    if (known !== undefined) {
      evidence.violate(event.about, `${event.told.type} has the id of another event, ${known}`);
      continue;
    }
    texts.set(event.told.id, publication.text);
    reader.read(event, isLost.has(publication));
  }
  reader.end();
}

/** Each event once, in the order in which they went out or were found lost. */
class Reader {
  readonly #evidence: Evidence;
  readonly #last = new Map<string, Told>();
  readonly #names = new Map<string, string>();
  /** Lost while an earlier event of the record, which was read just before, could not go out. */
  readonly #early: Parsed[] = [];

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  read(event: Parsed, isLost: boolean): void {
    const { about } = event;
    const before = this.#last.get(about);
    if (isSnapshotAgain(event, before)) return;
    if (isLost && wrongPlace(event, before) !== null) {
      this.#early.push(event);
      return;
    }
    this.#take(event);
    const next = this.#early.findIndex(
      (each) => each.about === about && wrongPlace(each, this.#last.get(about)) === null,
    );
    for (const each of next < 0 ? [] : this.#early.splice(next, 1)) this.read(each, true);
  }

  /** None is left whose earlier ones were never told. */
  end(): void {
    for (const event of this.#early) this.#take(event);
  }

  #take(event: Parsed): void {
    const before = this.#last.get(event.about);
    const { epoch, sequence } = event.told;
    const name = `${event.about} ${epoch} ${sequence}`;
    if (this.#names.has(name)) this.#evidence.violate(event.about, `sequence ${sequence} was told twice`);
    this.#names.set(name, event.told.id);
    const wrong = wrongPlace(event, before);
    if (wrong !== null) this.#evidence.violate(event.about, wrong);
    this.#last.set(event.about, event.told);
    if (!isSnapshot(event)) keep(this.#evidence, event);
    else if (this.#evidence.history.settings.renewal === null)
      this.#evidence.violate(event.about, `${event.told.type} was told although no table was restored`);
  }
}

function isSnapshot({ told }: Parsed): boolean {
  return isSnapshotType(`${PREFIX}${told.type}`);
}

/** A renewal that was killed sends its snapshots again: of the same state, perhaps in pay periods that are known by now. */
function isSnapshotAgain(event: Parsed, before: Told | undefined): boolean {
  const isSame = before !== undefined && comparePositions(before, event.told) === 0;
  return (
    isSnapshot(event) &&
    isSame &&
    isSnapshotType(`${PREFIX}${before.type}`) &&
    JSON.stringify(before.data.current) === JSON.stringify(event.told.data.current)
  );
}

/** Why an event may not be the next of its record; null when it may. */
function wrongPlace(event: Parsed, known: EventPosition | undefined): string | null {
  const { epoch, sequence } = event.told;
  const first = isSnapshot(event) ? 0 : 1;
  const due = known?.epoch === epoch ? known.sequence + 1 : first;
  const isLater = known === undefined || comparePositions(known, event.told) < 0;
  return sequence === due && isLater
    ? null
    : `${epoch} ${sequence} first went out after ${known?.epoch} ${known?.sequence ?? 0}`;
}

interface Parsed {
  readonly feed: FeedName;
  readonly subject: string | null;
  /** Feed and record, or the feed's operations. */
  readonly about: string;
  readonly told: Told;
}

function parse({ text, poll, at }: Publication): Parsed {
  const envelope = JSON.parse(text) as Record<string, unknown>;
  const feed = String(envelope.source).split('/').at(-1) as FeedName;
  const type = String(envelope.type).slice(PREFIX.length);
  const data = withOneNotation(envelope.data as Record<string, unknown>);
  const isRecord = /^(?:timesheet|pay_period|employee|department)\./.test(type);
  const observed = (data.observed ?? {}) as { after?: string | null };
  const after = typeof observed.after === 'string' ? Date.parse(observed.after) : null;
  const subject = isRecord ? String(envelope.subject) : null;
  return {
    feed,
    subject,
    about: `${feed} ${subject ?? 'operations'}`,
    told: {
      id: String(envelope.id),
      type,
      epoch: String(envelope.epoch),
      sequence: Number(envelope.sequence),
      after,
      by: Date.parse(String(envelope.time)),
      poll,
      at,
      data,
      envelope,
    },
  };
}

/** The stamps of closings in one notation. */
function withOneNotation(data: Record<string, unknown>): Record<string, unknown> {
  const states = (['current', 'previous'] as const).flatMap((name) => {
    const state = data[name] as Watched | null | undefined;
    return state?.closed == null ? [] : [[name, { ...state, closed: canonicalStamp(state.closed) }] as const];
  });
  return states.length === 0 ? data : { ...data, ...Object.fromEntries(states) };
}

function keep(evidence: Evidence, { feed, subject, told }: Parsed): void {
  if (subject === null) {
    evidence.operations[feed].push(told);
    return;
  }
  if (isAbsence(told)) append(evidence.absences, subject, told);
  else if (told.type === 'pay_period.statement') append(evidence.statements, subject, told);
  else {
    for (const ended of listEnded(told)) append(evidence.absences, subject, ended);
    append(evidence.told[feed], subject, { ...told, data: withoutAbsences(told.data) });
  }
}

function append(map: Map<string, Told[]>, subject: string, told: Told): void {
  const events = map.get(subject);
  if (events === undefined) map.set(subject, [told]);
  else events.push(told);
}
