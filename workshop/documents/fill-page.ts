import { readFileSync } from 'node:fs';

/**
 * A page of `workshop/documents/pages` with its places, such as `{{catalogue}}`, filled. Throws when a place has no
 * text, or a text no place.
 */
export function fillPage(name: string, texts: Readonly<Record<string, string>>): string {
  const page = readFileSync(new URL(`pages/${name}.md`, import.meta.url), 'utf8');
  const places = new Set([...page.matchAll(/\{\{([a-z ]+)\}\}/g)].map(([, place = '']) => place));
  const differing = [
    ...[...places].filter((place) => !(place in texts)),
    ...Object.keys(texts).filter((name) => !places.has(name)),
  ];
  if (differing.length > 0)
    throw new Error(`places of ${name}.md without a text, or texts without: ${differing}`);
  return Object.entries(texts).reduce(
    (filled, [place, text]) => filled.replace(`{{${place}}}`, () => text),
    page,
  );
}
