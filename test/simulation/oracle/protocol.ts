import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { findIssues } from '#shared/core/definitions/check-event.ts';
import { groupBy } from '#shared/core/group-by.ts';
import { type Evidence, isOperation, type Told } from './evidence.ts';

const ajv = new Ajv2020({ strict: false, allErrors: false });
(formats as unknown as (of: Ajv2020) => void)(ajv);
const validators = new Map<string, ValidateFunction>();

function validatorOf(type: string): ValidateFunction {
  const known = validators.get(type);
  if (known !== undefined) return known;
  const path = new URL(`../../../docs/schemas/${type}.json`, import.meta.url);
  const made = ajv.compile(JSON.parse(readFileSync(path, 'utf8')) as object);
  validators.set(type, made);
  return made;
}

/** Every event fits its schema; an id has one content; sequences have no gaps, and epochs grow (rules 4 and 16). */
export function judgeProtocol(evidence: Evidence): void {
  const contents = new Map<string, string>();
  for (const event of evidence.told) {
    const about = `${event.feed} ${event.subject} ${event.sequence} ${event.type}`;
    const validate = validatorOf(event.type);
    if (!validate(JSON.parse(event.text)))
      evidence.violate(about, `does not fit its schema: ${ajv.errorsText(validate.errors)}`);
    const issues = findIssues(event.text);
    if (issues.length > 0) evidence.violate(about, `cannot be read: ${issues.join(', ')}`);
    const before = contents.get(event.id);
    if (before !== undefined && before !== event.text) evidence.violate(about, 'its id has another content');
    // Who was stopped while he sent the state of a restored table sends it again.
    else if (before !== undefined && !event.type.endsWith('.snapshot'))
      evidence.violate(about, 'is committed twice');
    contents.set(event.id, event.text);
    const expected = topicOf(event.type);
    const { topic } = evidence.history.journal.committed[event.commit] ?? {};
    if (topic !== expected) evidence.violate(about, `goes to ${topic}`);
  }
  const lines = groupBy(evidence.told, ({ feed, subject, type, table }) =>
    isOperation(type) ? `${feed} itself in table ${table}` : `${feed} ${subject} in table ${table}`,
  );
  const ordered = [...lines].filter(
    ([, [first]]) => first === undefined || !evidence.isDoubled(first.feed, first.subject ?? ''),
  );
  for (const [line, events] of ordered) judgeOrder(evidence, line, events);
}

/** The topic of an event, as docs/events.md states it. */
function topicOf(type: string): string {
  if (isOperation(type)) return 'operations';
  if (type.startsWith('timesheet.')) return 'timesheets';
  return type.startsWith('pay_period.') ? 'pay-periods' : 'directory';
}

function judgeOrder(evidence: Evidence, line: string, events: readonly Told[]): void {
  let epoch = '';
  let sequence = 0;
  for (const event of events) {
    if (event.epoch < epoch) evidence.violate(line, `goes back to epoch ${event.epoch}`);
    const isNew = event.epoch !== epoch;
    const isSnapshot = event.type.endsWith('.snapshot');
    const expected = (isNew ? 0 : sequence) + (isSnapshot ? 0 : 1);
    if (event.sequence !== expected)
      evidence.violate(line, `${event.type} has sequence ${event.sequence}, not ${expected}`);
    ({ epoch, sequence } = event);
  }
}

/** A trouble is told once when it begins and once when it ends; where nothing fails, none is told. */
export function judgeTroubles(evidence: Evidence): void {
  const { faults, settings, world } = evidence.history;
  const troubles = evidence.told.filter(({ type }) => type.startsWith('trouble.'));
  // A restored table tells anew what lasts.
  if (settings.renewal === null) judgePairs(evidence, troubles);
  const isCalm = faults.isCalm && settings.renewal === null && world.massLosses === 0;
  for (const { data } of isCalm ? troubles : [])
    evidence.violate(`${data.kind}`, 'is told where nothing failed');
}

function judgePairs(evidence: Evidence, troubles: readonly Told[]): void {
  const lines = groupBy(troubles, ({ feed, subject, data }) => `${feed} ${data.kind} ${subject}`);
  for (const [line, events] of lines) {
    for (const [place, { type }] of events.entries())
      if (type !== (place % 2 === 0 ? 'trouble.began' : 'trouble.ended'))
        evidence.violate(line, `${type} is told twice`);
    // A topic that refused something for good is well again once it takes something, which may never come.
    const isOver = events.at(-1)?.type !== 'trouble.began' || line.includes(' publish_failed ');
    if (!isOver) evidence.violate(line, 'is never said to have ended');
  }
}

/**
 * What is published was committed before, and what follows an item of the log waits until that is published whole
 * (rule 3). What is committed is published in the end, once at least; nothing waits.
 */
export function judgePublished(evidence: Evidence): void {
  const { journal, end, settings } = evidence.history;
  const places = new Map(evidence.told.toReversed().map((event) => [event.text, event]));
  const log = new Log(evidence, places);
  for (const { text, at, topic } of journal.publications) {
    const event = places.get(text);
    if (event !== undefined && event.at <= at) log.publish(event, topic);
    else evidence.violate(topic, `published what was not committed: ${text.slice(0, 200)}`);
  }
  for (const [commit, { size }] of log.left) {
    const { table = 1, topic = '' } = journal.committed[commit] ?? {};
    // A restored table forgets what waits.
    const isForgotten = settings.renewal !== null && table === 1;
    if (size > 0 && !isForgotten) evidence.violate(topic, `lost: ${size} events were never published`);
  }
  for (const [topic, { logged, published }] of Object.entries(end.state?.topics ?? {}))
    if (logged !== published) evidence.violate(topic, 'something waits in its log');
}

/** What was committed and is not published yet. */
class Log {
  readonly left = new Map<number, Set<string>>();
  readonly #lines = new Map<string, number[]>();
  readonly #evidence: Evidence;

  constructor(evidence: Evidence, places: ReadonlyMap<string, Told>) {
    this.#evidence = evidence;
    const { committed, refused } = evidence.history.journal;
    for (const [commit, { topic, table, texts }] of committed.entries()) {
      const own = texts.filter((text) => !refused.has(text) && places.get(text)?.commit === commit);
      this.left.set(commit, new Set(own));
      const line = `${table} ${topic}`;
      this.#lines.set(line, [...(this.#lines.get(line) ?? []), commit]);
    }
  }

  publish(event: Told, topic: string): void {
    const line = this.#lines.get(`${event.table} ${topic}`) ?? [];
    while (line[0] !== undefined && this.left.get(line[0])?.size === 0) line.shift();
    const isAhead = line[0] !== undefined && line[0] < event.commit;
    if (isAhead && this.#evidence.history.settings.renewal === null)
      this.#evidence.violate(topic, `published ${event.type} ${event.id} before what was committed earlier`);
    this.left.get(event.commit)?.delete(event.text);
  }
}
