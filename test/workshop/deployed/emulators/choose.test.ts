import { expect, test } from 'vitest';
import { readChoice } from '#workshop/deployed/emulators/choose.ts';

const titles = (...args: string[]) => readChoice(args).emulators.map(({ title }) => title);

test('runs on both, or on the one that is named, each in a pinned version', () => {
  expect(titles()).toEqual(['moto 5.2.5', 'fakecloud 0.51.0']);
  expect(titles('--on', 'moto')).toEqual(['moto 5.2.5']);
  expect(titles('--on', 'fakecloud')).toEqual(['fakecloud 0.51.0']);
});

test('another name is an error', () => {
  expect(() => readChoice(['--on', 'localstack'])).toThrow('not one of moto, fakecloud');
  expect(() => readChoice(['moto'])).toThrow();
});

test('rehearses what is rare, unless told not to', () => {
  expect(readChoice(['--on', 'moto']).rehearsals).toBe(true);
  expect(readChoice(['--on', 'moto', '--no-rehearsals']).rehearsals).toBe(false);
});

test('runs all steps, or those with some words in their names', () => {
  expect(readChoice([]).only).toBeNull();
  expect(readChoice(['--only', 'console']).only).toBe('console');
});
