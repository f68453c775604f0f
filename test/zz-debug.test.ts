import { test } from 'vitest';
import { runHistory } from '#test/simulation/history.ts';
import { judge } from '#test/simulation/oracle/judge.ts';
test('x', async () => {
  const [seed, subject] = [Number(process.env.SEED), process.env.SUBJECT ?? ''];
  const lines: string[] = [];
  const h = await runHistory(seed, { name: 'dbg', start: () => (ports) => ({ ...ports, store: new Proxy(ports.store, { get: (t: any, n: any, r: any) => n !== 'commit' ? Reflect.get(t, n, r) : async (...a: any[]) => { for (const x of a[1].heads) if (x.feed + '#' + x.slice === process.env.SLICE) lines.push(`HEAD ${new Date(ports.clock.now()).toISOString()} ${JSON.stringify({ ...x, buckets: x.buckets.map((b: any) => b.count).join() })}`); return await t.commit(...a); } }) }) });
  lines.push(JSON.stringify(h.settings.renewal), JSON.stringify(h.settings.connection.timeZone), JSON.stringify(h.settings.guards));
  for (const v of judge(h).violations) lines.push(`WRONG ${v.about}: ${v.text}`);
  for (const p of h.journal.polls) lines.push(`poll ${p.number} start ${new Date(p.startedAt).toISOString()} end ${p.endedAt && new Date(p.endedAt).toISOString()} skew ${p.skew} table ${p.table} fail ${p.failure?.message ?? ''} ${JSON.stringify(p.report?.outcome)} ${JSON.stringify(p.report?.reasons)}`);
  for (const c of h.journal.committed) for (const t of c.texts) { const e = JSON.parse(t); if (e.subject === subject || e.type.includes('baseline') ) lines.push(`commit poll ${c.poll} at ${new Date(c.at).toISOString()} table ${c.table} ${t}`); }
  for (const c of h.journal.publications) { const e = JSON.parse(c.text); if (e.subject === subject) lines.push(`publ ${JSON.stringify({ ...c, text: undefined })} ${c.text}`); }
  for (const feed of ['timesheets', 'pay-periods', 'employees', 'departments'] as const) {
    const t = h.world.truth[feed].get(subject);
    if (t) lines.push(...t.versions.map((v: any, i: number) => `${feed} v${i} ${new Date(v.at).toISOString()} ${JSON.stringify(v.record && { date: v.record.date, app: v.record.approvedHours, h: v.record.hoursToPay, p: v.record.processed, ci: v.record.clockIn?.localTime, cal: v.record.calendar, s: v.record.startDate, f: v.record.finishDate, c: v.record.closed, d: v.record.department?.id, e: v.record.employeeId })}`));
    for (const w of h.journal.walks) if (w.feed === feed && w.content.has(subject)) lines.push(`walk ${feed} poll ${w.poll} began ${new Date(w.beganAt).toISOString()} complete ${w.complete} honest ${w.honest} v${w.content.get(subject)}`);
  }
  for (const [k, r] of h.end.rows) if (k.endsWith('/' + subject)) lines.push(`end ${k} ${JSON.stringify(r)}`);
  lines.push(JSON.stringify(h.spells).slice(0, 2500));
  for (const x of h.end.heads) lines.push(`head ${x.feed}#${x.slice} doubt ${JSON.stringify(x.doubt)} bad ${JSON.stringify(x.bad)} unl ${JSON.stringify(x.unlisted)} n ${x.buckets.length}`);
  (await import('node:fs')).writeFileSync('/tmp/hist.txt', lines.join('\n'));
}, 60000);
