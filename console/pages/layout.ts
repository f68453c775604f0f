import { html } from 'hono/html';
import type { Status } from '#console/answers/status.ts';
import { formatMoment } from '#shared/people/messages/moments.ts';
import { type Html, sayAge, toContext } from './parts.ts';

/** What every page needs of whoever asks for it. */
export interface Frame {
  /** The folder of all pages. */
  readonly place: string;
  /** The address of this page, below it. */
  readonly address: string;
  readonly status: Status;
  /** What it is the console of, such as `the data folder .data`. */
  readonly about: string;
  /** What was searched for. */
  readonly search?: string;
  /** Where its status comes from, and the rows of what happens. */
  readonly stream: string;
}

const SCREENS = [
  ['now', 'Now'],
  ['periods', 'Pay periods'],
  ['deliveries', 'Deliveries'],
] as const;

/** A page of the console. */
export function showPage(title: string, frame: Frame, content: unknown): Html {
  const { place, address, status, about, search = '', stream } = frame;
  const screen = address.split(/[/?#]/)[0];
  return html`<!doctype html>
<html lang="en">
<head>
${showHead(`${title} · Notifier`)}
<base href="${place}">
</head>
<body data-stream="${stream}">
<a class="skip" href="${address}#main">Skip to the content</a>
<header>
<nav aria-label="Screens">${SCREENS.map(([path, name]) =>
    path === screen
      ? html`<a href="${path}" aria-current="page">${name}</a>`
      : html`<a href="${path}">${name}</a>`,
  )}</nav>
<form action="find" role="search"><input type="search" name="q" value="${search}" placeholder="Find a person, day or id (/)"
 aria-label="Find a person, day, department, timesheet or pay period" maxlength="200" aria-keyshortcuts="/" required></form>
<div id="status">${showStatus(status)}</div>
</header>
<p id="lost" role="alert" hidden>The console does not answer: its run has ended, or it was stopped. This is what it showed
 last. Start it again, and open the address that it prints in this tab.</p>
<main id="main" tabindex="-1">${content}</main>
<footer>This is the console of ${about}.</footer>
</body>
</html>`;
}

/** A page that stays as it was read. */
interface OldPage {
  readonly address: string;
  /** In milliseconds since 1970. */
  readonly read: number;
}

/** The clock of the notifier, and whether it sees what happens; of a page that is old, that it is. */
export function showStatus(status: Status, page?: OldPage): Html {
  const { level, says } = describeStatus(status);
  const old =
    page === undefined
      ? ''
      : html` <a class="old" href="${page.address}">This page was read ${sayAge(page.read, status)}: read it again</a>`;
  return html`<p class="status"><i class="dot ${level}"></i>${says}${old}</p>`;
}

interface Described {
  readonly level: 'done' | 'watch' | 'undone';
  readonly says: string;
}

function describeStatus(status: Status): Described {
  const { trouble, isStopped, connections, now } = status;
  const say = (instant: number) => formatMoment(Math.floor(instant), { ...toContext(status), day: null });
  const seen = connections.flatMap(({ seenAt }) => seenAt ?? []);
  if (trouble !== null) return { level: 'undone', says: trouble };
  if (isStopped && seen.length > 0)
    return {
      level: 'watch',
      says: `The run has ended. This is what it stored until ${say(Math.max(...seen))}.`,
    };
  if (isStopped) return { level: 'watch', says: 'The run has ended before it read anything.' };
  const silent = connections.find(({ unreachableSince }) => unreachableSince !== null);
  if (silent !== undefined)
    return {
      level: 'undone',
      says: `${silent.serviceName} does not answer since ${say(silent.unreachableSince ?? now)}`,
    };
  if (seen.length === 0 || seen.length < connections.length)
    return { level: 'watch', says: `${say(now)} · the first read is not over` };
  const level = connections.some(({ isLate }) => isLate) ? 'undone' : 'done';
  return { level, says: `${say(now)} · read ${sayAge(Math.min(...seen), status)}` };
}

/** Shown to whoever has no session: without any data. Its script enters with the address. */
export function showEntry(state: 'opening' | 'ended'): Html {
  const [title, text] = ENTRIES[state];
  return html`<!doctype html>
<html lang="en">
<head>
${showHead('Notifier')}
</head>
<body data-entry="${state}">
<main id="main" class="entry"><h1>${title}</h1><p>${text}</p></main>
</body>
</html>`;
}

const ENTRIES = {
  opening: ['Opening the console', 'Its script takes the address of the terminal.'],
  ended: [
    'This session has ended',
    'A session lasts for a day, or until the console stops. Start it again, and open the address that it prints, here or in another tab.',
  ],
} as const;

/** Why there is no page: what is wrong with the request, or what cannot be read. */
export function showFailure(message: string, place: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
${showHead('Notifier')}
<base href="${place}">
</head>
<body>
<main id="main" class="entry"><h1>That did not work</h1><p>${message}</p><p><a href="now">Now</a></p></main>
</body>
</html>`;
}

function showHead(title: string): Html {
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>`;
}
