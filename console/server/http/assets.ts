import { readFileSync } from 'node:fs';
import type { Hono } from 'hono';

/** Files that a page asks for: they have no data. */
const FILES = {
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

export function addAssets(hono: Hono): void {
  for (const [name, type] of Object.entries(FILES)) {
    const address = new URL(`../../pages/assets/${name}`, import.meta.url);
    hono.get(`/${name}`, (context) =>
      context.body(readFileSync(address, 'utf8'), 200, { 'Content-Type': type }),
    );
  }
}
