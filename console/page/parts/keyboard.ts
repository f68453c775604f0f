import { signal } from '@preact/signals';
import { closeBeside, navigate } from '../data/location.ts';

export const isHelpOpen = signal(false);

export const SHORTCUTS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: 'j  k', does: 'next and previous line' },
  { keys: 'Enter', does: 'open the line' },
  { keys: '/', does: 'find a person, timesheet, pay period, department, date or channel' },
  { keys: '1  2  3', does: 'Live, Pay periods, Deliveries' },
  { keys: '?', does: 'this help' },
  { keys: 'Esc', does: 'close what was opened beside a list, or leave a field' },
];

const SCREENS: Readonly<Record<string, string>> = { 1: '/', 2: '/periods', 3: '/deliveries' };

/** Keys of the whole page. Those of a field stay its own. */
export function handleKey(event: KeyboardEvent): void {
  if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement | null;
  if (target?.matches('input, select, textarea') === true) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) closeBeside();
  const act = ACTIONS[event.key] ?? goTo(SCREENS[event.key]);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

const ACTIONS: Readonly<Record<string, (() => void) | undefined>> = {
  '?': () => {
    isHelpOpen.value = !isHelpOpen.value;
  },
  '/': () => document.querySelector<HTMLInputElement>('#find')?.focus(),
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
};

function goTo(address: string | undefined): (() => void) | undefined {
  return address === undefined ? undefined : () => navigate(address);
}

/** Focuses the next or previous line in sight, of the list or of what is beside it. */
function moveFocus(by: 1 | -1): void {
  const region = document.activeElement?.closest('main, #beside') ?? document.querySelector('main');
  if (region === null) return;
  const lines = [...region.querySelectorAll<HTMLElement>('[data-line]')].sort(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  const place = lines.indexOf(document.activeElement as HTMLElement);
  const { top } = region.getBoundingClientRect();
  const inSight = lines.findIndex((line) => line.getBoundingClientRect().top >= top);
  const next = lines[place < 0 ? Math.max(0, inSight) : place + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
