import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { CoverageScreen } from './covered-dates/coverage-screen.tsx';
import { refusal, show } from './data/feed.ts';
import { followLink, place, type Screen } from './data/location.ts';
import { DeliveriesScreen } from './deliveries/deliveries-screen.tsx';
import { readFilter, readUntil } from './live/filter-bar.tsx';
import { LiveScreen } from './live/live-screen.tsx';
import { Denied, Header } from './parts/header.tsx';
import { HelpDialog } from './parts/help-dialog.tsx';
import { handleKey } from './parts/keyboard.ts';
import { Empty } from './parts/notes.tsx';
import { useReturnToPlace } from './parts/return-to-place.ts';
import { PeriodsScreen } from './periods/periods-screen.tsx';
import { RecordScreen } from './record/record-screen.tsx';

const TITLES: Readonly<Record<Screen, string>> = {
  live: 'Live',
  record: 'Record',
  periods: 'Pay periods',
  deliveries: 'Deliveries',
  coverage: 'Coverage',
  none: 'No such page',
};

/** The whole page: the header and the screen that the address names. */
export function App() {
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
  const view = screen === 'record' ? `record ${id}` : screen;
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
            <p>The console has the pages above, and a page for each record: find one by its id.</p>
          </Empty>
        </div>
      );
  }
}
