import { expect } from 'vitest';
import { markEnabled } from '#shared/systems/disabled-webhook.ts';
import { eventText, idOf, WebhookWorld } from '#test/support/webhook-world.ts';

const UNITS: Readonly<Record<string, number>> = { min: 60_000, h: 3_600_000, d: 86_400_000 };

/** Events that a filter may leave out. */
const KINDS: Readonly<Record<string, object>> = {
  approved: { type: 'workforce.timesheet.approved' },
  elsewhere: { data: { organisationId: '99_1', late: [] } },
  closing: { source: '/connections/main/pay-periods', type: 'workforce.pay_period.closed' },
};

/**
 * Plays steps, apart by `; `: `send r1/1` an event by record and sequence, which may be `again` or of a kind above; `answer
 * 503`; `at new`, an address of the config; `enable` by a person; `redrive` of the dead letters; `run`, also for some time, with
 * all that comes of it: requests that were refused, events that were taken or are dead, and what is told.
 */
export async function play(script: string, world = new WebhookWorld()): Promise<WebhookWorld> {
  for (const step of script.split('; ')) await runStep(step, world);
  const ids = world.published.map(({ text }) => JSON.parse(text).id);
  expect(new Set(ids).size).toBe(ids.length);
  return world;
}

async function runStep(step: string, world: WebhookWorld): Promise<void> {
  const [verb = '', first = '', ...others] = step.split(' ');
  if (verb === 'send') {
    const [record = '', sequence] = first.split('/');
    const changes = others.map((word) => KINDS[word] ?? {});
    const text = eventText(record, Number(sequence), Object.assign({}, ...changes));
    world.publish(text, { sentAgain: others.includes('again') });
  } else if (verb === 'answer') world.endpoint = () => (/^\d+$/.test(first) ? Number(first) : first);
  else if (verb === 'at') world.webhook = { ...world.webhook, url: `https://payroll.acme.example/${first}` };
  else if (verb === 'enable') await enable(world);
  else if (verb === 'redrive') for (const { body } of world.dead.splice(0)) world.publish(body);
  else await runWorld(step, world);
}

async function enable({ stateStore, now }: WebhookWorld): Promise<void> {
  const disabled = await stateStore.loadDisabled('payroll');
  if (disabled === null) throw new Error('it is not disabled');
  await stateStore.saveDisabled('payroll', markEnabled(disabled, now));
}

async function runWorld(step: string, world: WebhookWorld): Promise<void> {
  const [, count, unit = '', news] = /^run(?: (\d+)(min|h|d))?(?: (.*))?$/.exec(step) ?? [];
  const { arrivals, taken, dead, published } = world;
  const before = [arrivals.length - taken.length, taken.length, dead.length, published.length] as const;
  await world.run(count === undefined ? undefined : world.now + Number(count) * (UNITS[unit] ?? Number.NaN));
  const refused = arrivals.length - world.taken.length - before[0];
  const parts = [
    refused === 0 ? [] : ['refused', refused],
    ['took', ...world.taken.slice(before[1]).map(nameOf)],
    ['dead', ...dead.slice(before[2]).map(({ body }) => nameOf(JSON.parse(JSON.parse(body).event).id))],
    ...published.slice(before[3]).map(({ type, subject }) => [type.split('.')[2], nameOf(subject)]),
  ];
  const found = parts.filter(({ length }) => length > 1).map((part) => part.join(' '));
  expect(found.join(', '), step).toBe(news ?? '');
}

/** `r1/1` for the id of that event. */
function nameOf(id: string): string {
  const names = ['r1', 'r2', 'r3', 'r4', 'r5'].flatMap((record) =>
    [0, 1, 2].map((n) => [record, n] as const),
  );
  const [record, sequence] = names.find(([name, n]) => idOf(name, n) === id) ?? [];
  return record === undefined ? id : `${record}/${sequence}`;
}
