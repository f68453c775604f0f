import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAnnouncement } from '#local/aws/engines/announcement.ts';
import { checkDeliveries } from '#shared/operator/doctor/delivery-checks.ts';
import type { Target } from '#shared/operator/target.ts';

describe('a run with --output ndjson, which delivers no alerts', () => {
  const deliveries = (values: Partial<Target>) =>
    checkDeliveries({
      config: {
        people: { channels: [{ kind: 'slack', name: 'payroll', secretName: 'notifier/slack/payroll' }] },
        webhooks: [],
      },
      connections: [],
      readSecret: () => async () => '',
      ...values,
    } as unknown as Target);

  test('has no address of a Slack channel, and nothing is wrong with that', async () => {
    expect(await deliveries({ tellsPeople: false })).toEqual([
      { about: 'slack payroll', outcome: 'ok', says: 'this run delivers no alerts; they wait' },
    ]);
  });

  test('differs from a run that delivers alerts and has no address', async () => {
    expect(await deliveries({ tellsPeople: true })).toMatchObject([{ outcome: 'wrong' }]);
    expect(await deliveries({})).toMatchObject([{ outcome: 'wrong' }]);
  });
});

describe('a machine that did not announce whether it delivers alerts', () => {
  let path: string;
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'machine-'));
  });
  afterEach(() => {
    rmSync(path, { recursive: true, force: true });
  });

  test('delivers them', () => {
    const connection = { name: 'main', baseUrl: 'http://127.0.0.1:1', timeZone: 'UTC', secretName: 'main' };
    const endpoints = { dynamoDb: '', messaging: '', secretsManager: '', accessKeyId: '' };
    writeFileSync(
      join(path, 'machine.json'),
      JSON.stringify({ endpoints, assembly: '', clock: null, connection }),
    );

    expect(readAnnouncement(path)).toMatchObject({ tellsPeople: true });
  });
});
