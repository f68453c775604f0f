import { describe, expect, test } from 'vitest';
import { reachOf } from '#shared/core/reach.ts';
import { MINUTE_MS, NOW } from '#test/support/builders.ts';

const usual = '2026-01-01';
const now = NOW;

describe('the heads that the next poll loads', () => {
  test('begin where they usually do', () => {
    expect(reachOf([], { loadFrom: '2025-12-31' }, { usual, now })).toEqual({ loadFrom: usual });
    expect(reachOf(['2026-02-01'], { loadFrom: null }, { usual, now })).toEqual({ loadFrom: usual });
  });

  test('begin as far back as something is needed', () => {
    expect(reachOf(['2025-11-01', '2025-12-01'], { loadFrom: usual }, { usual, now })).toEqual({
      loadFrom: '2025-11-01',
      extendedAt: now,
    });
  });

  test('stay that far back for an hour, whatever a poll that overlaps finds', () => {
    const last = { loadFrom: '2025-11-01', extendedAt: now };
    const in59 = { usual, now: now + 59 * MINUTE_MS };
    expect(reachOf([], last, in59)).toEqual(last);
    expect(reachOf(['2025-12-01'], last, in59)).toEqual(last);
    const in60 = { usual, now: now + 60 * MINUTE_MS };
    expect(reachOf([], last, in60)).toEqual({ loadFrom: usual });
    expect(reachOf(['2025-12-01'], last, in60)).toEqual({ loadFrom: '2025-12-01', extendedAt: in60.now });
  });
});
