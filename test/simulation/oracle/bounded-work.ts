import type { PollEntry, Served } from '../journal.ts';
import { connectionAt, MINUTE_MS } from '../settings.ts';
import { type DateSpell, lasts, type RecordSpell } from '../spells.ts';
import { hasWrongClock, isAble } from './able-polls.ts';
import { backoffMs } from './cadence.ts';
import { covers, type Evidence } from './evidence.ts';

/** By then everything is published, and a poll finds nothing new. */
const SETTLED_AFTER_MS = 95 * MINUTE_MS;
/** Polls also load heads of this many days before the window. */
const LOOKBACK_DAYS = 31;
/** Items and requests allowed beyond those of the window. */
const SPARE = 12;
/** Times that the timesheets of a period are read to see whether it is settled, and what it comes to. */
const COUNTS_OF_PERIOD = 4;
/** Open periods whose dates are searched for employees without a known calendar, and how often. */
const MAX_SURVEYED_PERIODS = 6;
const SURVEY_EVERY_MS = 59 * MINUTE_MS;
/** Average records in a leaf of a slice with several leaves. */
const MIN_IN_LEAF = 16;
/** Share of the wait before a retry that must pass: polls are not punctual, and waits have jitter. */
const PATIENCE = 0.4;
/** Requests of one poll for a single failing date: one, and another to test whether anything answers. */
const TRIES_IN_POLL = 3;
/** Requests by id for a record that lists leave out before they must become rare. */
const FREE_QUESTIONS = 6;
const RARE_QUESTION_MS = 5 * MINUTE_MS;

/** Failing work becomes rare, and a poll without changes does little (rules 13 and 15 of docs/architecture.md). */
export function judgeWork(evidence: Evidence): void {
  const { spells } = evidence.history;
  for (const spell of spells.dates) judgeAttempts(evidence, spell);
  for (const spell of spells.records) judgeQuestions(evidence, spell);
  judgeQuietPolls(evidence);
}

/** A failing date is retried after a minute, then after twice as long each time, up to half an hour. */
function judgeAttempts(evidence: Evidence, spell: DateSpell): void {
  const failed = evidence.history.journal.walks.filter(
    // A walk over several dates does not show which one failed.
    (walk) => walk.failedOn.includes(spell.date) && walk.from === walk.to && lasts(spell, walk.beganAt),
  );
  for (const [poll, walks] of Map.groupBy(failed, (walk) => walk.poll)) {
    if (walks.length <= TRIES_IN_POLL) continue;
    const what = `is asked for ${walks.length} times by poll ${poll}, though it fails`;
    evidence.violate(`timesheets ${spell.date}`, what, 'backoff');
    return;
  }
  const tries = [...new Set(failed.map(({ poll }) => poll))].flatMap((number) => evidence.poll(number) ?? []);
  // Where nothing else could be read either, nothing is held against the date.
  const polls = tries.filter(
    (poll) => isAble(evidence, poll) && hasReadOthers(evidence, poll) && !seemedToFailAtAll(evidence, poll),
  );
  const misdated = evidence.history.journal.polls
    .filter((poll) => poll.feed === 'timesheets' && hasWrongClock(poll))
    .map(({ startedAt }) => startedAt);
  for (const [index, { number, startedAt, scope }] of polls.entries()) {
    const last = polls[index - 1];
    if (last === undefined || scope === 'window') continue;
    if (startedAt - last.startedAt >= PATIENCE * backoffMs(index - 1)) continue;
    // What such a clock noted is worth nothing, and it forgets what failed on dates out of its window.
    if (misdated.some((at) => at <= startedAt)) continue;
    evidence.violate(`timesheets ${spell.date}`, `poll ${number} tries again too soon what fails`, 'backoff');
    return;
  }
}

function hasReadOthers(evidence: Evidence, { number }: PollEntry): boolean {
  return evidence.walks.some(
    ({ poll, complete, records }) => poll === number && (complete || records.size > 0),
  );
}

/** The source seemed to fail altogether, and the date was not to blame. */
function seemedToFailAtAll(evidence: Evidence, { number, report }: PollEntry): boolean {
  if (report?.reasons.some((reason) => reason.startsWith('the source failed')) === true) return true;
  return evidence.walks.some(({ poll, failedByChance }) => poll === number && failedByChance);
}

/** A record that exists but that lists leave out is requested ever more rarely. */
function judgeQuestions(evidence: Evidence, spell: RecordSpell): void {
  const { journal } = evidence.history;
  const during = ({ poll }: { readonly poll: number }): boolean => {
    const entry = evidence.poll(poll);
    return entry !== undefined && lasts(spell, entry.startedAt) && isAble(evidence, entry);
  };
  const answered = (journal.served.timesheets.get(spell.id) ?? []).filter(
    ({ walk }: Served) => walk === null,
  );
  const unanswered = journal.unanswered.timesheets.filter(({ id }) => id === spell.id);
  const asked = [...answered, ...unanswered].filter(during).length;
  if (asked <= FREE_QUESTIONS + (spell.to - spell.from) / RARE_QUESTION_MS) return;
  evidence.violate(`timesheets ${spell.id}`, `was asked for ${asked} times while it was hidden`, 'backoff');
}

function judgeQuietPolls(evidence: Evidence): void {
  const { settings, journal } = evidence.history;
  const settled = journal.polls.filter(({ startedAt }) => startedAt >= settings.quietFrom + SETTLED_AFTER_MS);
  let surveys: PollEntry[] = [];
  for (const poll of settled) {
    const excess = excessOf(evidence, poll);
    if (excess === null) continue;
    surveys = surveys.filter(({ startedAt }) => startedAt > poll.startedAt - SURVEY_EVERY_MS);
    const isSurvey = poll.feed === 'pay-periods' && surveys.length < MAX_SURVEYED_PERIODS;
    if (isSurvey) surveys.push(poll);
    else evidence.violate(`${poll.feed} polls`, `quiet poll ${poll.number} ${excess}`, 'bounded');
  }
}

function excessOf(evidence: Evidence, poll: PollEntry): string | null {
  const { settings, world, journal } = evidence.history;
  const { backDays, forwardDays } = connectionAt(settings, poll.startedAt).window;
  const dates = backDays + forwardDays + 1;
  const pages = Math.ceil(world.truth[poll.feed].size / settings.pageSize);
  const { heads, leavesRead, eventsRead, written } = poll.items;
  const counted = COUNTS_OF_PERIOD * awaitedPeriods(evidence, poll);
  const stirred = changedByTime(evidence, poll);
  const leaves = SPARE + stirred + searchedLeaves(evidence, poll) + counted * leavesOfDates(evidence);
  const walks = journal.walks.filter((walk) => walk.poll === poll.number);
  const looked = walks.filter((walk) => covers(walk, walk.from ?? '')).length;
  if (poll.requests > looked + pages + SPARE) return `asks ${poll.requests} times`;
  const headsOnce = dates + LOOKBACK_DAYS + SPARE + Math.ceil(settings.rosterSize / 500);
  // Before a watermark is told, it is read once more whether anything waits.
  const again = settings.connection.watermark ? 1 : 0;
  if (heads > headsOnce * (1 + counted + again)) return `reads ${heads} heads`;
  if (leavesRead + eventsRead > leaves) return `reads ${leavesRead} leaves and ${eventsRead} events`;
  return written > dates + SPARE + stirred ? `writes ${written} items` : null;
}

/** Changes of a poll where time alone makes some: each may be in a leaf of its own. */
function changedByTime({ history }: Evidence, { report }: PollEntry): number {
  return history.settings.absences === null ? 0 : (report?.counts.changes ?? 0);
}

/** Periods of which a final statement is awaited: their timesheets are counted now and then. */
function awaitedPeriods(evidence: Evidence, { feed, startedAt }: PollEntry): number {
  if (feed !== 'pay-periods') return 0;
  return [...evidence.statements.values()].filter((statements) => {
    const last = statements.findLast(({ by }) => by < startedAt);
    return last !== undefined && (last.data.statement as { stage: string }).stage !== 'final';
  }).length;
}

function leavesOfDates({ history }: Evidence): number {
  const { rosterSize } = history.settings;
  return history.world.truth.timesheets.size + Math.ceil(rosterSize / MIN_IN_LEAF);
}

/** Leaves searched when a date enters the window: each new record may be known in a leaf of any slice. */
function searchedLeaves(evidence: Evidence, poll: PollEntry): number {
  const { settings, journal } = evidence.history;
  const before = journal.polls.findLast(
    ({ feed, startedAt }) => feed === poll.feed && startedAt < poll.startedAt,
  );
  const isNew = (slice: string | null): boolean =>
    slice !== null && before !== undefined && !evidence.inWindow(poll.feed, slice, before.startedAt);
  const seen = evidence.walksOf[poll.feed]
    .filter((walk) => walk.poll === poll.number)
    .flatMap(({ records }) => [...records.values()]);
  const newcomers = seen.filter(({ id, version }) => isNew(evidence.slice(poll.feed, id, version))).length;
  const leavesEach = 1 + Math.floor(settings.rosterSize / MIN_IN_LEAF);
  return poll.items.heads * Math.min(newcomers, leavesEach);
}
