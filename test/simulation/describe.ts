import type { FeedName } from '#shared/core/feeds.ts';
import type { History } from './history.ts';
import type { Walk } from './journal.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

/** The record to describe. */
export interface About {
  readonly feed: FeedName;
  readonly id: string;
}

/** What happened to one record, in lines by time: helps to understand a failing seed. */
export function describeRecord(history: History, about: About): string {
  const { settings, seed, spells } = history;
  const lines = [
    ...pollLines(history, about),
    ...publicationLines(history, about),
    ...truthLines(history, about),
    ...answerLines(history, about),
  ];
  const texts = lines
    .map((line, order) => ({ ...line, order }))
    .sort((a, b) => a.at - b.at || a.order - b.order)
    .map(({ at, text }) => `${new Date(at).toISOString()} ${text}`);
  const faults = [...history.faults].map(([kind, count]) => `${kind} ${count}`).join(', ');
  return [`seed ${seed}`, JSON.stringify(settings.connection), faults, JSON.stringify(spells), ...texts].join(
    '\n',
  );
}

function pollLines({ journal }: History, { feed, id }: About): Line[] {
  const polls = journal.polls.filter((poll) => poll.feed === feed);
  const walks = journal.walks.filter((walk) => walk.feed === feed);
  return [
    ...polls.map(({ startedAt, number }) => ({ at: startedAt, text: `poll ${number} begins` })),
    ...walks.map((walk) => ({ at: walk.beganAt, text: walkText(walk, id) })),
    ...polls.map(({ endedAt, startedAt, number, report, failure }) => {
      const how = report === null ? String(failure) : `${report.outcome} ${report.reasons.join('; ')}`;
      return { at: endedAt ?? startedAt, text: `poll ${number} ends: ${endedAt === null ? 'never' : how}` };
    }),
  ];
}

function walkText({ poll, from, to, complete, spoilt, records }: Walk, id: string): string {
  const seen = records.get(id)?.version;
  const what = seen === undefined ? 'not there' : `version ${seen}`;
  return `poll ${poll} walks ${from ?? 'all'}..${to ?? ''} ${complete ? 'complete' : 'incomplete'}${spoilt ? ', spoilt' : ''}: ${what}`;
}

function publicationLines({ journal }: History, { feed, id }: About): Line[] {
  return journal.publications.flatMap(({ at, text, poll }) => {
    const event = JSON.parse(text) as Record<string, unknown>;
    const isAbout = event.subject === id || event.subject === undefined;
    if (!isAbout || !String(event.source).endsWith(`/${feed}`)) return [];
    const { type, sequence, data } = event;
    return [{ at, text: `poll ${poll} publishes ${String(type)} ${String(sequence)} ${shortOf(data)}` }];
  });
}

function shortOf(data: unknown): string {
  const { observed, changed, previous, collapsed } = data as Record<string, unknown>;
  return JSON.stringify({ observed, changed, previous, collapsed });
}

/** The fields that differ from the version before. */
function truthLines({ world }: History, { feed, id }: About): Line[] {
  const versions = world.truth[feed].get(id)?.versions ?? [];
  return versions.map(({ at, record }, index) => {
    const before = versions[index - 1]?.record ?? {};
    const news = Object.entries(record ?? {}).filter(
      ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
    );
    const what = record === null ? 'gone' : JSON.stringify(Object.fromEntries(news));
    return { at, text: `VERSION ${index} ${what}` };
  });
}

function answerLines({ journal }: History, { feed, id }: About): Line[] {
  const served = journal.served[feed].get(id) ?? [];
  const gone = journal.gone[feed].get(id) ?? [];
  return [
    ...served.map(({ receivedAt, poll, version, shape, walk }) => ({
      at: receivedAt,
      text: `poll ${poll} gets version ${version}, ${shape}${walk === null ? ', by id' : ''}`,
    })),
    ...gone.map(({ receivedAt, poll }) => ({ at: receivedAt, text: `poll ${poll} gets a 404` })),
  ];
}
