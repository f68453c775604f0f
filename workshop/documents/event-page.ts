import { EXAMPLE_EVENTS } from '#kit/testing.ts';
import { dataSchema, EVENT_CONTRACTS } from '#shared/core/definitions/event-schemas.ts';
import {
  EVENT_CATALOGUE,
  isOperationType,
  type RecordEventType,
  type ShortEventType,
  toEventType,
} from '#shared/core/event-types.ts';
import { FEED_NAMES } from '#shared/core/feeds.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import {
  COMMON_MEMBERS,
  listMembers,
  type Member,
  renderMembers,
  TIMESHEET_MEMBERS,
} from './event-members.ts';
import { formatJson } from './format-json.ts';
import { SUBSCRIBER_NOTES } from './subscriber-notes.ts';

/** Shown with its envelope, which `docs/events.md` describes. Of all others the page has the `data`. */
const WITH_ENVELOPE: ShortEventType = 'timesheet.approved';
/** Shown with the whole record, or account. */
const WHOLE: readonly ShortEventType[] = [WITH_ENVELOPE, 'pay_period.closed'];
/** Shown of a record whatever changed, and of an account. */
const SHOWN = ['date', 'hoursToPay', 'calendar', 'startDate', 'finishDate', 'departmentIds', 'managerId'];
const SHOWN_OF_ACCOUNT = ['verdict', 'ready', 'notReady', 'changes', 'reserves'];

/** Of the types that have one, described in one place. */
const ACCOUNT: Member = {
  name: 'account',
  description: '[What the period comes to](../events.md#the-life-of-a-pay-period).',
};

/** Values that are left out of a shortened example. */
const EMPTY = ['[]', '{}', 'false'];

/** The page of one type, in Markdown. */
export function renderEventPage(type: ShortEventType): string {
  const { meaning } = EVENT_CONTRACTS[type];
  const { comes, todo } = SUBSCRIBER_NOTES[type];
  const { caption, shown } = findExample(type);
  return `# ${type}

<!-- npm run docs -->

${meaning} It comes ${comes}.

**Do:** ${todo}.

${[...describeReversal(type), describePlace(type)].join('. ')}.

${renderOwnMembers(type)}${caption}

\`\`\`json
${formatJson(shown)}
\`\`\`
`;
}

function describePlace(type: ShortEventType): string {
  const topic = EVENT_CATALOGUE[type];
  return `Topic \`${topic}\`; [schema](../schemas/${type}.json); [members](../events.md#the-data)`;
}

function describeReversal(type: ShortEventType): string[] {
  const facts = FEED_NAMES.flatMap((feed) => feedDefinition(feed).facts);
  const back = facts.find(({ forward }) => forward === type)?.reversal;
  const taken = facts.find(({ reversal }) => reversal === type)?.forward;
  return [
    ...(back === undefined ? [] : [`Taken back by ${link(back)}`]),
    ...(taken === undefined ? [] : [`Takes back ${link(taken)}, by its id in \`reverses\``]),
  ];
}

function link(type: RecordEventType): string {
  return `[\`${type}\`](${type}.md)`;
}

/** What `docs/events.md` does not describe. */
function renderOwnMembers(type: ShortEventType): string {
  const known = new Set([...COMMON_MEMBERS, ...TIMESHEET_MEMBERS]);
  const own = listMembers(dataSchema(type))
    .filter(({ name, description }) => !known.has(name) && description !== '')
    .map((member) => (member.name === 'account' ? ACCOUNT : member));
  if (own.length === 0) return '';
  return `${renderMembers('In `data`', own)}\n\n`;
}

interface Example {
  readonly caption: string;
  readonly shown: unknown;
}

function findExample(type: ShortEventType): Example {
  const event = EXAMPLE_EVENTS[toEventType(type)];
  if (type === WITH_ENVELOPE) return { caption: 'The whole event:', shown: event };
  if (isOperationType(type)) return { caption: '`data`:', shown: event.data };
  const shown = WHOLE.includes(type) ? event.data : cutRecord({ ...event.data });
  return { caption: '`data`, shortened:', shown: JSON.parse(JSON.stringify(shown, shortenLists)) };
}

/** Of the record what changed, of the account what there is to do, of the rest what says something. */
function cutRecord(data: Readonly<Record<string, unknown>>): object {
  const fields = [...SHOWN, ...(data.changed as readonly string[])];
  const shown = {
    ...data,
    current: pick(data.current, fields),
    previous: pick(data.previous, fields),
    account: pick(data.account, SHOWN_OF_ACCOUNT),
  };
  return Object.fromEntries(
    Object.entries(shown).filter(
      ([name, value]) => name !== 'payPeriods' && !EMPTY.includes(JSON.stringify(value)),
    ),
  );
}

function pick(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

function shortenLists(name: string, value: unknown): unknown {
  return ['byDepartment', 'leftOver', 'listed', 'details'].includes(name) && Array.isArray(value)
    ? value.slice(0, 1)
    : value;
}
