import type { DateRange } from '#shared/core/dates.ts';
import { SOURCE_ERROR_CODES, SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { type Page, type WalkEnd, walkPages } from '#shared/core/fetch/pages.ts';
import type { LearnedPace } from '#shared/core/snapshot/learned-state.ts';
import type { Lookup, SourceApi } from '#shared/flow/poll/ports.ts';
import { type FormSpell, reformed, shapeIn } from '../breadth/form-spell.ts';
import { type Habits, listedTwice, withOtherNotation } from '../breadth/habits.ts';
import { WALK_FAULTS, type WalkFault } from '../faults.ts';
import type { Journal, Served, Walk } from '../journal.ts';
import type { Random } from '../random.ts';
import { lasts, type Spells } from '../spells.ts';
import { membersAt, type Totals, totalsAt } from '../world/books.ts';
import type { RawRecord, TrackedRecord } from '../world/truth.ts';
import type { World } from '../world/world.ts';
import { type LimitedSite, Turns } from './limited.ts';
import { type ListView, type Row, rowsOf } from './list-view.ts';
import { type PoisonedSpell, poisoned, shapeOf } from './poison.ts';
import { comeBack, goTo, type PollLife } from './poll-life.ts';

/** The source of a history: its records and its faults. */
export interface SourceSite {
  readonly world: World;
  readonly journal: Journal;
  readonly pageSize: number;
  /** Least and most milliseconds of one way of a request, and its timeout. */
  readonly latency: readonly [number, number];
  readonly timeoutMs: number;
  readonly spells: Spells;
  readonly order: ListView['order'];
  readonly poisons: readonly PoisonedSpell[];
  readonly form: FormSpell | null;
  /** Other notations of closings; null where it keeps to one. */
  readonly notations: Random | null;
  readonly doubled: Habits['doubled'];
  readonly limited: LimitedSite | null;
  readonly outages: readonly {
    readonly from: number;
    readonly to: number;
    readonly code: SourceErrorCode;
  }[];
}

/** Errors that may concern the whole source or the credential. */
const ENDS_A_POLL: ReadonlySet<SourceErrorCode> = new Set([
  'source_unauthorised',
  'source_forbidden',
  'source_throttled',
  'source_unreachable',
]);

const MAX_TOTALS_BEHIND_MS = 600_000;

/** How the totals of a source may be wrong. */
const WRONG_TOTALS: readonly ((right: Totals) => Totals)[] = [
  (right) => ({ ...right, hours: right.hours + 0.5 }),
  (right) => ({ ...right, numberTimesheets: right.numberTimesheets + 1 }),
  (right) => ({ ...right, numberEmployees: Math.max(0, right.numberEmployees - 1) }),
  () => ({ hours: 0, numberEmployees: 0, numberTimesheets: 0 }),
];

interface WalkState {
  readonly walk: Walk;
  readonly range: DateRange | null;
  readonly fault: WalkFault | null;
  readonly slow: boolean;
  /** Milliseconds by which the list is behind. */
  readonly lag: number;
  /** The list of the page before, to notice that it moved. */
  lastList: string | null;
}

/** A record as it is sent. */
interface Answered {
  readonly answer: unknown;
  readonly shape: Served['shape'];
  /** In the other form of a form spell. */
  readonly reformed: boolean;
}

/** The port of one poll. */
export class FakeSource implements SourceApi {
  readonly #site: SourceSite;
  readonly #poll: PollLife;
  readonly #turns: Turns | null;
  #requests = 0;

  constructor(site: SourceSite, poll: PollLife) {
    this.#site = site;
    this.#poll = poll;
    this.#turns = site.limited === null ? null : new Turns(site.limited, poll);
  }

  learnedPace(): LearnedPace | null {
    return this.#turns?.learnedPace() ?? null;
  }

  resumePace(pace: LearnedPace): void {
    this.#turns?.resumePace(pace);
  }

  counts(): { requests: number; throttled: number } {
    return { requests: this.#requests, throttled: 0 };
  }

  async *pages(feed: FeedName, range: DateRange | null): AsyncGenerator<Page, WalkEnd> {
    const { journal } = this.#site;
    const { faults } = this.#poll;
    const fault = WALK_FAULTS.find((kind) => faults.strikes(kind)) ?? null;
    const walk: Walk = {
      number: journal.walks.length,
      poll: this.#poll.poll,
      feed,
      from: range?.from ?? null,
      to: range?.to ?? null,
      startedAt: this.#poll.now(),
      askedAt: null,
      endedAt: Number.POSITIVE_INFINITY,
      beganAt: this.#poll.time(),
      spoilt: false,
      failedOn: [],
      failedByChance: false,
      complete: false,
      records: new Map(),
    };
    journal.walks.push(walk);
    const state: WalkState = {
      walk,
      range,
      fault,
      slow: faults.happens('slow_source'),
      lag: fault === 'lagging_list' ? faults.random.between(1_000, 300_000) : 0,
      lastList: null,
    };
    let page = 0;
    const end = yield* walkPages(() => {
      page += 1;
      return this.#page(state, page);
    });
    walk.endedAt = this.#poll.now();
    walk.complete = end.complete;
    if (end.complete && fault === null && this.#leftSomebodyOut(walk)) faults.note('hidden_drift');
    return end;
  }

  /** Whether a walk that seems complete missed a record that existed throughout. */
  #leftSomebodyOut({ feed, from, to, records, beganAt }: Walk): boolean {
    const endedAt = this.#poll.time();
    return [...this.#site.world.truth[feed].values()].some((record) => {
      const index = record.indexAt(beganAt);
      const date = String(record.version(index)?.date ?? '');
      const isAsked = from === null || to === null || (from <= date && date <= to);
      const isStill = index === record.indexAt(endedAt) && record.version(index) !== null;
      return isAsked && isStill && !records.has(record.id) && !this.#isHidden(record.id, endedAt);
    });
  }

  async #page(state: WalkState, number: number): Promise<Page> {
    const { world, pageSize, order } = this.#site;
    const { faults } = this.#poll;
    const { range, fault, walk } = state;
    const requestedAt = await this.#ask('page', state.slow, walk);
    walk.askedAt ??= requestedAt;
    const at = this.#poll.time();
    await this.#failOnDate(state);
    this.#failAtRandom(`error:${faults.random.pick(SOURCE_ERROR_CODES)}`, walk);
    if (fault === 'truncated_walk' && number > 1) {
      faults.note('truncated_walk');
      walk.spoilt = true;
      throw new SourceError('source_failed', 'the source answered 502', { retryable: true, status: 502 });
    }
    world.advanceTo(at);
    const view: ListView = { range, at, lag: state.lag, order, fault };
    const listed = rowsOf(world.truth[walk.feed], view, faults);
    const list = listed.filter(({ record }) => !this.#isHidden(record.id, at));
    if (list.length < listed.length) faults.note('hidden_record');
    if (fault !== null) walk.spoilt = true;
    const name = list.map(({ record }) => record.id).join(' ');
    if (state.lastList !== null && state.lastList !== name && fault === null) {
      faults.note('moving_list');
      walk.spoilt = true;
    }
    state.lastList = name;
    const rows = range === null ? list : list.slice((number - 1) * pageSize, number * pageSize);
    if (fault === 'duplicate_ids' && rows[0] !== undefined) {
      rows.push(rows[0]);
      faults.note(fault);
    }
    const records = rows.map((row) => this.#answer(this.#withTotals(row, at - state.lag), at));
    if (records.some(({ reformed: other }) => other)) walk.spoilt = true;
    await comeBack('page', this.#poll, this.#latency(state.slow));
    const receivedAt = this.#poll.now();
    for (const [index, { record, version }] of rows.entries()) {
      const times = { requestedAt, receivedAt, walk: walk.number };
      const shape = this.#isDoubled(record.id, at) ? 'unplaced' : (records[index]?.shape ?? 'good');
      this.#note(record, { version, shape, ...times });
    }
    const answers = this.#double(
      records.map(({ answer }) => answer),
      at,
    );
    if (range === null) return { records: answers, pagination: null, requestedAt, receivedAt };
    const pagination = this.#pagination(number, list.length, fault);
    return { records: answers, pagination, requestedAt, receivedAt };
  }

  #pagination(page: number, total: number, fault: WalkFault | null): NonNullable<Page['pagination']> {
    const { faults } = this.#poll;
    const { pageSize } = this.#site;
    const totalPages = Math.max(1, Math.ceil(total / pageSize));
    const honest = {
      page,
      pageSize,
      totalPages,
      totalRecords: total,
      nextPage: page < totalPages ? `/api/v1/timesheets?page=${page + 1}` : '',
    };
    switch (fault) {
      case 'page_loop':
        faults.note(fault);
        return { ...honest, nextPage: '/api/v1/timesheets?page=1' };
      case 'wrong_page':
        faults.note(fault);
        return { ...honest, page: page + 1 };
      case 'wrong_total':
        faults.note(fault);
        return { ...honest, totalRecords: total + 1 };
      default:
        return honest;
    }
  }

  async lookUp(feed: FeedName, id: string): Promise<Lookup> {
    const { world, journal } = this.#site;
    const { poll, faults } = this.#poll;
    const slow = faults.happens('slow_look_ups');
    let requestedAt = this.#poll.now();
    let at = this.#poll.time();
    try {
      requestedAt = await this.#ask('lookUp', slow);
      at = this.#poll.time();
      this.#failAtRandom(`look_up:${faults.random.pick(SOURCE_ERROR_CODES)}`, null);
      this.#failById(id, at);
    } catch (error) {
      journal.unanswered[feed].push({ poll, id });
      throw error;
    }
    world.advanceTo(at);
    const record = world.truth[feed].get(id);
    const version = record?.indexAt(at) ?? -1;
    const raw = record?.version(version) ?? null;
    const answer =
      record === undefined || raw === null
        ? null
        : this.#answer(this.#withTotals({ record, version, raw }, at), at);
    await comeBack('lookUp', this.#poll, this.#latency(false));
    const receivedAt = this.#poll.now();
    if (record === undefined || answer === null) {
      journal.noteGone(feed, { poll, id, version, receivedAt });
      return { outcome: 'gone', requestedAt, receivedAt };
    }
    this.#note(record, { version, shape: answer.shape, requestedAt, receivedAt, walk: null });
    return { outcome: 'found', record: answer.answer, requestedAt, receivedAt };
  }

  /** Calendars take turns among employees; a period has those of its calendar on its dates. */
  async listMembers(employeeId: string, payPeriodId: string): Promise<readonly string[]> {
    const { world, journal } = this.#site;
    await this.#ask('lookUp', false);
    const at = this.#poll.time();
    this.#failAtRandom(`look_up:${this.#poll.faults.random.pick(SOURCE_ERROR_CODES)}`, null);
    world.advanceTo(at);
    const ids = membersAt(world.books, { employeeId, payPeriodId, at });
    await comeBack('lookUp', this.#poll, this.#latency(false));
    journal.noteMembers(employeeId, { poll: this.#poll.poll, at, isEmpty: ids.length === 0 });
    return ids;
  }

  /** Sends a request when its turn comes; one whose turn does not come ends its poll. */
  async #ask(call: 'page' | 'lookUp', slow: boolean, walk: Walk | null = null): Promise<number> {
    if (this.#turns === null) return await this.#send(call, slow);
    try {
      return await this.#turns.ask(() => this.#send(call, slow));
    } catch (error) {
      this.#poll.entry.troubles.add('source');
      if (walk !== null) Object.assign(walk, { spoilt: true, failedByChance: true });
      throw error;
    }
  }

  async #send(call: 'page' | 'lookUp', slow: boolean): Promise<number> {
    this.#requests += 1;
    this.#poll.entry.requests += 1;
    const requestedAt = this.#poll.now();
    await goTo(call, this.#poll, this.#latency(slow));
    return requestedAt;
  }

  #latency(slow: boolean): number {
    const [from, to] = this.#site.latency;
    return this.#poll.faults.random.between(from, to) * (slow ? 15 : 1);
  }

  /** The whole source fails, or this request alone. */
  #failAtRandom(kind: `error:${SourceErrorCode}` | `look_up:${SourceErrorCode}`, walk: Walk | null): void {
    const { faults, entry } = this.#poll;
    const outage = this.#site.outages.find((each) => lasts(each, this.#poll.time()));
    if (outage !== undefined) faults.note('outage');
    const single = faults.happens(kind) ? (kind.slice(kind.indexOf(':') + 1) as SourceErrorCode) : null;
    const code = outage?.code ?? single;
    if (code === null) return;
    if (outage !== undefined || ENDS_A_POLL.has(code)) entry.troubles.add('source');
    if (walk !== null) Object.assign(walk, { spoilt: true, failedByChance: true });
    throw sourceError(code);
  }

  /** A list that covers a failing date. */
  async #failOnDate({ range, walk }: WalkState): Promise<void> {
    const { dates } = this.#site.spells;
    const now = this.#poll.time();
    const failing = dates.filter(
      (each) => lasts(each, now) && range !== null && range.from <= each.date && each.date <= range.to,
    );
    const [spell] = failing;
    if (spell === undefined) return;
    this.#poll.faults.note(`date:${spell.failure}`);
    walk.failedOn = failing.map(({ date }) => date);
    if (spell.failure === 'source_unreachable') await this.#poll.life.pause(this.#site.timeoutMs);
    throw sourceError(spell.failure);
  }

  #failById(id: string, at: number): void {
    const spell = this.#site.spells.records.find((each) => each.id === id && lasts(each, at));
    if (spell?.failure == null) return;
    this.#poll.faults.note(`by_id:${spell.failure}`);
    throw sourceError(spell.failure);
  }

  #isHidden(id: string, at: number): boolean {
    return this.#site.spells.records.some((each) => each.id === id && each.hidden && lasts(each, at));
  }

  /** The totals of a pay period as the books have them, or as the source had them earlier, or not quite. */
  #withTotals(row: Row, at: number): Row {
    const { record, raw } = row;
    if (record.feed !== 'pay-periods') return row;
    const { world, journal } = this.#site;
    const { faults, poll } = this.#poll;
    const isBehind = faults.happens('totals_behind');
    const as = isBehind ? at - faults.random.between(1_000, MAX_TOTALS_BEHIND_MS) : at;
    const right = totalsAt(world.books, raw, as);
    const isWrong = faults.happens('totals_wrong');
    const totals = isWrong ? faults.random.pick(WRONG_TOTALS)(right) : right;
    journal.noteTotals(record.id, { poll, at, totals, isRight: !isBehind && !isWrong });
    return { ...row, raw: { ...raw, ...totals } };
  }

  #isDoubled(id: string, at: number): boolean {
    const { doubled } = this.#site;
    return doubled !== null && doubled.id === id && lasts(doubled, at);
  }

  #double(answers: readonly unknown[], at: number): readonly unknown[] {
    const one = (answers as readonly RawRecord[]).find(({ id }) => this.#isDoubled(String(id), at));
    if (one === undefined) return answers;
    this.#poll.faults.note('listed_twice');
    return listedTwice(answers, one, at);
  }

  #answer({ record, raw: kept }: Row, at: number): Answered {
    const { form, notations } = this.#site;
    const raw = notations === null ? kept : withOtherNotation(kept, notations);
    if (raw !== kept) this.#poll.faults.note('closed_rewritten');
    const other = reformed(raw, form, at);
    if (form !== null && other !== null) {
      this.#poll.faults.note('form_changed');
      return { answer: other, shape: shapeIn(form), reformed: true };
    }
    const spell = this.#site.poisons.find(({ id, from, to }) => id === record.id && from <= at && at < to);
    if (spell === undefined) return { answer: raw, shape: 'good', reformed: false };
    this.#poll.faults.note('poison_record');
    return { answer: poisoned(raw, spell.poison), shape: shapeOf(raw, spell.poison), reformed: false };
  }

  #note(record: TrackedRecord, served: Omit<Served, 'poll' | 'id'>): void {
    this.#site.journal.noteServed(record.feed, { ...served, poll: this.#poll.poll, id: record.id });
  }
}

function sourceError(code: SourceErrorCode): SourceError {
  return new SourceError(code, `the source failed on purpose: ${code}`);
}
