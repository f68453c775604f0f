import type { Timesheet } from '#local/source/schemas.ts';
import type { Version } from '../world-record.ts';
import { type Claim, type ClaimContext, type Groups, toNumber } from './claim.ts';

/** A timesheet with its states up to the moment of the message. */
export interface Story {
  readonly id: string;
  readonly states: readonly Version<Timesheet>[];
}

type Member = 'approvedHours' | 'approvedPayroll' | 'processed' | 'clockIn' | 'clockOut';
const MINUTE_MS = 60_000;
const SPAN = String.raw`(?:on (?<day>\w+ \d+ \w+) )?between (?<from>\d\d:\d\d) and (?<to>\d\d:\d\d)`;

/** Sentences and headings about a timesheet. */
export const RECORD_CLAIMS: readonly Claim<Story>[] = [
  {
    pattern: new RegExp(`the processing of (?<stamp>[\\w :]+?) was reverted ${SPAN}`),
    holds: (groups, story, context) =>
      hasStep(story, { member: 'processed', comes: false, said: groups }, context) &&
      isStampOf(groups.stamp, readLost(story, 'processed'), context),
  },
  {
    pattern: /(?:is )?no longer processed \((?<hours>[\d.]+) h to pay\)/,
    holds: ({ hours }, story) => readLast(story)?.hoursToPay === toNumber(hours),
  },
  {
    pattern: new RegExp(
      `removed ${SPAN}: (?<start>\\d\\d:\\d\\d) - (?<finish>\\d\\d:\\d\\d), (?<hours>[\\d.]+) h to pay`,
    ),
    holds: ({ start, finish, hours }, story, { figures: { moments } }) => {
      const was = readRemoved(story);
      const timeOf = (text: string | null | undefined) => moments.timeOf(Date.parse(text ?? ''));
      return (
        was?.hoursToPay === toNumber(hours) &&
        timeOf(was?.startTime) === start &&
        timeOf(was?.finishTime) === finish
      );
    },
  },
  {
    pattern: /pay period closed \((?:Weekly |Fortnightly )?(?<change>[+-][\d.]+) h\)/,
    holds: ({ change }, { states }) => {
      const [last, before] = states.toReversed();
      return (last?.value?.hoursToPay ?? 0) - (before?.value?.hoursToPay ?? 0) === toNumber(change);
    },
  },
  {
    pattern: /approved for payroll, (?<hours>[\d.]+) h to pay/,
    holds: ({ hours }, story) => readLast(story)?.hoursToPay === toNumber(hours),
  },
  {
    pattern: /removed \((?<hours>[\d.]+) h no longer to pay\)/,
    holds: ({ hours }, story) => readRemoved(story)?.hoursToPay === toNumber(hours),
  },
  {
    pattern: new RegExp(`the clock-(?<kind>in|out) at (?<time>\\d\\d:\\d\\d) was removed ${SPAN}`),
    holds: (groups, story, context) => {
      const member = groups.kind === 'in' ? 'clockIn' : 'clockOut';
      return (
        hasStep(story, { member, comes: false, said: groups }, context) &&
        readClock(readLost(story, member)) === groups.time
      );
    },
  },
  {
    pattern: new RegExp(`approved for payroll ${SPAN} \\(reference (?<reference>[\\w-]+)\\)`),
    holds: (groups, story, context) =>
      hasStep(story, { member: 'approvedPayroll', comes: true, said: groups }, context) &&
      readLast(story)?.approvedPayroll === groups.reference,
  },
  {
    pattern:
      /(?<what>approved|processed)(?: again)? (?:on )?(?:(?<day>\w+ \d+ \w+) )?at (?<time>\d\d:\d\d) with (?<hours>[\d.]+) h to pay(?<same>, as when it was reverted)?(?:, (?<change>[+-][\d.]+) h since it was reverted \((?<before>[\d.]+) h\))?/,
    holds: ({ what, day, time, hours, same, change, before }, story, context) => {
      const member = what === 'approved' ? 'approvedHours' : 'processed';
      const state = readLast(story);
      const reverted = findLost(story, member)?.hoursToPay ?? 0;
      return (
        state?.hoursToPay === toNumber(hours) &&
        isStampOf(day === undefined ? time : `${day} ${time}`, state?.[member] ?? null, context) &&
        (same === undefined || reverted === state.hoursToPay) &&
        (change === undefined ||
          (reverted === toNumber(before) && state.hoursToPay - reverted === toNumber(change)))
      );
    },
  },
  {
    pattern: /^(?:Hold back|Pay|Process|Check|Approve) (?<hours>[\d.]+) h ~/,
    holds: ({ hours }, story) => readLast(story)?.hoursToPay === toNumber(hours),
  },
  {
    pattern: /^(?:Recover|Do not pay) (?<hours>[\d.]+) h ~ : removed/,
    holds: ({ hours }, story) => readRemoved(story)?.hoursToPay === toNumber(hours),
  },
  {
    pattern: /^(?<ask>Pay|Recover) (?<hours>[\d.]+) h(?: more)? ~ +\((?<from>[\d.]+) to (?<to>[\d.]+) h\)/,
    holds: ({ ask, hours, from, to }, story) => {
      const [old, now] = readHours(story);
      const more = (now - old) * (ask === 'Pay' ? 1 : -1);
      return more === toNumber(hours) && old === toNumber(from) && now === toNumber(to);
    },
  },
  {
    pattern: /^ ?~? *\((?<change>[+-][\d.]+) h\)|~ +\((?<more>[+-][\d.]+) h\)/,
    holds: ({ change, more }, story) => {
      const [old, now] = readHours(story);
      return now - old === toNumber(change ?? more);
    },
  },
  {
    pattern: /has not clocked (?<kind>in|out)/,
    holds: ({ kind }, story) => readLast(story)?.[kind === 'in' ? 'clockIn' : 'clockOut'] === null,
  },
  {
    pattern: /the shift (?<kind>began|ended) (?:on (?<day>\w+ \d+ \w+) )?at (?<time>\d\d:\d\d)/,
    holds: ({ kind, day, time }, story, { figures: { moments } }) => {
      const state = readLast(story);
      const planned = Date.parse((kind === 'began' ? state?.startTime : state?.finishTime) ?? '');
      return moments.timeOf(planned) === time && (day === undefined || moments.dayOf(planned) === day);
    },
  },
  {
    pattern: /finish (?<from>\d\d:\d\d) -> (?<to>\d\d:\d\d)/,
    holds: ({ from, to }, { states }, { figures: { moments } }) => {
      const [last, before] = states.toReversed();
      const timeOf = (state: typeof last) => moments.timeOf(Date.parse(state?.value?.finishTime ?? ''));
      return timeOf(before) === from && timeOf(last) === to;
    },
  },
  {
    pattern: /(?:hours )?(?<from>[\d.]+)(?: h)? (?:->|to) (?<to>[\d.]+) h(?: \((?<change>[+-][\d.]+)\))?/,
    holds: ({ from, to, change }, story) => {
      const [old, now] = readHours(story);
      return (
        old === toNumber(from) &&
        now === toNumber(to) &&
        (change === undefined || now - old === toNumber(change))
      );
    },
  },
  {
    pattern: /clock-(?<kind>in|out) at (?<time>\d\d:\d\d) removed/,
    holds: ({ kind, time }, story) =>
      readClock(readLost(story, kind === 'in' ? 'clockIn' : 'clockOut')) === time,
  },
  {
    pattern: /clocked (?<kind>in|out) at (?<time>\d\d:\d\d)/,
    holds: ({ kind, time }, story) =>
      readClock(readLast(story)?.[kind === 'in' ? 'clockIn' : 'clockOut'] ?? null) === time,
  },
  {
    pattern: new RegExp(`clocked (?<kind>in|out) ${SPAN}`),
    holds: (groups, story, context) => {
      const member = groups.kind === 'in' ? 'clockIn' : 'clockOut';
      return hasStep(story, { member, comes: true, said: groups }, context);
    },
  },
  {
    pattern: /no clock-(?<kind>in|out)(?= *,|$| yet| by)/,
    holds: ({ kind }, story) => readLast(story)?.[kind === 'in' ? 'clockIn' : 'clockOut'] === null,
  },
  {
    pattern: /planned (?<moment>(?:\w+ \d+ \w+ )?\d\d:\d\d)(?: \((?<ago>[\d.]+) (?<unit>minutes?|h) ago\))?/,
    holds: ({ moment = '', ago, unit }, story, { figures: { moments }, at }) => {
      const state = readLast(story);
      const plans = [state?.startTime, state?.finishTime].map((text) => Date.parse(text ?? ''));
      const plan = plans.find((each) => moments.isMoment(moment, each, plans[0] ?? 0));
      if (plan === undefined || ago === undefined) return plan !== undefined;
      const minutes = Math.floor((at - plan) / MINUTE_MS);
      return (unit === 'h' ? Math.floor(minutes / 6) / 10 : minutes) === toNumber(ago);
    },
  },
];

interface Step {
  readonly member: Member;
  readonly comes: boolean;
  readonly said: Groups;
}

/** Whether a member came, or went, within the minutes that a sentence says. */
function hasStep({ states }: Story, step: Step, { figures: { moments }, seenAt }: ClaimContext): boolean {
  const { day = moments.dayOf(seenAt), from = '', to = '' } = step.said;
  return states.some(({ at, value }, place) => {
    const had = states[place - 1]?.value?.[step.member] != null;
    const has = value?.[step.member] != null;
    const time = moments.timeOf(at);
    return had !== has && has === step.comes && moments.dayOf(at) === day && from <= time && time <= to;
  });
}

function readLast({ states }: Story): Timesheet | null {
  return states.at(-1)?.value ?? null;
}

/** The hours to pay before they changed last, and now. */
function readHours({ states }: Story): readonly [old: number, now: number] {
  const now = states.at(-1)?.value?.hoursToPay ?? 0;
  return [states.findLast(({ value }) => (value?.hoursToPay ?? 0) !== now)?.value?.hoursToPay ?? 0, now];
}

/** What a member was before it was lost last. */
function readLost<Name extends Member>(story: Story, member: Name): Timesheet[Name] | null {
  return findLost(story, member)?.[member] ?? null;
}

/** The timesheet just before a member was lost last. */
function findLost({ states }: Story, member: Member): Timesheet | null {
  const lost = states.findLastIndex(
    ({ value }, place) => value?.[member] == null && states[place - 1]?.value?.[member] != null,
  );
  return states[lost - 1]?.value ?? null;
}

/** A timesheet that is gone, as it was last; null when it is not. */
function readRemoved({ states }: Story): Timesheet | null {
  return states.at(-1)?.value == null ? (states.at(-2)?.value ?? null) : null;
}

/** `14:27` of a clock record. */
function readClock(clock: Timesheet['clockIn']): string | null {
  return clock?.localTime?.slice(11, 16) ?? null;
}

function isStampOf(
  text: string | undefined,
  stamp: string | null,
  { figures: { moments }, seenAt }: ClaimContext,
): boolean {
  return stamp !== null && text !== undefined && moments.isMoment(text, Date.parse(stamp), seenAt);
}
