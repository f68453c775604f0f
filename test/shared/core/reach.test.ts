import { describe, expect, test } from 'vitest';
import { isOpen, reachOf } from '#shared/core/reach.ts';
import { MINUTE_MS, NOW } from '#test/support/builders.ts';

const usual = '2026-01-01';
const now = NOW;
const nothing = { held: [], movedTo: null };

describe('the heads that the next poll loads', () => {
  test('begin where they usually do', () => {
    expect(reachOf(nothing, { loadFrom: '2025-12-31' }, { usual, now })).toEqual({ loadFrom: usual });
    const near = { held: ['2026-02-01'], movedTo: '2026-02-02' };
    expect(reachOf(near, { loadFrom: null }, { usual, now })).toEqual({ loadFrom: usual });
  });

  test('begin as far back as something is held', () => {
    const held = { held: ['2025-11-01', '2025-12-01'], movedTo: null };
    expect(reachOf(held, { loadFrom: usual }, { usual, now })).toEqual({ loadFrom: '2025-11-01' });
  });

  test('begin as far back as a record was found to move, which opens the way there', () => {
    const moved = { held: ['2025-12-01'], movedTo: '2025-11-01' };
    const reach = reachOf(moved, { loadFrom: usual }, { usual, now });
    expect(reach).toEqual({ loadFrom: '2025-11-01', extendedAt: now });
    expect(isOpen(reach, now + 59 * MINUTE_MS)).toBe(true);
  });

  test('stay that far back until no poll can be about to put something there, whatever others find', () => {
    const last = { loadFrom: '2025-11-01', extendedAt: now };
    const at = (minutes: number) => ({ usual, now: now + minutes * MINUTE_MS });
    const later = { held: ['2025-12-01'], movedTo: null };
    expect(reachOf(nothing, last, at(119))).toEqual(last);
    expect(reachOf(later, last, at(119))).toEqual(last);
    expect(isOpen(last, at(60).now)).toBe(false);
    expect(reachOf(nothing, last, at(120))).toEqual({ loadFrom: usual });
    expect(reachOf(later, last, at(120))).toEqual({ loadFrom: '2025-12-01' });
  });

  test('are opened anew by a record that moves there while the way is being closed', () => {
    const last = { loadFrom: '2025-11-01', extendedAt: now };
    const moved = { held: [], movedTo: '2025-12-01' };
    const at = now + 90 * MINUTE_MS;
    expect(reachOf(moved, last, { usual, now: at })).toEqual({ loadFrom: '2025-11-01', extendedAt: at });
  });
});
