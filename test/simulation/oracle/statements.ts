import { type Account, readHours, wrongAccount } from './account.ts';
import { countedManifest, MAX_LEFTOVERS, wrongManifest } from './close-manifests.ts';
import type { Evidence, Told } from './evidence.ts';
import { forgottenFrom } from './forgotten.ts';
import type { Watched } from './reading.ts';
import { earlyClosing, earlyFinal } from './standings.ts';
import { judgeWorldOfStatement } from './statement-world.ts';

/** A statement, as far as it can be compared with published events and the world. */
export interface StatementData {
  readonly stage: 'closed' | 'closed_again' | 'final';
  readonly corrects?: boolean;
  readonly addsUp: boolean | null;
  readonly settledBy: 'processed' | 'next_closing' | 'age' | null;
  readonly closings: number;
  readonly hours: number;
  readonly employees: number;
  readonly timesheets: number;
  readonly unprocessed: number;
  readonly complete: boolean;
  readonly members: 'all' | 'asked' | 'partly';
  readonly sharesDatesWith: readonly string[];
  readonly asOf: string | null;
  readonly unapproved: number;
  readonly leftovers: Account['open'];
  readonly previous: Readonly<Record<'hours' | 'employees' | 'timesheets', number>> | null;
  readonly change: Readonly<Record<'hours' | 'employees' | 'timesheets', number>> | null;
  readonly sinceClose: {
    readonly closedHours: number;
    readonly changes: readonly {
      readonly reason: string;
      readonly hours: number;
      readonly timesheets: number | null;
    }[];
    readonly hours: number;
    readonly timesheets: readonly {
      readonly timesheetId: string;
      readonly reason: string;
      readonly hours: number;
    }[];
  };
}

/** What is due of a pay period at a point of its story. */
interface Standing {
  /** The closing without a statement so far; it may be taken back before it is counted. */
  readonly owed: Told | null;
  /** The statement of the closing, while no final one followed. */
  readonly closed: StatementData | null;
  /** The final statement, if it differed from the totals of the source: one that agrees may follow. */
  readonly differing: StatementData | null;
  readonly last: StatementData | null;
  readonly first: StatementData | null;
  /** The event of the first one. */
  readonly firstTold: Told | null;
  readonly wasReopened: boolean;
  readonly closings: number;
  /** Its removal, while it is gone. */
  readonly removed: Told | null;
}

const NOTHING: Standing = {
  ...{ owed: null, closed: null, differing: null, last: null, first: null, firstTold: null },
  ...{ wasReopened: false, closings: 0, removed: null },
};

/**
 * Each closing has one statement, at once where it was counted, and then at most one final one; what they say adds up.
 */
export function judgeStatements(evidence: Evidence): void {
  for (const [id, events] of evidence.told['pay-periods']) {
    const statements = evidence.statements.get(id) ?? [];
    const story = [...events, ...statements].sort((a, b) => a.sequence - b.sequence);
    if (new Set(story.map(({ epoch }) => epoch)).size > 1) continue;
    judgePeriod(evidence, id, story);
  }
}

/** What statements say of the world, whoever else was told of it: of a table that was restored. */
export function judgeAccountsAlone(evidence: Evidence): void {
  for (const [id, statements] of evidence.statements) {
    for (const event of statements) {
      const wrong = wrongAccount(event, accountOf(event, statementOf(event)), evidence);
      if (wrong !== null) evidence.violate(`pay-periods ${id}`, `${event.type} ${event.sequence}: ${wrong}`);
    }
  }
}

function judgePeriod(evidence: Evidence, id: string, story: readonly Told[]): void {
  let standing = NOTHING;
  for (const [index, event] of story.entries()) {
    const closing = story.slice(0, index).findLast(({ type }) => type === 'pay_period.closed');
    const wrong =
      wrongStep(evidence, event, { standing, next: story[index + 1] }) ??
      (event.type === 'pay_period.statement' ? earlyFinal(event, closing, evidence) : null);
    if (wrong !== null) evidence.violate(`pay-periods ${id}`, `${event.type} ${event.sequence}: ${wrong}`);
    const isForgotten = isAsNew(evidence, standing, story.slice(index));
    standing = standAfter(event, isForgotten ? NOTHING : standing);
  }
  judgeWorldOfStatement(evidence, id, { ...standing, story });
}

interface Place {
  readonly standing: Standing;
  readonly next: Told | undefined;
}

function wrongStep(evidence: Evidence, event: Told, { standing, next }: Place): string | null {
  if (event.type === 'pay_period.closed') return wrongClosing(evidence, event, next);
  if (event.type !== 'pay_period.statement') return null;
  const statement = statementOf(event);
  const { sinceClose, hours } = statement;
  const { hours: hoursToPay, ...numbers } = { ...statement };
  return (
    wrongCause(statement, standing) ??
    wrongSum(statement, standing) ??
    (sinceClose.hours === hours ? null : `it is of ${hours} h, and of ${sinceClose.hours} h`) ??
    wrongManifest({ ...event, type: 'pay_period.closed' }, { ...numbers, hoursToPay }, evidence) ??
    wrongAccount(event, accountOf(event, statement), evidence) ??
    wrongMoves(event, standing, evidence)
  );
}

function wrongClosing(evidence: Evidence, event: Told, next: Told | undefined): string | null {
  const manifest = countedManifest(event);
  if (manifest === null) return null;
  const { hoursToPay, ...counted } = manifest;
  const wrong =
    earlyClosing(event, evidence) ??
    wrongAccount(event, accountOf(event, { ...counted, hours: hoursToPay }), evidence);
  if (wrong !== null) return wrong;
  const isStated = next?.type === 'pay_period.statement' && next.by === event.by;
  // The last one may still wait in the outbox.
  // One that was counted from older looks awaits its statement.
  const mayAwait = next === undefined || manifest.lookedAtBefore !== undefined;
  if (!isStated) return mayAwait ? null : 'it was counted, and has no statement';
  return statementOf(next).hours === hoursToPay ? null : 'its statement has other hours';
}

/** What is said to have moved since the first closing is what moved in the world, timesheet by timesheet. */
function wrongMoves(event: Told, { firstTold, wasReopened }: Standing, evidence: Evidence): string | null {
  const { sinceClose } = statementOf(event);
  const { changes, timesheets } = sinceClose;
  if (!wasReopened && changes.some(({ reason }) => reason === 'reopened'))
    return 'something moved while it was open again, which it never was';
  if (firstTold === null) return null;
  const was = readHours(firstTold, accountOf(firstTold, statementOf(firstTold)), evidence);
  const is = readHours(event, accountOf(event, statementOf(event)), evidence);
  if (was === null || is === null) return null;
  const isWhole = timesheets.length < MAX_LEFTOVERS && changes.every((change) => change.timesheets !== null);
  for (const id of new Set([
    ...was.keys(),
    ...is.keys(),
    ...timesheets.map(({ timesheetId }) => timesheetId),
  ])) {
    const own = timesheets.filter(({ timesheetId }) => timesheetId === id);
    if (own.length === 0 && !isWhole) continue;
    const said = own.reduce((sum, { hours }) => sum + hours, 0);
    const [wasLeast, wasMost] = was.get(id) ?? [0, 0];
    const [isLeast, isMost] = is.get(id) ?? [0, 0];
    if (said < isLeast - wasMost - HOURS_APART || said > isMost - wasLeast + HOURS_APART)
      return `${id} moved by ${said} h, in the world by ${isLeast - wasMost} to ${isMost - wasLeast}`;
  }
  return null;
}

const HOURS_APART = 0.001;

type Numbers = Omit<Account, 'open' | 'mostOpen' | 'through'> & { readonly leftovers: Account['open'] };

function accountOf({ data }: Told, { leftovers, ...numbers }: Numbers): Account {
  const { finishDate } = data.current as Watched;
  return { ...numbers, open: leftovers, mostOpen: MAX_LEFTOVERS, through: String(finishDate) };
}

function wrongCause(statement: StatementData, standing: Standing): string | null {
  const { stage, settledBy, closings } = statement;
  if (stage === 'final') return wrongEnd(statement, standing);
  if (standing.owed === null) return 'no closing is without a statement';
  const isProvisional = countedManifest(standing.owed)?.lookedAtBefore !== undefined;
  if (statement.corrects === true && !isProvisional) return 'it corrects a closing that was counted in time';
  if (settledBy !== null) return 'it is not final, and settled';
  const due = standing.closings === 0 ? 'closed' : 'closed_again';
  if (closings !== standing.closings + 1) return `it is of closing ${closings}`;
  return stage === due ? null : `it is ${stage}, due is ${due}`;
}

function wrongEnd(
  { settledBy, corrects, addsUp, closings, complete, members, unprocessed }: StatementData,
  standing: Standing,
): string | null {
  if (corrects === true && (standing.differing === null || addsUp === false)) return 'it corrects nothing';
  if (corrects !== true && standing.closed === null) return 'nothing awaits it';
  if (closings !== standing.closings)
    return `it is of closing ${closings}, the last one is ${standing.closings}`;
  if (settledBy === null) return 'it does not say why it is final';
  const isProcessed = complete && members !== 'partly' && unprocessed === 0;
  return settledBy === 'processed' && !isProcessed ? 'not all is processed' : null;
}

function wrongSum(
  { previous, change, sinceClose, ...now }: StatementData,
  { last, first }: Standing,
): string | null {
  const { closedHours, changes } = sinceClose;
  const sum = changes.reduce((total, { hours }) => total + units(hours), units(closedHours));
  if (sum !== units(now.hours)) return `${JSON.stringify(sinceClose)} does not add up`;
  if (units(closedHours) !== units(first?.hours ?? now.hours)) return `it closed first at ${first?.hours} h`;
  if (last === null) return previous === null && change === null ? null : 'there is none before it';
  const isRight = (['hours', 'employees', 'timesheets'] as const).every(
    (name) => previous?.[name] === last[name] && units(change?.[name] ?? 0) === units(now[name] - last[name]),
  );
  return isRight ? null : `its difference to ${last.hours} h is ${JSON.stringify(change)}`;
}

/** Whole hundredths: the hours of these histories are whole numbers. */
function units(hours: number): number {
  return Math.round(hours * 100);
}

/**
 * Whether a pay period returns when its removal is forgotten: its next statement begins to count closings again. Of one
 * without a statement that says nothing: the closing that it owes may be remembered.
 */
function isAsNew(evidence: Evidence, standing: Standing, [event, ...later]: readonly Told[]): boolean {
  const { removed, closings } = standing;
  if (removed === null || closings === 0 || event === undefined) return false;
  if (event.by < forgottenFrom(evidence, removed.by)) return false;
  const next = later.find(({ type }) => type === 'pay_period.statement');
  return next !== undefined && statementOf(next).closings === 1 && statementOf(next).stage !== 'final';
}

/** As closed as it was, it goes on as before; open, it is as after a reopening. */
function standAgain({ data }: Told, { removed, ...before }: Standing): Standing {
  const standing: Standing = { ...before, removed: null };
  const closed = (data.current as Watched).closed;
  if (closed !== null || removed === null) return standing;
  return standing.closings === 0 ? NOTHING : standReopened(standing);
}

function standReopened(standing: Standing): Standing {
  return { ...standing, owed: null, closed: null, differing: null, wasReopened: true };
}

function standAfter(event: Told, standing: Standing): Standing {
  switch (event.type) {
    case 'pay_period.created':
      return standAgain(event, standing);
    case 'pay_period.closed':
      // Closed over a closing: it may have been open in between.
      return {
        ...{ ...standing, owed: event, closed: null, differing: null },
        wasReopened: standing.closings > 0,
      };
    case 'pay_period.reopened':
      // A closing that was never stated is forgotten.
      return standing.closings === 0 ? NOTHING : standReopened(standing);
    case 'pay_period.removed':
      // Of an open one nothing is remembered.
      return (event.data.previous as Watched).closed === null ? NOTHING : { ...standing, removed: event };
    case 'pay_period.statement': {
      const statement = statementOf(event);
      if (statement.stage === 'final')
        return { ...standing, closed: null, differing: statement.addsUp === false ? statement : null };
      const first = standing.first ?? statement;
      const firstTold = standing.firstTold ?? event;
      const closings = standing.closings + 1;
      return { ...standing, owed: null, closed: statement, last: statement, first, firstTold, closings };
    }
    default:
      return standing;
  }
}

function statementOf({ data }: Told): StatementData {
  return data.statement as StatementData;
}
