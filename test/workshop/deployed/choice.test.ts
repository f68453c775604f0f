import { expect, test } from 'vitest';
import { readChoice } from '#workshop/deployed/choice.ts';
import { MOTO } from '#workshop/deployed/moto.ts';

test('runs on a pinned version', () => {
  expect(MOTO).toBe('moto 5.2.5');
});

test('another word is an error', () => {
  expect(() => readChoice(['moto'])).toThrow();
});

test('rehearses what is rare, unless told not to', () => {
  expect(readChoice([]).rehearsals).toBe(true);
  expect(readChoice(['--no-rehearsals']).rehearsals).toBe(false);
});

test('runs all steps, or those with some words in their names', () => {
  expect(readChoice([]).only).toBeNull();
  expect(readChoice(['--only', 'console']).only).toBe('console');
});
