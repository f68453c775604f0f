import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ConsoleContext } from '#console/server/context.ts';
import { readDeliveries } from '#console/server/deliveries/read-deliveries.ts';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import { findRecord } from '#shared/operator/find-record.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { HOSTILE } from './fake-log.ts';
import { findTold, type SeededCompany, startSeededCompany } from './seeded-company.ts';
import { enter, eventsOf, toText, type Visitor } from './visitor.ts';

const FINDINGS = [
  { about: 'config', outcome: 'ok', says: 'is valid' },
  { about: 'main timesheets', outcome: 'warning', says: 'are an hour old' },
  { about: 'webhook a', outcome: 'wrong', says: 'takes nothing', mend: 'look at it' },
] as const;

let seeded: SeededCompany;
const running: RunningConsole[] = [];

beforeAll(async () => {
  seeded = await startSeededCompany();
  // Until people have clocked in, hours are approved and a pay period has closed.
  await seeded.live(240, 20);
});

afterAll(async () => {
  for (const each of running) await each.stop();
  await seeded.stop();
});

async function visit(values: Partial<ConsoleContext> = {}): Promise<Visitor> {
  const context = { ...seeded.context, examine: async () => FINDINGS, ...values };
  const opened = await startConsole({ open: async () => context, port: 0 });
  running.push(opened);
  return await enter(opened.address);
}

function findClosed() {
  return seeded.company.payPeriods().findLast(({ closed }) => closed !== null);
}

describe('pay periods', () => {
  test('begin with whether to pay, under the calendar and the dates', async () => {
    const page = await (await visit()).read('periods');
    const sentences = [...page.matchAll(/class="verdict [^"]*">([^<]*)</g)].map(([, text]) => text);
    expect(sentences.length).toBeGreaterThan(1);
    for (const sentence of sentences) expect(sentence).toMatch(/^(?:Pay [\d,.]+ h|Not yet|Nothing to pay)/);
    expect(toText(page)).toMatch(/Weekly \d+-\d+ Nov 90\d\d_1/);
    expect(page).not.toMatch(/left over/i);
  });

  test('name what is not approved until they close, and what is left over afterwards', async () => {
    const visitor = await visit();
    const open = seeded.company.payPeriods().find(({ closed }) => closed === null);
    const [before, after] = await Promise.all(
      [open, findClosed()].map((each) => visitor.read(`periods/${each?.id}`)),
    );
    expect(toText(before ?? '')).toContain('Not approved yet');
    expect(before).not.toMatch(/left over/i);
    expect(toText(after ?? '')).toContain('Left over');
  });

  test('that are not stored say so', async () => {
    const missing = await (await visit()).get('periods/404_1');
    expect([missing.status, await missing.text()]).toEqual([400, expect.stringContaining('404_1')]);
  });
});

describe('a record', () => {
  test('says what happened and who was told; how that is known is folded', async () => {
    const record = findTold(seeded.harness);
    const [found] = await findRecord({ record, since: '90d' }, seeded.target);
    const chapters = found?.chapters ?? [];
    const page = await (await visit()).read(`records/${record}`);
    expect(eventsOf(page)).toEqual(chapters.map(({ event }) => event.id).reverse());
    expect(page.match(/How it is known/g)).toHaveLength(chapters.length);
    const shown = page.replaceAll(/<details>.*?<\/details>/gs, '');
    const { names } = await seeded.context.knowledge.load('main');
    expect(toText(shown)).toContain(names.employees.get(String(found?.state?.employeeId)));
    const delivered = chapters
      .flatMap(({ deliveries }) => deliveries)
      .filter(({ outcome }) => outcome === 'delivered');
    expect(delivered.length).toBeGreaterThan(0);
    expect(shown.match(/<b>payroll-system<\/b> <span[^>]*>accepted/g)).toHaveLength(delivered.length);
    for (const technical of ['observed', 'workforce.timesheet', 'npm run', chapters[0]?.event.id])
      expect(toText(shown)).not.toContain(technical);
    expect(page).toContain(`Copy all of it as JSON`);
  });

  test('that nothing is known of says what would make it known', async () => {
    expect(toText(await (await visit()).read('records/none'))).toContain('A timesheet appears when');
  });
});

test('a person has the timesheets of these weeks, and each change of any, newest first, with who was told', async () => {
  const event = seeded.harness.published.find(({ subject }) => subject === findTold(seeded.harness));
  const { employeeId } = (event?.data ?? {}) as { readonly employeeId?: string };
  const page = await (await visit()).read(`people/main/${employeeId}`);
  const own = seeded.harness.published.filter(
    ({ data }) => 'employeeId' in data && data.employeeId === employeeId,
  );
  expect(new Set(eventsOf(page))).toEqual(new Set(own.map(({ id }) => id)));
  const times = eventsOf(page).map((id) => own.find((each) => each.id === id)?.time ?? '');
  expect(times).toEqual(times.toSorted().reverse());
  const sheets = [...seeded.harness.timesheets.values()].filter((each) => each.employeeId === employeeId);
  expect(sheets.filter(({ id }) => page.includes(`records/${id}?`)).length).toBeGreaterThan(3);
  expect(page).toContain('<b>payroll-system</b>');
});

describe('deliveries', () => {
  test('begin with what the doctor finds, what is wrong first and what is fine folded', async () => {
    const page = await (await visit()).read('deliveries');
    const health = page.slice(page.indexOf('Health'), page.indexOf('Receivers'));
    const [shown = '', folded = ''] = health.split('<details>');
    expect(toText(shown)).toMatch(/webhook a takes nothing.*look at it.*main timesheets are an hour old/);
    expect(toText(folded)).toContain('config is valid');
  });

  test('do not wait for checks that take long, and have their findings afterwards', async () => {
    const checked = Promise.withResolvers<typeof FINDINGS>();
    const examine = vi.fn(() => checked.promise);
    const visitor = await visit({ examine });
    const page = await visitor.read('deliveries?examine=again');
    const [, address = ''] = /<a href="([^"]*)">See what was found/.exec(page) ?? [];
    checked.resolve(FINDINGS);
    expect(toText(await visitor.read(address))).toContain('webhook a takes nothing');
    expect(examine).toHaveBeenCalledOnce();
  });

  test('are in the columns of what happens, with what became of each', async () => {
    const { deliveries } = await readDeliveries({ outcome: 'failed' }, seeded.context);
    const page = await (await visit()).read('deliveries?outcome=failed');
    expect(eventsOf(page)).toEqual(deliveries.map(({ id }) => id));
    expect(deliveries.length).toBeGreaterThan(0);
    expect(page).toContain('data-day="2026-11-20"');
    const text = toText(page.slice(page.indexOf('What was sent')));
    expect(text).toContain(`${deliveries[0]?.employee ?? deliveries[0]?.period}`);
    expect(text).toContain('given up');
    expect(text).toContain('after 4 attempts: 503, 503, no answer in time, 503');
  });

  test('of what was given up are sent again, byte for byte', async () => {
    const [wanted] = (await readDeliveries({ outcome: 'failed' }, seeded.context)).deliveries;
    const visitor = await visit();
    const page = await visitor.read('deliveries?outcome=failed');
    const form = /<form method="post" action="resend">(.*?)<\/form>/s.exec(page)?.[1] ?? '';
    const fields = Object.fromEntries(
      [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ) as Record<string, string>;
    expect(fields.id).toBe(wanted?.id);
    const answer = await visitor.post('resend', fields, new URL(visitor.place).origin);
    expect(answer.status).toBe(303);
    const [sent] = seeded.sent;
    expect(sent?.queue).toBe('queues/webhook-payroll-system/url');
    expect(JSON.parse(sent?.text ?? '')).toMatchObject({ id: wanted?.id });
    const after = await visitor.read(answer.headers.get('location')?.replace(/^\/~[^/]*\//, '') ?? '');
    expect(toText(after)).toContain('It was sent again');
    const onlyReading = await (await visit({ allowsWrites: false })).read('deliveries?outcome=failed');
    expect(onlyReading).not.toContain('action="resend"');
  });
});

test('finding lists what a text may mean, and leads to the one thing that it means', async () => {
  const visitor = await visit();
  expect(await visitor.read('find?q=tuesday')).toContain('href="now?day=2026-11-17"');
  const record = findTold(seeded.harness);
  const only = await visitor.get(`find?q=${record}`);
  const location = only.headers.get('location');
  expect([only.status, location]).toEqual([303, expect.stringContaining(`/records/${record}?`)]);
  expect(toText(await visitor.read('find?q=nobody'))).toContain('Nothing found');
});

test('a folder on which nothing runs says so, and shows what was stored', async () => {
  const visitor = await visit({ target: { ...seeded.target, isStopped: true } });
  const page = await visitor.read('now');
  expect(toText(page)).toMatch(/The run has ended\. This is what it stored until Fri 20 Nov \d\d:\d\d\./);
  expect(eventsOf(page).length).toBeGreaterThan(20);
});

test('what the source says stays text, wherever it is shown', async () => {
  const known = await seeded.context.knowledge.load('main');
  const names = {
    ...NO_NAMES,
    employees: new Map([...known.names.employees.keys()].map((id) => [id, HOSTILE])),
    departments: new Map([...known.names.departments.keys()].map((id) => [id, HOSTILE])),
  };
  const hostile = {
    ...known,
    names,
    payPeriods: known.payPeriods.map((each) => ({ ...each, calendar: HOSTILE })),
  };
  const visitor = await visit({ knowledge: { load: async () => hostile, loadAll: async () => [hostile] } });
  const [id = ''] = known.names.employees.keys();
  const paths = ['now', 'periods', `periods/${findClosed()?.id}`, `people/main/${id}`, 'deliveries'];
  for (const path of [
    ...paths,
    `records/${findTold(seeded.harness)}`,
    `find?q=${encodeURIComponent(HOSTILE)}`,
  ]) {
    const page = await visitor.read(path);
    expect(page, path).not.toMatch(/<img|<script(?! type="module" src="\/page\.js")/);
    if (path !== 'periods') expect(toText(page), path).toContain('<img src=x');
  }
});

test('no page says the source, which is no word of those who read it', () => {
  const files = ['layout', 'now', 'periods', 'record', 'person', 'deliveries', 'told', 'rows'];
  for (const file of files) {
    const text = readFileSync(`console/pages/${file}.ts`, 'utf8').replaceAll(
      /\/\*\*.*?\*\/|\/\/[^\n]*/gs,
      '',
    );
    expect(text, file).not.toMatch(/\bthe source\b/i);
  }
});
