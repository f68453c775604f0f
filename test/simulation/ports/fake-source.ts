import type { RawRecord } from '#local/source/world/records.ts';
import type { DateRange } from '#shared/core/dates.ts';
import { SOURCE_ERROR_CODES, SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Lookup, Page, PageRequest, SourceApi } from '#shared/flow/poll/ports.ts';
import { WALK_FAULTS, type WalkFault } from '../faults.ts';
import type { Journal, Walk } from '../journal.ts';
import type { Settings } from '../settings.ts';
import { lasts, type Spells } from '../spells.ts';
import type { HostileWorld } from '../world/hostile-world.ts';
import { type ListView, type Row, rowsOf } from './list-view.ts';
import { comeBack, goTo, type PollLife } from './poll-life.ts';
import { poisoned, rewrite } from './written.ts';

/** The source of a history: its records and its faults. */
export interface SourceSite {
  readonly world: HostileWorld;
  readonly journal: Journal;
  readonly settings: Settings;
  readonly spells: Spells;
  readonly order: ListView['order'];
}

const MAX_LAG_MS = 300_000;
const TIMEOUT_MS = 20_000;
const SLOW_FACTOR = 15;

interface WalkState {
  readonly walk: Walk;
  readonly fault: WalkFault | null;
  readonly slow: boolean;
  /** Milliseconds by which the list is behind. */
  readonly lag: number;
  /** The list of the first page, to notice that it moved. */
  list: string | null;
  /** The date whose facts it leaves out. */
  lost: string | null;
  pages: number;
  /** Each record so far has an id. */
  isNamed: boolean;
}

/** The port of one poll. */
export class FakeSource implements SourceApi {
  readonly #site: SourceSite;
  readonly #poll: PollLife;
  readonly #walks = new Map<string, WalkState>();
  #requests = 0;

  constructor(site: SourceSite, poll: PollLife) {
    this.#site = site;
    this.#poll = poll;
  }

  learnedPace(): null {
    return null;
  }

  resumePace(): void {}

  counts(): { requests: number; throttled: number } {
    return { requests: this.#requests, throttled: 0 };
  }

  async page(request: PageRequest): Promise<Page> {
    const { page, size, range } = request;
    const state = this.#walkOf(request);
    const requestedAt = await this.#send('page', state.slow);
    const at = this.#poll.time();
    await this.#failOrNot(request, state);
    this.#site.world.advanceTo(at);
    const list = this.#list(state, at);
    const perPage = range === null ? list.length : Math.min(size ?? 100, this.#site.settings.pageSize);
    const rows = range === null ? list : list.slice((page - 1) * perPage, page * perPage);
    if (state.fault === 'duplicate_ids' && rows[0] !== undefined) rows.push(rows[0]);
    const shown = state.fault === 'facts_gone' ? this.#withoutFacts(rows, list, state) : rows;
    const records = shown.map((row) => this.#answer(this.#withTotals(row, at - state.lag), at, state.walk));
    await comeBack('page', this.#poll, this.#latency(state.slow));
    for (const { record, version } of rows) state.walk.content.set(record.id, version);
    const totalPages = range === null ? 1 : Math.max(1, Math.ceil(list.length / perPage));
    this.#notePage(state, totalPages, records);
    const totalRecords = list.length + (state.fault === 'wrong_total' ? 1 : 0);
    const grown = totalPages + (state.fault === 'growing_pages' ? page : 0);
    return { records, totalRecords, totalPages: grown, requestedAt, receivedAt: this.#poll.now() };
  }

  /** Throws where the source does not answer a page. */
  async #failOrNot({ page, size, range }: PageRequest, { walk, fault }: WalkState): Promise<void> {
    const { faults, entry } = this.#poll;
    try {
      if (size !== null && faults.happens('small_pages')) throw sourceError('source_bad_request');
      await this.#failOnDate(range);
      this.#failAtRandom(`error:${faults.random.pick(SOURCE_ERROR_CODES)}`);
      if (fault !== 'truncated_walk' || page === 1) return;
      faults.note('truncated_walk');
      throw sourceError('source_failed');
    } catch (error) {
      entry.isTroubled = true;
      walk.honest = false;
      throw error;
    }
  }

  #walkOf({ feed, range, page }: PageRequest): WalkState {
    const { faults, entry, time } = this.#poll;
    const key = `${feed} ${range?.from} ${range?.to}`;
    const known = this.#walks.get(key);
    if (page > 1 && known !== undefined) return known;
    const fault = WALK_FAULTS.find((kind) => faults.strikes(kind)) ?? null;
    const walk: Walk = {
      ...{ poll: entry.number, table: entry.table, feed, from: range?.from ?? null, to: range?.to ?? null },
      ...{ beganAt: time(), endedAt: Number.POSITIVE_INFINITY, complete: false },
      ...{ honest: fault === null, faithful: fault === null },
      content: new Map(),
    };
    if (fault !== null) entry.isTroubled = true;
    this.#site.journal.walks.push(walk);
    const lag = fault === 'lagging_list' ? faults.random.between(1_000, MAX_LAG_MS) : 0;
    const state: WalkState = {
      ...{ walk, fault, slow: faults.happens('slow_source'), lag },
      ...{ list: null, lost: null, pages: 0, isNamed: true },
    };
    this.#walks.set(key, state);
    return state;
  }

  #notePage(state: WalkState, totalPages: number, records: readonly RawRecord[]): void {
    state.pages += 1;
    state.isNamed &&= records.every(({ id }) => id !== undefined);
    state.walk.endedAt = this.#poll.time();
    state.walk.complete = state.isNamed && state.pages >= totalPages;
  }

  /** The whole list as the source has it now. */
  #list(state: WalkState, at: number): Row[] {
    const { world, order, spells } = this.#site;
    const { faults, entry } = this.#poll;
    const { walk, fault, lag } = state;
    const range: DateRange | null = walk.from === null ? null : { from: walk.from, to: walk.to ?? '' };
    const listed = rowsOf(world.records[walk.feed], { range, at, lag, order, fault }, faults);
    const isHidden = (id: string) =>
      spells.records.some((each) => each.id === id && each.hidden && lasts(each, at));
    const list = listed.filter(({ record }) => !isHidden(record.id));
    if (list.length < listed.length) {
      faults.note('hidden_record');
      walk.honest = false;
      walk.faithful = false;
    }
    if (fault === 'duplicate_ids' || fault === 'wrong_total' || fault === 'growing_pages') faults.note(fault);
    const name = list.map(({ record, version }) => `${record.id}/${version}`).join(' ');
    state.list ??= name;
    if (state.list !== name && fault === null) {
      faults.note('moving_list');
      walk.honest = false;
      walk.faithful = false;
      entry.isTroubled = true;
    }
    return list;
  }

  async lookUp(feed: FeedName, id: string): Promise<Lookup> {
    const { world, journal, spells } = this.#site;
    const { entry, faults } = this.#poll;
    const requestedAt = await this.#send('lookUp', false);
    const at = this.#poll.time();
    try {
      this.#failAtRandom(`look_up:${faults.random.pick(SOURCE_ERROR_CODES)}`);
      const spell = spells.records.find((each) => each.id === id && lasts(each, at));
      if (spell?.failure != null) {
        faults.note(`by_id:${spell.failure}`);
        throw sourceError(spell.failure);
      }
    } catch (error) {
      entry.isTroubled = true;
      throw error;
    }
    world.advanceTo(at);
    const record = world.records[feed].get(id);
    const version = record?.indexAt(at) ?? -1;
    const raw = record?.version(version) ?? null;
    const isThere = record !== undefined && raw !== null;
    const answer = isThere ? this.#answer(this.#withTotals({ record, version, raw }, at), at, null) : null;
    await comeBack('lookUp', this.#poll, this.#latency(false));
    if (answer === null) {
      journal.noteGone(feed, id, { poll: entry.number, at, clock: requestedAt });
      return { outcome: 'gone', requestedAt };
    }
    return { outcome: 'found', record: answer, requestedAt };
  }

  /** Calendars take turns among employees; a period has those of its calendar on its dates. */
  async listMembers(employeeId: string, payPeriodId: string): Promise<readonly string[]> {
    const { world, spells } = this.#site;
    const { faults } = this.#poll;
    await this.#send('lookUp', false);
    const at = this.#poll.time();
    this.#failAtRandom(`look_up:${faults.random.pick(SOURCE_ERROR_CODES)}`);
    if (Number(employeeId.split('_')[1]) % 3 === 0 && spells.members.some((each) => lasts(each, at))) {
      faults.note('members_of_some');
      throw sourceError('source_failed');
    }
    world.advanceTo(at);
    const own = world.members(payPeriodId, at).filter((sheet) => sheet.employeeId === employeeId);
    await comeBack('lookUp', this.#poll, this.#latency(false));
    return own.map(({ id }) => String(id));
  }

  /** Returns when it was asked for, by the clock of the poll. */
  async #send(call: 'page' | 'lookUp', slow: boolean): Promise<number> {
    this.#requests += 1;
    const requestedAt = this.#poll.now();
    await goTo(call, this.#poll, this.#latency(slow));
    return requestedAt;
  }

  #latency(slow: boolean): number {
    const [from, to] = this.#site.settings.latency;
    return this.#poll.faults.random.between(from, to) * (slow ? SLOW_FACTOR : 1);
  }

  /** The whole source fails, or this request alone. */
  #failAtRandom(kind: `error:${SourceErrorCode}` | `look_up:${SourceErrorCode}`): void {
    const { faults, entry } = this.#poll;
    const outage = this.#site.spells.outages.find((each) => lasts(each, this.#poll.time()));
    if (outage !== undefined) faults.note('outage');
    const single = faults.happens(kind) ? (kind.slice(kind.indexOf(':') + 1) as SourceErrorCode) : null;
    const code = outage?.code ?? single;
    if (code === null) return;
    entry.isTroubled = true;
    throw sourceError(code);
  }

  /** A list that covers a failing date. */
  async #failOnDate(range: DateRange | null): Promise<void> {
    const now = this.#poll.time();
    const spell = this.#site.spells.dates.find(
      (each) => lasts(each, now) && range !== null && range.from <= each.date && each.date <= range.to,
    );
    if (spell === undefined) return;
    this.#poll.faults.note(`date:${spell.failure}`);
    if (spell.failure === 'source_unreachable') await this.#poll.life.pause(TIMEOUT_MS);
    throw sourceError(spell.failure);
  }

  /** For one look, once, all of a date that everybody knows as approved is as if it were not: such a look is doubtful. */
  #withoutFacts(rows: readonly Row[], list: readonly Row[], state: WalkState): readonly Row[] {
    const { journal, settings } = this.#site;
    if (!journal.hasLostFacts) {
      const approved = list.filter(({ raw }) => typeof raw.approvedHours === 'string');
      const dates = Map.groupBy(approved, ({ raw }) => String(raw.date));
      const isMost = (of: readonly Row[]) =>
        of.length >= settings.guards.records && of.every((row) => this.#isKnown(row));
      state.lost = [...dates].find(([, of]) => isMost(of))?.[0] ?? null;
      journal.hasLostFacts = state.lost !== null;
      if (journal.hasLostFacts) this.#poll.faults.note('facts_gone');
    }
    return rows.map((row) =>
      row.raw.date === state.lost ? { ...row, raw: { ...row.raw, approvedHours: null } } : row,
    );
  }

  /** Whether the last look that showed a record was taken in, and showed it as it is. */
  #isKnown({ record, version }: Row): boolean {
    const { walks, polls } = this.#site.journal;
    const last = walks.findLast(({ complete, content }) => complete && content.has(record.id));
    const report = last === undefined ? null : (polls[last.poll]?.report ?? null);
    const isTaken = report !== null && report.outcome !== 'skipped';
    return isTaken && last?.honest === true && last.content.get(record.id) === version;
  }

  /** The totals of a pay period as the books have them, or not quite. */
  #withTotals(row: Row, at: number): Row {
    const { record, raw } = row;
    if (record.feed !== 'pay-periods') return row;
    const totals = this.#site.world.totals(record.id, at);
    const wrong = this.#poll.faults.happens('totals_wrong') ? { hours: totals.hours + 0.5 } : {};
    return { ...row, raw: { ...raw, ...totals, ...wrong } };
  }

  #answer({ record, raw }: Row, at: number, walk: Walk | null): RawRecord {
    const { faults, entry } = this.#poll;
    const written = faults.happens('other_notation') ? rewrite(raw, faults.random) : raw;
    const spell = this.#site.spells.poisons.find((each) => each.id === record.id && lasts(each, at));
    if (spell === undefined) return written;
    faults.note('poison_record');
    entry.isTroubled = true;
    if (walk !== null) walk.honest = false;
    return poisoned(written, spell.poison);
  }
}

function sourceError(code: SourceErrorCode): SourceError {
  return new SourceError(code, `the source failed on purpose: ${code}`);
}
