import { runHistory } from './history.ts';
import { judge } from './oracle/judge.ts';
import { textOf, watchedOf } from './oracle/reading.ts';

const [seed, key] = process.argv.slice(2);
const h = await runHistory(Number(seed));
const j = judge(h);
for (const v of j.violations.slice(0, 10).concat(j.violations.slice(-12))) console.log(v.about, ':', v.text);
const { settings: s } = h;
console.log(
  JSON.stringify({
    zone: s.connection.timeZone,
    window: s.connection.window,
    feeds: s.feeds,
    guards: s.guards,
    redeployed: s.redeployed,
    renewal: s.renewal,
    roster: s.rosterSize,
    quiet: s.quietFrom,
    wm: s.connection.watermark,
  }),
);
console.log([...h.faults.counts].join(' '));
if (key) {
  const [feed, id] = key.split('/');
  const r = h.world.truth[feed].get(id);
  let prev = {};
  for (const [i, v] of r.versions.entries()) {
    const w = v.record === null ? null : watchedOf(feed, v.record);
    const d =
      w === null
        ? 'null'
        : JSON.stringify(
            Object.fromEntries(
              Object.entries(w).filter(([k, x]) => JSON.stringify(prev[k]) !== JSON.stringify(x)),
            ),
          ).slice(0, 300);
    console.log('v', i, v.at, d);
    prev = w ?? {};
  }
  for (const c of h.journal.committed)
    for (const t of c.texts) {
      const e = JSON.parse(t);
      if (e.subject === id && e.source.endsWith(feed))
        console.log(
          'c',
          c.poll,
          c.at,
          't' + c.table,
          e.type,
          e.epoch,
          e.sequence,
          JSON.stringify(e.data.observed),
          JSON.stringify(e.data.changed),
          JSON.stringify(e.data.previous)?.slice(0, 200),
          e.data.current?.date,
        );
    }
  for (const p of h.journal.publications) {
    const e = JSON.parse(p.text);
    if (e.subject === id && e.source.endsWith(feed)) console.log('p', p.poll, p.at, e.type, e.sequence);
  }
  for (const w of h.journal.walks)
    if (
      w.feed === feed &&
      (w.content.has(id) ||
        process.argv[4] === 'all' ||
        (process.argv[4] && w.from <= process.argv[4] && process.argv[4] <= w.to))
    )
      console.log(
        'w',
        w.poll,
        w.from,
        w.to,
        w.beganAt,
        w.endedAt,
        w.complete,
        w.honest,
        w.content.size,
        w.content.get(id),
      );
  console.log('gone', JSON.stringify(h.journal.gone[feed].get(id)));
  console.log('row', JSON.stringify(h.end.rows.get(key)?.row));
}
for (const p of h.journal.polls)
  console.log(
    'P',
    p.number,
    p.startedAt,
    p.endedAt,
    'skew',
    p.skew,
    't' + p.table,
    p.report?.outcome,
    p.report?.reasons.join('; ').slice(0, 150),
    String(p.failure ?? ''),
    p.isTroubled ? 'troubled' : '',
    p.isAlone ? '' : 'beside',
  );
if (process.argv[4] === 'heads') for (const head of h.end.heads) console.log('H', JSON.stringify(head));
console.log('S', JSON.stringify(h.end.state));
