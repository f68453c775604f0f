import type { Fortnight, ToldMessage } from '../run-fortnight.ts';
import { type Checked, type Claim, type ClaimContext, checkClaims } from './claim.ts';
import { checkOpenLine } from './open-claims.ts';
import { OUTAGE_CLAIMS } from './outage-claims.ts';
import {
  arePeople,
  DEPARTMENT_CLAIMS,
  type Department,
  PERIOD_CLAIMS,
  readDepartment,
} from './period-claims.ts';
import { RECORD_CLAIMS, type Story } from './record-claims.ts';
import { WorldFigures } from './world-figures.ts';

const MINUTE_MS = 60_000;
/** How long before a message the oldest of its alerts was seen: the wait for others, the poll of a date, or a night. */
const REACH_MINUTES = { day: 90, night: 11 * 60 + 30 };
const PERIOD = /^(?:Pay period )?(?<name>(?:Weekly|Fortnightly) \d+(?: \w+)?(?:-| - )\d+ \w+),? (?<rest>.*)$/;
const SENTENCE =
  /^Timesheet of (?<name>.+?)(?: \((?<department>[^)]+)\))? on (?<date>\w+ \d+ \w+)(?<rest>\W.*)$/;
const HEADING = /^(?<name>[^,:]+),(?: (?<department>[^,:\d]+),)? (?<date>\w+ \d+ \w+): (?<rest>.*)$/;
/** `Hold back 3 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone`. */
const ACTION =
  /^(?<ask>(?:Hold back|Pay|Recover|Process|Approve|Check|Do not pay) [\d.]+ h(?: more)?) (?:of|to|from) (?<name>[^,:]+),(?: (?<department>[^,:\d]+),)? (?<date>\w+ \d+ \w+)(?<rest>.*)$/;
/** `Pay 739.5 h for Weekly 26 Oct - 1 Nov (23 people)`. */
const PERIOD_ACTION =
  /^(?<ask>(?:Pay|Check|Process|Approve|Hold|Correct) .*?)(?<name>(?:Weekly|Fortnightly) \d+(?: \w+)?(?:-| - )\d+ \w+)(?<rest>.*)$/;
/** `Ana Lee has not clocked in; the shift began at 08:30`. */
const ABSENT = /^(?<name>[^(;]+?)(?: \((?<department>[^)]+)\))?(?<rest> has not clocked .*)$/;
/** `Kitchen, Thu 12 Nov: planned 08:00 (30 minutes ago).`, below the heading with the name. */
const ABSENCE = /^(?:(?<department>[^,:\d]+), )?(?<date>\w+ \d+ \w+)(?<rest>: planned .*)$/;
const DEPARTMENT = /^(?<name>[^:]+): (?<rest>\d+ of \d+ not approved, .*)$/;
const PERSON = /^(?<name>[^:]+): (?<days>\w+ \d+ \w+ [\d.]+ h.*)$/;
const COUNT = /^(?<count>\d+) (?<what>[a-z].*?)(?: in (?<departments>\d+) departments?)?$/;

/** Compares every figure of every message. Returns how many there are, and what is wrong. */
export function checkFigures(fortnight: Fortnight): {
  readonly figures: number;
  readonly wrong: readonly string[];
} {
  const figures = openFigures(fortnight);
  const checked = fortnight.told.flatMap((told) =>
    checkMessage(told, figures).map((each) => ({ ...each, channel: told.channel })),
  );
  return {
    figures: checked.reduce((sum, each) => sum + each.figures, 0),
    wrong: checked.flatMap(({ wrong, channel }) => (wrong === null ? [] : [`${channel}: ${wrong}`])),
  };
}

/** The company of a fortnight, as its own records have it. */
export function openFigures({ company, world, outage }: Fortnight): WorldFigures {
  return new WorldFigures(company, world, outage);
}

/** Compares every figure of a message with the company's own records. Returns what is wrong. */
export function checkMessage(told: ToldMessage, figures: WorldFigures): Checked[] {
  const { title, heading, facts, lines } = told.message;
  const texts = [...(heading === undefined || heading === title ? [] : [heading]), facts ?? title];
  const minutes = listMinutes(told, figures);
  const isDigest = COUNT.test(title);
  const reader = new MessageReader(minutes);
  const [subject = '', numbers = ''] = texts;
  const heads =
    isDigest && facts !== undefined
      ? [checkFirst(subject, told, reader), reader.check(numbers)]
      : isDigest
        ? texts.map((text) => (COUNT.test(text) ? checkCounts(text, told) : checkFirst(text, told, reader)))
        : texts.map((text) => reader.check(text));
  return [...heads, ...lines.map((line) => reader.check(line))];
}

/** The minutes in which what a message says may have been seen, the latest first. */
function listMinutes({ channel, message, at }: ToldMessage, figures: WorldFigures): ClaimContext[] {
  const isMorning = channel === 'managers' && figures.moments.timeOf(at) === '07:00';
  const reach = isMorning ? REACH_MINUTES.night : REACH_MINUTES.day;
  const last = Math.floor(message.at / MINUTE_MS) * MINUTE_MS;
  return Array.from({ length: reach + 1 }, (_, back) => {
    const minute = last - back * MINUTE_MS;
    return { figures, at: minute, seenAt: isMorning ? minute : last };
  });
}

/** Reads the lines of a message in turn: a department belongs to the period above it, a person to the department. */
class MessageReader {
  readonly #minutes: readonly ClaimContext[];
  #period: { readonly name: string; readonly through: string | undefined } | null = null;
  #department = '';
  #record: { readonly name: string; readonly date: string } | null = null;
  #absent: { readonly name: string; readonly rest: string } | null = null;

  constructor(minutes: readonly ClaimContext[]) {
    this.#minutes = minutes;
  }

  check(text: string): Checked {
    const open = checkOpenLine(text, this.#minutes);
    if (open !== null) return open;
    const action = (ACTION.exec(text) ?? (PERSON.test(text) ? null : PERIOD_ACTION.exec(text)))?.groups;
    if (action?.date !== undefined)
      return this.#checkRecord(action.name ?? '', action.date, `${action.ask} ~ ${action.rest}`);
    if (action !== undefined) return this.#checkPeriod(action.name ?? '', `${action.ask}~${action.rest}`);
    const absent = ABSENT.exec(text)?.groups;
    if (absent !== undefined) return this.#nameAbsent(absent.name ?? '', absent.rest ?? '');
    const absence = this.#absent === null ? undefined : ABSENCE.exec(text)?.groups;
    if (absence !== undefined)
      return this.#checkRecord(
        this.#absent?.name ?? '',
        absence.date ?? '',
        `${this.#absent?.rest}${absence.rest}`,
      );
    return this.#checkNamed(text) ?? this.#checkFacts(text);
  }

  /** What stands below a heading is about whom or what that names. */
  #checkFacts(text: string): Checked {
    const facts = `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
    if (this.#record !== null) return this.#checkRecord(this.#record.name, this.#record.date, facts);
    if (this.#period !== null) return this.#checkPeriod(this.#period.name, facts);
    return this.#checkClaims(text, OUTAGE_CLAIMS, ({ figures }) => figures.outage);
  }

  /** Nothing is said of the day: the line below says it. */
  #nameAbsent(name: string, rest: string): Checked {
    this.#absent = { name, rest };
    return { wrong: null, figures: 0 };
  }

  #checkNamed(text: string): Checked | null {
    const period = PERIOD.exec(text)?.groups;
    if (period !== undefined) return this.#checkPeriod(period.name ?? '', period.rest ?? '');
    const record = (SENTENCE.exec(text) ?? HEADING.exec(text))?.groups;
    if (record !== undefined)
      return this.#checkRecord(record.name ?? '', record.date ?? '', record.rest ?? '');
    const department = DEPARTMENT.exec(text)?.groups;
    if (department !== undefined) return this.#checkDepartment(department.name ?? '', department.rest ?? '');
    const person = PERSON.exec(text)?.groups;
    if (person !== undefined) return this.#checkPerson(person.name ?? '', person.days ?? '');
    return null;
  }

  #checkPeriod(name: string, rest: string): Checked {
    this.#record = null;
    this.#period = { name, through: / up to (?<day>\w+ \d+ \w+)/.exec(rest)?.groups?.day };
    return this.#checkClaims(rest, PERIOD_CLAIMS, ({ figures, at }) => figures.findPeriod(name, at) ?? null);
  }

  /** Somebody may have two timesheets on a date: what is said is true of one of them. */
  #checkRecord(name: string, date: string, rest: string): Checked {
    this.#record = { name, date };
    const [latest] = this.#minutes;
    const all = latest?.figures.findTimesheetsEver({ name, date }) ?? [];
    const checked = all.map((id) =>
      this.#checkClaims(rest, RECORD_CLAIMS, ({ figures, at }): Story => {
        return { id, states: figures.record.statesOf(id).filter((state) => state.at <= at) };
      }),
    );
    return (
      checked.find(({ wrong }) => wrong === null) ??
      checked[0] ?? { wrong: `there is no timesheet of ${name} on ${date}`, figures: 0 }
    );
  }

  #checkDepartment(name: string, rest: string): Checked {
    this.#department = name;
    return this.#checkClaims(rest, DEPARTMENT_CLAIMS, (context) => this.#readDepartment(context));
  }

  /** `Thu 12 Nov 8 h, Fri 13 Nov 7.5 h (no clock-out)` of one person. */
  #checkPerson(name: string, days: string): Checked {
    const people = days
      .replaceAll(' (no clock-out)', '')
      .replaceAll(/\w+ \d+ \w+ [\d.]+ h/g, (day) => `${name} ${day}`);
    const claim: Claim<Department> = {
      pattern: /^.*$/,
      holds: (_, { members }, { figures }) => {
        const open = members.filter((each) => each.approvedHours === null && figures.nameOf(each) === name);
        return arePeople(people, open, (each) => figures.nameOf(each));
      },
    };
    return this.#checkClaims(people, [claim], (context) => this.#readDepartment(context));
  }

  #readDepartment(context: ClaimContext): Department | null {
    const period =
      this.#period === null ? undefined : context.figures.findPeriod(this.#period.name, context.at);
    if (period === undefined) return null;
    return readDepartment(this.#department, { period, through: this.#period?.through }, context);
  }

  #checkClaims<Subject>(
    text: string,
    claims: readonly Claim<Subject>[],
    subjectAt: (context: ClaimContext) => Subject | null,
  ): Checked {
    return checkClaims(text, claims, { minutes: this.#minutes, subjectAt });
  }
}

/** `Approve 4 of 99 timesheets by 10:30 (in 2 h): Weekly 9-15 Nov`: the first of several periods. */
function checkFirst(text: string, told: ToldMessage, reader: MessageReader): Checked {
  const { facts, lines } = told.message;
  const name = PERIOD_ACTION.exec(text)?.groups?.name ?? text;
  // A daily summary has the first one in its heading alone.
  const isRight = facts !== undefined || lines[0]?.includes(name) === true;
  return isRight ? reader.check(text) : { wrong: `${text} does not head its lines`, figures: 0 };
}

/** `2 timesheets approved in 1 department`, `1 clock-out missing, 1 pay period ...`: as many as lines say so. */
function checkCounts(title: string, { message }: ToldMessage): Checked {
  const outer = message.lines.filter((_, place) => message.inner?.[place] !== true);
  const parts = title
    .replace(/ after closing/g, '')
    .split(', ')
    .map((part) => COUNT.exec(part)?.groups);
  const counted = parts.reduce((sum, groups) => sum + Number(groups?.count ?? Number.NaN), 0);
  const departments = new Set(
    outer.flatMap(
      (line) => SENTENCE.exec(line)?.groups?.department ?? HEADING.exec(line)?.groups?.department ?? [],
    ),
  );
  const said = parts.flatMap((groups) => groups?.departments ?? []);
  const isRight =
    counted === outer.length + message.more && said.every((count) => Number(count) === departments.size);
  return {
    wrong: isRight ? null : `${title} is not what its ${outer.length} lines say`,
    figures: parts.length,
  };
}
