import { html } from 'hono/html';
import type { DeliveriesAnswer, DeliveryLine, DeliveryReceiver } from '#console/answers/deliveries.ts';
import type { DoctorAnswer, DoctorFinding } from '#console/answers/doctor.ts';
import { formatCount, formatNumber } from '#shared/people/messages/numbers.ts';
import { type Frame, showPage } from './layout.ts';
import { TYPE_CHOICES } from './now.ts';
import {
  copyable,
  type Html,
  type Reading,
  sayAge,
  showCommand,
  showEmpty,
  showMoment,
  showSelect,
  showTable,
  toAddress,
} from './parts.ts';
import { showByDay, showRow } from './rows.ts';
import { nameReceiver, OUTCOMES, sayAttempts, showOutcome } from './told.ts';

export interface DeliveriesView {
  readonly query: {
    readonly to?: string | undefined;
    readonly outcome?: string | undefined;
    readonly type?: string | undefined;
    readonly since: string;
  };
  readonly answer: DeliveriesAnswer;
  /** Null while it is examined. */
  readonly health: DoctorAnswer | null;
  /** Whether an event may be sent again from here. */
  readonly allowsWrites: boolean;
  /** One was just now. */
  readonly wasSent: boolean;
}

/** Whether all works, what became of events at their receivers, and each delivery. */
export function showDeliveries(view: DeliveriesView, frame: Frame): Html {
  const { answer, health, query, wasSent } = view;
  return showPage(
    'Deliveries',
    frame,
    html`<h1>Deliveries</h1>
${wasSent ? html`<p class="note" role="status">It was sent again. What the webhook answers is here when you load this page again.</p>` : ''}
<section aria-labelledby="health"><h2 id="health">Health</h2>${showHealth(health, frame)}</section>
<h2>Receivers <small>${SINCE.find(({ value }) => value === query.since)?.label ?? `since ${query.since}`}</small></h2>
${showReceivers(answer, query.since)}
<h2>What was sent</h2>
${showFilter(view)}
${answer.deliveries.length === 0 ? showNone(view) : html`<ol class="rows deliveries">${showByDay(answer.deliveries, frame.status, (each) => showDelivery(each, view, frame.status))}</ol>`}
${answer.total > answer.deliveries.length ? html`<p class="more">These are the newest ${formatNumber(answer.deliveries.length)} of ${formatNumber(answer.total)}. The command <code>deliveries</code> lists all.</p>` : ''}`,
  );
}

const SINCE = [
  { value: '24h', label: 'in the last 24 hours' },
  { value: '7d', label: 'in the last 7 days' },
  { value: '30d', label: 'in the last 30 days' },
] as const;

function showHealth(health: DoctorAnswer | null, { status }: Frame): Html {
  const again = html`<a href="deliveries?examine=again">Check again</a>`;
  if (health === null)
    return html`<p class="state">It is being checked, which takes some seconds. <a href="deliveries">See what was found</a>.</p>`;
  const { findings, checkedAt } = health;
  const of = (outcome: DoctorFinding['outcome']) => findings.filter((each) => each.outcome === outcome);
  const troubles = [...of('wrong'), ...of('warning')];
  const fine = of('ok');
  const age = sayAge(Date.parse(checkedAt), status);
  return html`<p class="state">${troubles.length === 0 ? 'Nothing is wrong.' : `${formatCount(troubles.length, 'thing')} to look at.`} Checked ${age}. ${again}</p>
${showFindings(troubles)}
<details><summary>${formatCount(fine.length, 'check')} ${fine.length === 1 ? 'is' : 'are'} fine</summary>${showFindings(fine)}</details>`;
}

const LEVELS = { ok: 'done', warning: 'watch', wrong: 'undone' } as const;

function showFindings(findings: readonly DoctorFinding[]): Html {
  return html`<ul class="findings">${findings.map(
    ({ about, outcome, says, mend }) => html`<li><i class="dot ${LEVELS[outcome]}"></i>
<div><p><b>${about}</b> ${says}</p>${mend === null ? '' : html`<p class="mend">${mend} ${mend.startsWith('npm ') ? copyable(mend) : ''}</p>`}</div></li>`,
  )}</ul>`;
}

function showReceivers({ receivers, queues }: DeliveriesAnswer, since: string): Html {
  const number = { kind: 'number' } as const;
  const columns = [
    { name: 'Receiver' },
    { name: 'Delivered', ...number },
    { name: 'Waiting', ...number },
    { name: 'Given up', ...number },
    { name: 'Not tried', ...number },
  ];
  const rows = receivers.map(({ label, kind, counts }) => [
    html`<a href="${toAddress('deliveries', { to: label, since })}">${kind === 'webhook' ? label : nameReceiver(label)}</a>`,
    ...[counts.delivered, counts.waiting, counts.failed, counts.untried].map((count) =>
      formatNumber(count ?? 0),
    ),
  ]);
  if (receivers.length === 0 && queues.length === 0)
    return showEmpty(
      'Nobody receives anything',
      html`Add <code>webhooks</code>, <code>queues</code> or <code>people.channels</code> to notifier.config.ts.`,
    );
  return html`${receivers.length === 0 ? '' : showTable('Receivers', columns, rows)}
${receivers.map(showReceiverNotes)}
${queues.length === 0 ? '' : html`<p class="state">What becomes of events in ${queues.join(', ')} is known to those who read these queues.</p>`}`;
}

/** What needs somebody. */
function showReceiverNotes({ label, disabled, counts, resendCommand }: DeliveryReceiver): Html {
  return html`${disabled === null ? '' : html`<p class="doubt">${label} is disabled: it ${disabled}.</p>`}
${(counts.failed ?? 0) > 0 && resendCommand !== null ? html`<p class="state">Sends to ${label} again what was given up:</p>${showCommand(resendCommand)}` : ''}`;
}

function showFilter({ query, answer }: DeliveriesView): Html {
  const all = (label: string) => ({ value: '', label });
  const receivers = answer.receivers.map(({ label }) => ({ value: label, label: nameReceiver(label) }));
  const outcomes = (['delivered', 'waiting', 'failed', 'untried'] as const).map((value) => ({
    value,
    label: OUTCOMES[value],
  }));
  return html`<form action="deliveries" class="filter" data-sends>
${showSelect('to', 'Receiver', query.to, [all('All receivers'), ...receivers])}
${showSelect('outcome', 'Outcome', query.outcome, [all('All outcomes'), ...outcomes])}
${showSelect('type', 'Type', query.type, TYPE_CHOICES)}
${showSelect('since', 'Since', query.since, SINCE)}
<button>Show</button></form>`;
}

function showNone({ query }: DeliveriesView): Html {
  const isFiltered = query.to !== undefined || query.outcome !== undefined || query.type !== undefined;
  if (isFiltered)
    return showEmpty('Nothing matches', html`<a href="deliveries">Show everything of the last day</a>.`);
  return showEmpty('Nothing was sent', 'Of this time no event was for a webhook or a channel.');
}

function showDelivery(delivery: DeliveryLine, view: DeliveriesView, reading: Reading): Html {
  const { receiver, outcome, nextAt } = delivery;
  const next =
    outcome === 'waiting' && nextAt !== null ? html`, next try ${showMoment(nextAt, reading)}` : '';
  const attempts = outcome === 'delivered' ? '' : html`<small>${sayAttempts(delivery).trim()}${next}</small>`;
  const name = nameReceiver(receiver);
  return showRow(
    delivery,
    reading,
    html`${name} ${showOutcome(outcome)} ${attempts}${showSending(delivery, view)}`,
  );
}

/** Sends it to its webhook again. */
function showSending(delivery: DeliveryLine, { allowsWrites, answer }: DeliveriesView): Html | '' {
  const { id, connection, committedAt, receiver, outcome } = delivery;
  const isWebhook = answer.receivers.some(({ label, kind }) => label === receiver && kind === 'webhook');
  if (!allowsWrites || !isWebhook || outcome !== 'failed') return '';
  const fields = Object.entries({ id, connection, committedAt, receiver });
  return html`<form method="post" action="resend">${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>Send again</button></form>`;
}
