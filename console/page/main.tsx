import { signal } from '@preact/signals';
import { type RefObject, render } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { refusal, show } from './data/feed.ts';
import { beside, closeBeside, followLink, type Place, place, type Screen } from './data/location.ts';
import { enter } from './data/session.ts';
import { DeliveriesScreen } from './deliveries/deliveries-screen.tsx';
import { readFilter, readUntil } from './live/filter-bar.tsx';
import { LiveScreen } from './live/live-screen.tsx';
import { Denied, Header } from './parts/header.tsx';
import { handleKey, isHelpOpen, SHORTCUTS } from './parts/keyboard.ts';
import { Empty } from './parts/notes.tsx';
import { PersonScreen } from './people/person-screen.tsx';
import { PeriodsScreen } from './periods/periods-screen.tsx';
import { RecordScreen } from './record/record-screen.tsx';

const TITLES: Readonly<Record<Screen, string>> = {
  live: 'Live',
  person: 'Person',
  record: 'Record',
  periods: 'Pay periods',
  deliveries: 'Deliveries',
  none: 'No such page',
};

/** Whether there is no room for a list and what was opened from it. As in the styles. */
const narrow = window.matchMedia('(max-width: 1099px)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

/** The whole page: the header, the screen that the address names, and the list that it was opened from. */
function App() {
  const shown = place.value;
  const { screen, query } = shown;
  const opened = refusal.value === null ? beside.value : null;
  useEffect(() => {
    document.addEventListener('click', followLink);
    document.addEventListener('keydown', handleKey);
  }, []);
  // Before anything is painted: lines of another filter would be seen under this one.
  useLayoutEffect(() => {
    const isLive = screen === 'live';
    show({ filter: isLive ? readFilter(query) : {}, until: isLive ? readUntil(query) : null });
    const named = opened ?? shown;
    document.title = `${named.id ?? TITLES[named.screen]} · Notifier`;
  }, [shown, opened]);
  const main = useRef<HTMLElement>(null);
  const aside = useRef<HTMLElement>(null);
  useReturnToPlace(main, shown);
  useReturnToPlace(aside, opened);
  useFocus(main, aside, { view: viewOf(shown), opened: opened && `${viewOf(opened)} ${opened.event}` });
  return (
    <>
      <button
        type="button"
        class="quiet skip"
        onClick={() => (isNarrow.value && opened !== null ? aside : main).current?.focus()}
      >
        Skip to the content
      </button>
      <Header screen={screen} />
      <main id="main" ref={main} tabIndex={-1} key={viewOf(shown)}>
        {refusal.value === null ? <Shown place={shown} /> : <Denied why={refusal.value} />}
      </main>
      {opened === null ? null : (
        <Beside key={viewOf(opened)} place={opened} list={TITLES[screen]} region={aside} />
      )}
      <HelpDialog />
    </>
  );
}

interface BesideProps {
  readonly place: Place;
  /** The title of the list. */
  readonly list: string;
  readonly region: RefObject<HTMLElement | null>;
}

/** What was opened from a list. */
function Beside({ place: opened, list, region }: BesideProps) {
  // The list is hidden where it has no room.
  const role = isNarrow.value ? 'main' : 'complementary';
  return (
    <section id="beside" ref={region} tabIndex={-1} role={role} aria-label="Opened from the list">
      <p class="close">
        <button type="button" class="quiet" onClick={closeBeside}>
          {isNarrow.value ? `Back to ${list}` : 'Close'}
        </button>
      </p>
      <Shown place={opened} />
    </section>
  );
}

/** Another one is another element, which begins at its top. */
function viewOf({ screen, id }: Place): string {
  return screen === 'record' || screen === 'person' ? `${screen} ${id}` : screen;
}

interface Focused {
  readonly view: string;
  /** What is beside it; null when nothing is. */
  readonly opened: string | null;
}

/** The focus goes to what was opened, and when that is closed back to the line it was opened from. */
function useFocus(
  main: RefObject<HTMLElement | null>,
  aside: RefObject<HTMLElement | null>,
  { view, opened }: Focused,
): void {
  const before = useRef<Focused | null>(null);
  const opener = useRef<HTMLElement | null>(null);
  const active = document.activeElement as HTMLElement | null;
  if (main.current?.contains(active) === true) opener.current = active;
  // Lines are higher where there is less room for them: that one stays where it is.
  const top = findTop(opener.current);
  useLayoutEffect(() => {
    if (before.current?.view !== view || opener.current?.isConnected !== true) return;
    const by = findTop(opener.current) - top;
    // Halves are rounded so that closing undoes what opening did.
    main.current?.scrollBy(0, opened === null ? -Math.round(-by) : Math.round(by));
  }, [opened]);
  useEffect(() => {
    const known = before.current;
    before.current = { view, opened };
    if (known === null) return;
    const isBack = known.view === view && opener.current?.isConnected === true;
    const next = opened === null && isBack ? opener : opened === null ? main : aside;
    // What had the focus is gone with the screen before.
    next.current?.focus({ preventScroll: true });
  }, [view, opened]);
}

/** Of the line that an element is in. */
function findTop(element: HTMLElement | null): number {
  return (element?.closest('li') ?? element)?.getBoundingClientRect().top ?? 0;
}

function Shown({ place: { screen, id, query, event } }: { readonly place: Place }) {
  switch (screen) {
    case 'live':
      return <LiveScreen />;
    case 'person':
      return <PersonScreen path={id ?? ''} />;
    case 'record':
      return <RecordScreen id={id ?? ''} connection={query.get('connection')} event={event} />;
    case 'periods':
      return <PeriodsScreen id={id} connection={query.get('connection')} />;
    case 'deliveries':
      return <DeliveriesScreen query={query} />;
    case 'none':
      return (
        <div class="screen">
          <h1>No such page</h1>
          <Empty title="Nothing is at this address">
            <p>
              The console has the pages above, and a page for each person and each record: find one with the
              field above.
            </p>
          </Empty>
        </div>
      );
  }
}

function HelpDialog() {
  const isOpen = isHelpOpen.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => {
    isHelpOpen.value = false;
  };
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <dl>
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split('  ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>Times are in the zone of their connection; rest the pointer on one to see your own.</p>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}

/** A screen that is not as high as it was by then stays where it is. */
const MAX_WAIT_MS = 5_000;

/** How far a visit was scrolled when it was left, in CSS pixels. */
const left = new Map<string, number>();

/** Scrolls a screen to where its visit was left, as soon as it is high enough again. */
function useReturnToPlace(scroller: RefObject<HTMLElement | null>, shown: Place | null): void {
  const visit = useRef('');
  visit.current = shown?.visit ?? '';
  const view = shown === null ? null : `${viewOf(shown)} ${shown.visit}`;
  useEffect(() => {
    const element = scroller.current;
    if (element === null || view === null) return;
    const wanted = left.get(visit.current) ?? 0;
    const growth = new ResizeObserver(() => {
      if (element.scrollHeight - element.clientHeight < wanted) return;
      element.scrollTop = wanted;
      growth.disconnect();
    });
    if (wanted > 0 && element.lastElementChild !== null) growth.observe(element.lastElementChild);
    const stop = () => growth.disconnect();
    const timer = window.setTimeout(stop, MAX_WAIT_MS);
    const note = () => left.set(visit.current, element.scrollTop);
    element.addEventListener('scroll', note, { passive: true });
    element.addEventListener('wheel', stop, { passive: true });
    element.addEventListener('touchmove', stop, { passive: true });
    return () => {
      stop();
      window.clearTimeout(timer);
      element.removeEventListener('scroll', note);
      element.removeEventListener('wheel', stop);
      element.removeEventListener('touchmove', stop);
    };
  }, [view]);
}

const page = document.getElementById('page');
refusal.value = await enter();
if (page !== null) render(<App />, page);
