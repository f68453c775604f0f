import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { openReceivedIds, startReceivers } from '#local/receivers/server.ts';
import { readEntry } from '#local/run/terminal/entry.ts';
import { layOutEntry } from '#local/run/terminal/lay-out.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import { receivedText } from '#test/support/received-text.ts';
import { findShownCode, listEntries } from './documents.ts';

/** A visitor reads it before deciding. */
const MAX_LINES = 115;

describe('the README', () => {
  it('is short, and shows how an event is read', () => {
    expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThanOrEqual(MAX_LINES);
    expect(findShownCode('README.md').taken).toHaveLength(1);
  });

  it('says what it costs as it was computed', () => {
    const said = readFileSync('README.md', 'utf8').match(/\$\d+\.\d\d/g) ?? [];
    const [table = ''] = /^\| Employees [\s\S]*?\n\n/m.exec(readFileSync('docs/cost.md', 'utf8')) ?? [];
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((amount) => !table.includes(` ${amount} `))).toEqual([]);
  });

  it('shows what npm start prints of an event, and of a system that got it, signed', async () => {
    const readme = readFileSync('README.md', 'utf8');
    const at = Date.parse('2026-11-20T08:14:00Z');
    const names = { ...NO_NAMES, employees: new Map([['1029_1', 'Ellis Example 29']]) };
    const entry = readEntry(APPROVED, { now: at, timeZone: 'UTC', names });
    const [line] = layOutEntry(entry, { columns: 80, colour: false, messageRows: 3 });
    // What the sentence says is not of this test.
    const [name, rest] = [line?.text.split(': ')[0], line?.text.slice(-10)];
    expect(readme).toMatch(new RegExp(`\\n    ${name}: .*${rest}\\n`));
    expect(readme).toContain(`\n          → ${await receiveWebhook(JSON.parse(APPROVED))}\n`);
  });
});

const APPROVED = JSON.stringify({
  ...{ specversion: '1.0', id: 'e-1', source: '/connections/main/timesheets', connection: 'main' },
  ...{ type: 'workforce.timesheet.approved', subject: '101133_1', time: '2026-11-20T08:14:00Z', sequence: 1 },
  data: {
    ...{ timesheetId: '101133_1', employeeId: '1029_1', departmentId: '203_1', organisationId: null },
    current: { date: '2026-11-19', approvedHours: '2026-11-20T08:13:30Z', hoursToPay: 7.5 },
    previous: { approvedHours: null },
    ...{ changed: ['approvedHours'], occurredAt: '2026-11-20T08:13:30Z', collapsed: false, late: [] },
    observed: { after: '2026-11-20T08:13:00Z', by: '2026-11-20T08:14:00Z' },
  },
});

/** What is printed of an event when the payroll system of the sample company gets it, signed. */
async function receiveWebhook(event: object): Promise<string> {
  const secret = `whsec_${Buffer.alloc(24, 'readme').toString('base64')}`;
  const received = openReceivedIds(join(createTemporaryFolder('received'), 'received.db'));
  const printed: string[] = [];
  const show = async (got: Receipt) => void printed.push(receivedText(got));
  const receivers = await startReceivers({ secretOf: () => secret, received, show });
  const body = JSON.stringify(event);
  const timestamp = new Date();
  const headers = {
    'webhook-id': 'e-1',
    'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('e-1', timestamp, body),
  };
  const response = await fetch(receivers.webhookAddress('payroll-system'), { method: 'POST', body, headers });
  await receivers.stop();
  received.close();
  expect(response.status).toBe(204);
  return printed.join('\n');
}

describe('CONTRIBUTING', () => {
  const tables = readFileSync('CONTRIBUTING.md', 'utf8').split(/^## /m);
  const namedIn = (heading: string) => {
    const section = tables.find((each) => each.startsWith(`${heading}\n`)) ?? '';
    const cells = [...section.matchAll(/^\| (?<cell>[^|]*) \|/gm)].map(({ groups }) => groups?.cell ?? '');
    return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  };

  it('has every entry of the repository in its first table', () => {
    const entries = listEntries().filter((entry) => !entry.startsWith('.'));
    const named = namedIn('What lies where');
    expect(entries.filter((entry) => !named.includes(entry))).toEqual([]);
    expect(entries.length).toBeGreaterThan(15);
  });

  it('has a line for every command of package.json, and for no other', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const named = namedIn('Commands').filter((name) => name !== 'npm run');
    expect(named.toSorted()).toEqual(Object.keys(scripts).toSorted());
  });

  it('gives the reason of every direct dependency', () => {
    const text = readFileSync('CONTRIBUTING.md', 'utf8');
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
      readFileSync('package.json', 'utf8'),
    ) as Record<string, Record<string, string>>;
    const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const isNamed = (name: string) =>
      text.includes(`\`${name}\``) || text.includes(`\`${name.split('/')[1]}\``);
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(20);
  });
});
