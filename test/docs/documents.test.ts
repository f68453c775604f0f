import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildNotifierProgram } from '#bin/program.ts';
import {
  DOCUMENTS,
  findLinks,
  findMentions,
  findNamedPaths,
  findQuotedLines,
  findShownCode,
  isClear,
  leadsSomewhere,
  listFiles,
  MADE,
  normalizeLines,
  OF_PACKAGES,
} from './documents.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const files = listFiles();
const COMMANDS = (await buildNotifierProgram()).commands.map((command) => command.name());

describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(document, 'utf8');

  it('names only files and folders that exist', () => {
    expect(findNamedPaths(text).filter((path) => !isClear(path, files, document))).toEqual([]);
  });

  it('links only to files and headings that exist', () => {
    expect(findLinks(document).filter((link) => !leadsSomewhere(link))).toEqual([]);
  });

  it('names only scripts and commands that exist', () => {
    const named = [...text.matchAll(/npm run (?<name>[\w:-]+)/g)].map(({ groups }) => groups?.name ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    const commands = [...text.matchAll(/npm run notifier -- (?!help\b)(?<name>\w[\w-]*)/g)].map(
      ({ groups }) => groups?.name ?? '',
    );
    expect(commands.filter((name) => !COMMANDS.includes(name))).toEqual([]);
  });

  it('quotes only lines that a program wrote', () => {
    for (const { path, line } of findQuotedLines(document)) {
      expect(readFileSync(path, 'utf8').split('\n')).toContain(line);
    }
  });

  it('refers to no document outside this repository', () => {
    expect(text.match(/\bsection \d[\d.]*|\bthe design\b|\bdesign, section\b/gi)).toBeNull();
  });
});

it.each(DOCUMENTS.filter((document) => !OF_PACKAGES.includes(document)))(
  '%s shows only code that is, line by line, in a tested file',
  (document) => {
    const { blocks, taken } = findShownCode(document);
    for (const { path, code } of taken) {
      expect(normalizeLines(readFileSync(path, 'utf8'))).toContain(normalizeLines(code));
    }
    expect(taken.length).toBe(blocks);
  },
);

it('code and messages name only documents and headings that exist', () => {
  const mentions = findMentions();
  expect(mentions.filter((mention) => !leadsSomewhere(mention))).toEqual([]);
  expect(mentions.length).toBeGreaterThan(50);
});

describe('the check itself', () => {
  it('found the documents, their paths, links and code', () => {
    const texts = DOCUMENTS.map((document) => readFileSync(document, 'utf8'));
    expect(DOCUMENTS.length).toBeGreaterThanOrEqual(80);
    expect(texts.flatMap(findNamedPaths).length).toBeGreaterThan(300);
    expect(DOCUMENTS.flatMap(findLinks).length).toBeGreaterThan(200);
    expect(DOCUMENTS.flatMap((document) => findShownCode(document).taken).length).toBeGreaterThanOrEqual(8);
    expect(DOCUMENTS.flatMap(findQuotedLines).length).toBeGreaterThanOrEqual(1);
  });

  it('excuses only what a document names', () => {
    const named = DOCUMENTS.flatMap((document) => findNamedPaths(readFileSync(document, 'utf8')));
    const unused = Object.keys(MADE).filter((made) => !named.some((path) => path.endsWith(made)));
    expect(unused).toEqual([]);
  });

  it('finds no file and no heading that is not there', () => {
    expect(findNamedPaths('see shared/flow/nothing.ts')).toEqual(['shared/flow/nothing.ts']);
    expect(isClear('shared/flow/nothing.ts', files)).toBe(false);
    expect(leadsSomewhere({ path: 'README.md', anchor: 'nothing' })).toBe(false);
  });
});
