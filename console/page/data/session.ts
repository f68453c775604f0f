import { PATHS, REFUSALS, type Refusal } from '../../routes/paths.ts';

const STORED = 'session';
const TOKEN = /^#token=(.*)$/;
const ASKING = 'is there a session?';
const OTHER_TABS_MS = 300;

/**
 * The secret of the session. No cookie: that would go to every port of this machine. It is kept as long as the tab, and
 * given to other tabs of this page, such as one that a link of an alert opened.
 */
let session = window.sessionStorage.getItem(STORED);
const token = takeToken();
const tabs = new BroadcastChannel(STORED);

tabs.addEventListener('message', ({ data }) => {
  if (data === ASKING && session !== null) tabs.postMessage({ session });
});

/** Of the address, which must not stay in the history of the browser. */
function takeToken(): string | null {
  const [, found = null] = TOKEN.exec(window.location.hash) ?? [];
  if (found !== null)
    window.history.replaceState(null, '', window.location.pathname + window.location.search);
  return found;
}

/** What requests are sent with. */
export function toHeaders(): Record<string, string> {
  return session === null ? {} : { Authorization: `Bearer ${session}` };
}

/** Begins the session with the token of the address. Returns why not; null when there is one, or the server will say. */
export async function enter(): Promise<Refusal | null> {
  if (token === null) {
    if (session === null) keep(await askOtherTabs());
    return null;
  }
  const init = { method: 'POST', headers: { Authorization: `Bearer ${token}` } };
  const response = await fetch(PATHS.session, init).catch(() => null);
  const answer = ((await response?.json().catch(() => null)) ?? {}) as {
    readonly session?: string;
    readonly error?: string;
  };
  if (answer.session !== undefined) keep(answer.session);
  else if (session === null) keep(await askOtherTabs());
  if (session !== null || answer.error === undefined) return null;
  return toRefusal(answer.error);
}

export function toRefusal(code: string): Refusal | null {
  return REFUSALS.find((each) => each === code) ?? null;
}

function keep(next: string | null): void {
  session = next;
  if (next !== null) window.sessionStorage.setItem(STORED, next);
}

function askOtherTabs(): Promise<string | null> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(() => resolve(null), OTHER_TABS_MS);
    tabs.addEventListener('message', ({ data }) => {
      const { session: given } = (typeof data === 'object' ? data : {}) as { readonly session?: string };
      if (given === undefined) return;
      window.clearTimeout(timer);
      resolve(given);
    });
    tabs.postMessage(ASKING);
  });
}
