import { runHistory } from './history.ts';
import { listSheets } from './world/books.ts';

const h = await runHistory(Number(process.argv[2]));
const id = process.argv[3] ?? '';
console.log(
  JSON.stringify(h.settings.company),
  [...h.world.books.changes],
  [...h.world.books.closedIn].slice(0, 9),
);
console.log(
  h.world.truth['pay-periods']
    .get(id)
    ?.versions.map((v) => [v.at, v.record?.startDate, v.record?.finishDate, v.record?.closed]),
);
for (const c of h.journal.committed)
  for (const t of c.texts) {
    const e = JSON.parse(t);
    if (e.subject === id && e.source.endsWith('pay-periods')) {
      const m = e.data.closeManifest ?? e.data.statement;
      console.log(
        c.poll,
        c.at,
        e.type,
        e.data.observed,
        m && JSON.stringify({ ...m, leftovers: undefined, byDepartment: undefined }),
      );
      if (m)
        console.log(
          listSheets(h.world.books, id, c.at).map((s) => [s.id, s.employeeId, s.date, s.hoursToPay]),
        );
    }
  }
