import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { serveOnLoopback } from '#local/loopback-server.ts';
import type { Commands } from '../command.ts';
import type { Arrivals } from '../notifiers/notifier.ts';
import { expectEqual, expectNoGaps, expectSame, parseEvent } from './expectations.ts';
import { ALL } from './living.ts';
import type { Operator } from './operator.ts';

type Reader = Readonly<Operator>;

const SINCE = ['--since', '5d'];
const MOMENTS = ['closed', 'recounted', 'reopened', 'settled'];

/** What a pay period was told as, as its events say it. */
export async function checkPeriod({ arrived }: Reader, commands: Commands): Promise<string> {
  const subject = findClosed(arrived);
  const text = await commands.notifier(['period', subject, '--connection', 'main', '--json']);
  const { told } = JSON.parse(text) as { told: { moment: string; account: unknown }[] };
  const published = [...new Set(arrived.get(ALL) ?? [])].flatMap((event) =>
    MOMENTS.flatMap((moment) =>
      isOf(event, `pay_period.${moment}`, subject)
        ? [`${moment} ${toCanonicalJson(readData(event).account)}`]
        : [],
    ),
  );
  expectSame(
    told.map(({ moment, account }) => `${moment} ${toCanonicalJson(account)}`),
    published,
    'moments of a pay period',
  );
  return `${told.length} moments of pay period ${subject}`;
}

/** A payer that has nothing gets what it misses, and then has everything. */
export async function checkComparison(reader: Reader, commands: Commands): Promise<string> {
  const { aws, arrived, deployed } = reader;
  const paid = join(aws.folder, 'paid.ndjson');
  const options = ['period', findClosed(arrived), '--connection', 'main', '--compare', paid];
  writeFileSync(paid, '');
  const before = await commands.tryNotifier([...options, '--json']);
  expectEqual(before.code, 1, 'exit code of a comparison when everything is missing');
  const { missing } = JSON.parse(before.stdout) as { missing: unknown[] };
  await commands.notifier(['send', '--state', '--period', findClosed(arrived), '--to', 'archive', '--yes']);
  await deployed.settle();
  const sent = (await deployed.take()).get('webhook archive') ?? [];
  const snapshots = sent.filter(
    (text) => isOf(text, 'timesheet.snapshot') && parseEvent(text).connection === 'main',
  );
  writeFileSync(paid, [...new Set(snapshots)].map(toPaid).join('\n'));
  const after = await commands.tryNotifier([...options, '--json']);
  expectEqual(after.code, 0, 'exit code of a comparison after that');
  return `${missing.length} approved timesheets missing, sent, and equal`;
}

export async function checkDeliveries({ arrived }: Reader, commands: Commands): Promise<string> {
  const options = ['deliveries', '--to', 'archive', ...SINCE, '--json'];
  const lines = (await commands.notifier(options)).split('\n').filter((line) => line !== '');
  const listed = lines.map((line) => JSON.parse(line) as { eventId: string; outcome: string });
  const others = listed.filter(({ outcome }) => outcome !== 'delivered');
  expectEqual(others.map(({ outcome }) => outcome).join(), '', 'outcomes but delivered');
  const ids = (arrived.get('webhook archive') ?? []).map((text) => parseEvent(text).id);
  expectSame(
    listed.map(({ eventId }) => eventId),
    ids,
    'deliveries to a webhook',
  );
  return `${listed.length} events at a webhook`;
}

/** It ends as soon as the receiver, which has all, wants no more. */
export async function checkForwarding({ arrived }: Reader, commands: Commands): Promise<string> {
  const all = (arrived.get(ALL) ?? []).filter((text) => /"workforce\.timesheet\./.test(text));
  const expected = new Set(all).size;
  const got: string[] = [];
  const receiver = await serveOnLoopback(async (request, response) => {
    got.push(await text(request));
    response.writeHead(got.length < expected ? 204 : 410).end();
  });
  const environment = { WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 'k').toString('base64')}` };
  try {
    const to = ['--forward', `http://127.0.0.1:${receiver.port}/hook`];
    const args = ['test', ...to, '--type', 'timesheet.*', ...SINCE];
    const { code } = await commands.with({ environment }).tryNotifier(args);
    expectEqual(code, 1, 'the exit code after a receiver wants no more');
  } finally {
    await receiver.stop();
  }
  expectSame(got, all, 'test --forward');
  expectNoGaps(got, 'test --forward');
  return `${got.length} events of timesheets, each once`;
}

/** A pay period of main that was closed. */
function findClosed(arrived: Arrivals): string {
  const closed = (arrived.get(ALL) ?? []).filter((text) => isOf(text, 'pay_period.closed'));
  const found = closed.map(parseEvent).find(({ connection }) => connection === 'main');
  if (found === undefined) throw new Error('no pay period of main was closed');
  return found.subject;
}

function isOf(text: string, wanted: string, record?: string): boolean {
  const { type, subject, connection } = parseEvent(text);
  if (type !== `workforce.${wanted}`) return false;
  return record === undefined || (subject === record && connection === 'main');
}

function readData(text: string): Readonly<Record<string, unknown>> {
  return (JSON.parse(text) as { data: Record<string, unknown> }).data;
}

/** What a payer pays by a snapshot. */
function toPaid(text: string): string {
  const { subject, data } = JSON.parse(text) as {
    readonly subject: string;
    readonly data: {
      readonly current: { readonly approvedHours: string | null; readonly hoursToPay: number };
    };
  };
  const { approvedHours, hoursToPay } = data.current;
  return JSON.stringify({ timesheetId: subject, hours: approvedHours === null ? 0 : hoursToPay });
}

/** With the members of objects in the order of their names. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
