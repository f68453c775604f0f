import { describe, expect, test } from 'vitest';
import { toLoadRange } from '#shared/core/plan/load-range.ts';
import { MINUTE_MS, NOW } from '#test/support/builders.ts';

const usual = '2026-01-01';
const now = NOW;

describe('the heads that the next poll loads', () => {
  test('begin where they usually do', () => {
    expect(toLoadRange([], { loadFrom: '2025-12-31' }, { usual, now })).toEqual({ loadFrom: usual });
    expect(toLoadRange(['2026-02-01'], { loadFrom: null }, { usual, now })).toEqual({ loadFrom: usual });
  });

  test('begin as far back as something is held', () => {
    const held = ['2025-11-01', '2025-12-01'];
    expect(toLoadRange(held, { loadFrom: usual }, { usual, now })).toEqual({ loadFrom: '2025-11-01' });
  });

  test('stay as far back as an older version opened the way, until its last polls are over', () => {
    const last = { loadFrom: '2025-11-01', extendedAt: now };
    const at = (minutes: number) => ({ usual, now: now + minutes * MINUTE_MS });
    expect(toLoadRange([], last, at(119))).toEqual(last);
    expect(toLoadRange(['2025-12-01'], last, at(119))).toEqual(last);
    expect(toLoadRange([], last, at(120))).toEqual({ loadFrom: usual });
    expect(toLoadRange(['2025-12-01'], last, at(120))).toEqual({ loadFrom: '2025-12-01' });
  });
});
