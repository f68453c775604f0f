/** The script of every page: enters with the address of the terminal, and shows what happens as it happens. */

const MAX_ROWS = 500;
/** A connection that is lost for a moment is not worth a word. */
const LOST_AFTER_MS = 4_000;
/** Where the pages of the session of this browser are; other ports of this machine have a storage of their own. */
const PLACE = 'place';

const rowsPolicy = window.trustedTypes?.createPolicy('rows', { createHTML: (text) => text });

/** The server has escaped every value in it. */
function toFragment(text) {
  const template = document.createElement('template');
  template.innerHTML = rowsPolicy?.createHTML(text) ?? text;
  return template.content;
}

const REFUSALS = {
  address_needed: [
    'This address is incomplete',
    'Open the whole address that the terminal prints, from http to its end.',
  ],
  address_wrong: [
    'This address is wrong',
    'It may be of a console that has stopped. Open the address that the terminal printed last.',
  ],
  address_used: [
    'This address was used already',
    'It opens the console once, in one browser. Start the console again for a new one.',
  ],
  address_expired: [
    'This address has expired',
    'It opens the console within ten minutes. Start the console again for a new one.',
  ],
};

/** The address of the terminal is also taken in a tab that shows a page already. */
async function enter() {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  const known = localStorage.getItem(PLACE);
  const path = location.pathname.replace(/^\/(~[\w-]+\/)?/, '') + location.search;
  if (token !== undefined) {
    history.replaceState(null, '', location.pathname + location.search);
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch('/session', { method: 'POST', headers });
    const { place, error } = await answer.json();
    if (place !== undefined) {
      localStorage.setItem(PLACE, place);
      location.replace(place + path);
    } else refuse(error, known);
    return;
  }
  if (document.body.dataset.entry !== 'opening') return;
  if (known !== null) location.replace(known + path + location.hash);
  else refuse('address_needed', null);
}

/** A session that this browser has goes on. */
function refuse(error, known) {
  if (document.body.dataset.entry === undefined) return;
  if (error === 'address_used' && known !== null && !location.pathname.startsWith('/~'))
    location.replace(known);
  const [title, text] = REFUSALS[error] ?? REFUSALS.address_wrong;
  document.querySelector('h1').textContent = title;
  document.querySelector('#main p').textContent = text;
}

function follow() {
  const { stream } = document.body.dataset;
  if (!stream || document.hidden) return;
  const source = new EventSource(new URL(stream, document.baseURI));
  let lost = null;
  source.addEventListener('open', () => {
    clearTimeout(lost);
    lost = null;
    showLost(false);
  });
  source.addEventListener('error', () => {
    // It tries again by itself, unless the session has ended.
    lost ??= setTimeout(() => showLost(true), LOST_AFTER_MS);
  });
  source.addEventListener('status', ({ data }) => {
    document.querySelector('#status').replaceChildren(toFragment(data));
  });
  source.addEventListener('rows', ({ data }) => addRows(toFragment(data)));
  // A browser has few connections to one server: a tab that nobody sees leaves them to others.
  document.addEventListener('visibilitychange', () => source.close(), { once: true });
}

function showLost(isLost) {
  document.querySelector('#lost').hidden = !isLost;
  document.querySelector('#status').hidden = isLost;
}

/** New rows go on top, below the heading of their day. */
function addRows(fragment) {
  const list = document.querySelector('#rows');
  for (const row of fragment.querySelectorAll('[data-event]'))
    if (list.querySelector(`[data-event="${CSS.escape(row.dataset.event)}"]`) !== null) row.remove();
  if (fragment.querySelector('[data-event]') === null) return;
  const heading = list.querySelector('.day');
  const headings = fragment.querySelectorAll('.day');
  if (heading !== null && headings[headings.length - 1]?.dataset.day === heading.dataset.day)
    heading.remove();
  list.prepend(fragment);
  document.querySelector('#none').replaceChildren();
  while (list.children.length > MAX_ROWS) list.lastElementChild.remove();
}

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]');
  if (button === null) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const { textContent } = button;
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = textContent;
  }, 1_500);
});

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input, select, textarea');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  document.querySelector('input[name=q]')?.focus();
});

document.addEventListener('change', ({ target }) => target.closest('form[data-sends]')?.requestSubmit());
document.addEventListener('visibilitychange', follow);
window.addEventListener('hashchange', enter);
await enter();
follow();
