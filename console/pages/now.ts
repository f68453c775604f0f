import { html } from 'hono/html';
import type { Found, FoundKind } from '#console/answers/found.ts';
import type { Line, LineFilter } from '#console/answers/lines.ts';
import { type Frame, showPage } from './layout.ts';
import { type Html, sayDay, showEmpty, showSelect, showTable, toAddress } from './parts.ts';
import { showRows } from './rows.ts';

/** Choices of the filter, in the order of a timesheet's life. */
export const TYPE_CHOICES = [
  { label: 'Everything', value: '' },
  { label: 'Clocking', value: 'timesheet.clock*' },
  {
    label: 'Approvals',
    value:
      'timesheet.approved,timesheet.approval_revoked,timesheet.payroll_approved,timesheet.payroll_approval_revoked',
  },
  { label: 'Processing', value: 'timesheet.processed,timesheet.processing_reverted' },
  {
    label: 'Changes to timesheets',
    value: 'timesheet.created,timesheet.changed,timesheet.removed,employee.forgotten',
  },
  { label: 'Taken back', value: '*_revoked,*_reverted,*_removed,*.reopened' },
  { label: 'Pay periods', value: 'pay_period.*' },
  { label: 'The notifier itself', value: 'baseline.*,feed.*,trouble.*' },
] as const;

export interface NowView {
  readonly filter: LineFilter;
  /** The date that is shown; null for what happens now. */
  readonly day: string | null;
  /** Newest first. */
  readonly lines: readonly Line[];
  /** Where what is earlier begins; null when nothing is. */
  readonly next: string | null;
  readonly departments: readonly { readonly id: string; readonly name: string }[];
  readonly connections: readonly string[];
}

/** What happened: now and until now, or on one day. */
export function showNow(view: NowView, frame: Frame): Html {
  const { day, lines, next, filter } = view;
  const title = day === null ? 'Now' : sayDay(day, frame.status);
  const query = { ...filter, day: day ?? undefined };
  const earlier =
    next === null ? '' : html`<a href="${toAddress('now', { ...query, before: next })}">Earlier</a>`;
  return showPage(
    title,
    frame,
    html`<h1>${title}</h1>
${showFilter(view)}
<ol id="rows" class="rows">${showRows(lines, frame.status)}</ol>
<div id="none">${lines.length > 0 ? '' : showNothing(view)}</div>
<p class="more">${earlier}${lines.length > 0 && next === null ? 'Nothing earlier is kept.' : ''}</p>`,
  );
}

function showFilter({ filter, day, departments, connections }: NowView): Html {
  const all = (label: string, values: readonly { readonly value: string; readonly label: string }[]) => [
    { value: '', label },
    ...values,
  ];
  const same = (value: string) => ({ value, label: value });
  return html`<form action="now" class="filter" data-sends>
${day === null ? '' : html`<input type="hidden" name="day" value="${day}">`}
${showSelect('type', 'Type', filter.type, TYPE_CHOICES)}
${showSelect(
  'department',
  'Department',
  filter.department,
  all(
    'All departments',
    departments.map(({ id, name }) => ({ value: id, label: name })),
  ),
)}
${connections.length > 1 ? showSelect('connection', 'Connection', filter.connection, all('All connections', connections.map(same))) : ''}
<label><input type="checkbox" name="late" value="yes" ${filter.late === undefined ? '' : 'checked'}> Late only</label>
<button>Show</button>${day === null ? '' : html` <a href="now">Back to now</a>`}
</form>`;
}

function showNothing({ filter, day }: NowView): Html {
  if (Object.values(filter).some((each) => each !== undefined))
    return showEmpty(
      'Nothing matches',
      html`No event that is kept is so. <a href="now">Show everything</a>.`,
    );
  if (day !== null) return showEmpty('Nothing happened', 'Of this day no event is kept.');
  return showEmpty(
    'Nothing has happened yet',
    'What is there when the notifier first looks is silent. The next clocking, approval or closing appears here by itself, within a minute.',
  );
}

const KINDS: Readonly<Record<FoundKind, string>> = {
  date: 'Day',
  person: 'Person',
  timesheet: 'Timesheet',
  period: 'Pay period',
  department: 'Department',
};

const FOUND = [{ name: 'Kind', kind: 'short' }, { name: 'Name' }, { name: 'Which' }] as const;

/** What a search found. */
export function showFound(text: string, found: readonly Found[], frame: Frame): Html {
  const rows = found.map(({ kind, title, note, to }) => [
    KINDS[kind],
    html`<a href="${to}">${title}</a>`,
    note,
  ]);
  return showPage(
    `Find ${text}`,
    { ...frame, search: text },
    html`<h1>${found.length === 0 ? 'Nothing found' : `Found for “${text}”`}</h1>
${found.length > 0 ? showTable('What was found', FOUND, rows) : showNotFound(text)}`,
  );
}

function showNotFound(text: string): Html {
  return showEmpty(
    'What can be found',
    html`A person by name or id, a day such as <i>tuesday</i> or <i>20 Nov</i>, a department, a pay period by its calendar,
a timesheet by its whole id. <a href="records/${encodeURIComponent(text)}">Look in the log</a> for an id that is not kept any more.`,
  );
}
