import { runHistory } from './history.ts';
const h = await runHistory(Number(process.argv[2]));
const feed = process.argv[3];
const pub = new Set<string>();
for (const c of h.journal.committed) for (const t of c.texts) { const e = JSON.parse(t); if (e.source.endsWith('/' + feed)) console.log('c', c.poll, c.at, e.type, e.subject ?? '', e.sequence, e.id.slice(0, 6), e.time, e.type.endsWith('feed.complete') ? JSON.stringify([e.data.since?.id?.slice(0, 6), e.data.events]) : ''); }
for (const p of h.journal.publications) { const e = JSON.parse(p.text); if (e.source.endsWith('/' + feed) && !pub.has(p.text)) { pub.add(p.text); console.log('p', p.poll, p.at, e.type, e.id.slice(0, 6)); } }
