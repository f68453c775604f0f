import { type RefObject, render } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { CoverageScreen } from './covered-dates/coverage-screen.tsx';
import { refusal, show } from './data/feed.ts';
import { followLink, place, readVisit, type Screen } from './data/location.ts';
import { enter } from './data/session.ts';
import { DeliveriesScreen } from './deliveries/deliveries-screen.tsx';
import { readFilter, readUntil } from './live/filter-bar.tsx';
import { LiveScreen } from './live/live-screen.tsx';
import { Dialog } from './parts/dialog.tsx';
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
  coverage: 'Coverage',
  none: 'No such page',
};

/** The whole page: the header and the screen that the address names. */
function App() {
  const { screen, id, query } = place.value;
  useEffect(() => {
    document.addEventListener('click', followLink);
    document.addEventListener('keydown', handleKey);
  }, []);
  // Before anything is painted: lines of another filter would be seen under this one.
  useLayoutEffect(() => {
    const isLive = screen === 'live';
    show({ filter: isLive ? readFilter(query) : {}, until: isLive ? readUntil(query) : null });
    document.title = `${id ?? TITLES[screen]} · Notifier`;
  }, [screen, id, query]);
  const view = screen === 'record' || screen === 'person' ? `${screen} ${id}` : screen;
  const main = useRef<HTMLElement>(null);
  useReturnToPlace(main, view);
  const isFirst = useRef(true);
  useEffect(() => {
    // What had the focus is gone with the screen before.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [view]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header screen={screen} />
      <main id="main" ref={main} tabIndex={-1} key={view}>
        {refusal.value === null ? <Shown /> : <Denied why={refusal.value} />}
      </main>
      <HelpDialog />
    </>
  );
}

function Shown() {
  const { screen, id, query } = place.value;
  switch (screen) {
    case 'live':
      return <LiveScreen />;
    case 'person':
      return <PersonScreen path={id ?? ''} />;
    case 'record':
      return <RecordScreen id={id ?? ''} connection={query.get('connection')} />;
    case 'periods':
      return <PeriodsScreen id={id} connection={query.get('connection')} />;
    case 'deliveries':
      return <DeliveriesScreen query={query} />;
    case 'coverage':
      return <CoverageScreen date={query.get('date')} />;
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
  const close = () => {
    isHelpOpen.value = false;
  };
  return (
    <Dialog isOpen={isHelpOpen.value} title="Keys" onClose={close}>
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
    </Dialog>
  );
}

/** A screen that is not as high as it was by then stays where it is. */
const MAX_WAIT_MS = 5_000;

/** How far a visit was scrolled when it was left, in CSS pixels. */
const left = new Map<string, number>();

/** Scrolls a screen to where its visit was left, as soon as it is high enough again. */
function useReturnToPlace(scroller: RefObject<HTMLElement | null>, view: string): void {
  useEffect(() => {
    const element = scroller.current;
    // A list in which rows come above the others finds its place by its rows.
    if (element === null || view === 'live') return;
    const wanted = left.get(readVisit()) ?? 0;
    const growth = new ResizeObserver(() => {
      if (element.scrollHeight - element.clientHeight < wanted) return;
      element.scrollTop = wanted;
      growth.disconnect();
    });
    if (wanted > 0 && element.firstElementChild !== null) growth.observe(element.firstElementChild);
    const stop = () => growth.disconnect();
    const timer = window.setTimeout(stop, MAX_WAIT_MS);
    const note = () => left.set(readVisit(), element.scrollTop);
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
