import { beforeEach, describe, expect, it } from 'vitest';
import type { Scene } from '#local/source/scenes.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { DAY_MS, MINUTE_MS, MORNING, makeSource, type SourceUnderTest } from './support.ts';

let source: SourceUnderTest;
beforeEach(() => {
  // Friday, 13:00: the week that ended on Wednesday is closed. Only staged changes happen.
  source = makeSource({ speed: 0, startsAt: MORNING + DAY_MS + 315 * MINUTE_MS });
});

describe('the staged', () => {
  it('late change gives a paid timesheet of the last closed period an hour more', async () => {
    const period = findLastClosed();
    const { body } = await stage('late-change');
    const [id = ''] = body.records;
    const changed = source.service.company.timesheet(id) as Timesheet;
    expect(changed.date >= period.startDate && changed.date <= period.finishDate).toBe(true);
    expect(changed.processed).not.toBeNull();
    expect(body.says).toBe(
      `timesheet ${id} of ${changed.date}, ${changed.hoursToPay - 1} to ${changed.hoursToPay} h, after pay period ${period.id} (Weekly, ${period.startDate} to ${period.finishDate}) was closed`,
    );
  });

  it('reopening opens the last closed period, and the next one the one before', async () => {
    const period = findLastClosed();
    expect((await stage('reopen')).body).toMatchObject({
      says: expect.stringContaining('reopened'),
      records: [period.id],
    });
    expect((await source.get(`/payperiods/${period.id}`)).body).toMatchObject({ closed: null });
    expect((await stage('reopen')).body.records).not.toEqual([period.id]);
  });

  it('bulk approval approves ten or more at once, until nothing is left', async () => {
    const { body } = await stage('bulk-approve');
    expect(body.records.length).toBeGreaterThanOrEqual(10);
    const stamps = body.records.map((id: string) => source.service.company.timesheet(id)?.approvedHours);
    expect(new Set(stamps)).toEqual(new Set([new Date(source.service.company.now()).toISOString()]));
    for (let again = 0; again < 3; again += 1) await stage('bulk-approve');
    expect(await stage('bulk-approve')).toMatchObject({
      status: 409,
      body: { message: 'every timesheet up to tomorrow is approved; try again tomorrow' },
    });
  });

  it('outage answers 503 for its minutes, and leaves control alone', async () => {
    expect((await stage('source-outage', { minutes: 20 })).body.says).toMatch(/503 until .*Z, for 20 min$/);
    expect((await source.get('/timesheets')).status).toBe(503);
    await source.send('POST', '/control/clock', { advanceMinutes: 19 });
    expect((await source.get('/payperiods')).status).toBe(503);
    await source.send('POST', '/control/clock', { advanceMinutes: 1 });
    expect((await source.get('/payperiods')).status).toBe(200);
  });

  it('company says why it cannot', async () => {
    for (const { id, closed } of source.service.company.payPeriods()) {
      if (closed !== null) await source.send('POST', '/control/changes', { change: 'reopen-pay-period', id });
    }
    for (const scene of ['late-change', 'reopen'] as const) {
      expect(await stage(scene)).toMatchObject({
        status: 409,
        body: { message: expect.stringMatching(/^no pay period is closed.*; the next pay run closes one$/) },
      });
    }
  });

  it.each([[{ scene: 'fire' }], [{ scene: 'reopen', minutes: 0 }]])('%j is refused', async (request) => {
    expect((await source.send('POST', '/control/stage', request)).status).toBe(400);
  });
});

function stage(scene: Scene, more: object = {}) {
  return source.send('POST', '/control/stage', { scene, ...more });
}

function findLastClosed(): PayPeriod {
  const closed = source.service.company.payPeriods().filter((period) => period.closed !== null);
  return closed.toSorted((a, b) => (a.finishDate < b.finishDate ? 1 : -1))[0] as PayPeriod;
}
