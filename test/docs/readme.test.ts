import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { openReceivedIds, startReceivers } from '#local/receivers/server.ts';
import { formatEventLine } from '#shared/terminal/event-line.ts';
import { formatMessage, type ReceivedMessage } from '#shared/terminal/format-message.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
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
    const [table = ''] = /cost:begin[\s\S]*cost:end/.exec(readFileSync('docs/cost.md', 'utf8')) ?? [];
    expect(said.length).toBeGreaterThan(0);
    expect(said.filter((amount) => !table.includes(` ${amount} `))).toEqual([]);
  });

  it.each([
    ['timesheet.clocked_in', { id: '101206_1', employee: '1019_1', date: '2026-11-20', field: 'clockIn' }],
    [
      'timesheet.approved',
      { id: '101130_1', employee: '1013_1', date: '2026-11-19', field: 'approvedHours' },
    ],
  ])('shows %s as npm start prints it', (type, { id, employee, date, field }) => {
    const shown = readFileSync('README.md', 'utf8').split('\n');
    const [line = ''] = shown.filter((text) => text.includes(`  ${type} `));
    const at = `${line.trim().slice(0, 19).replace(' ', 'T')}Z`;
    const text = JSON.stringify({
      ...{ type: `workforce.${type}`, time: at },
      subject: id,
      data: {
        employeeId: employee,
        ...{ occurredAt: at, observed: { after: null, by: at }, late: [], changed: [field] },
        ...{ previous: { [field]: null }, current: { date, [field]: at } },
      },
    });
    expect(line.replaceAll(/ +/g, ' ').trim()).toBe(formatEventLine(text, 'UTC').replaceAll(/ +/g, ' '));
  });

  it('shows a signed webhook about the event before it, as npm start prints it', async () => {
    const shown = readFileSync('README.md', 'utf8').split('\n');
    const at = shown.findIndex((text) => text.includes('| verified '));
    const [, , type = '', subject = ''] = shown[at - 1]?.trim().split(/ +/) ?? [];
    expect(`    ${await receiveWebhook({ type: `workforce.${type}`, subject })}`).toBe(shown[at]);
  });
});

/** What is printed of an event when the payroll system of the sample company gets it, signed. */
async function receiveWebhook(event: { readonly type: string; readonly subject: string }): Promise<string> {
  const secret = `whsec_${Buffer.alloc(24, 'readme').toString('base64')}`;
  const received = openReceivedIds(join(createTemporaryFolder('received'), 'received.db'));
  const printed: string[] = [];
  const show = async (message: ReceivedMessage) => void printed.push(formatMessage(message, false));
  const receivers = await startReceivers({ secretOf: () => secret, received, show });
  const body = JSON.stringify({ id: 'e-1', sequence: 1, data: {}, ...event });
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
