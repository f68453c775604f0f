import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';
import type { Context } from 'hono';

const PAGE_FOLDER = fileURLToPath(new URL('../../page/', import.meta.url));

/** The page as the browser gets it. */
export interface PageFiles {
  readonly html: string;
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}

let built: Promise<PageFiles> | null = null;

/** How the page is bundled. */
export const PAGE_BUNDLE = {
  entryPoints: [
    { in: `${PAGE_FOLDER}main.tsx`, out: 'page' },
    { in: `${PAGE_FOLDER}styles/page.css`, out: 'page' },
  ],
  outdir: PAGE_FOLDER,
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** Builds the page, once in a process. Throws what esbuild throws. */
function buildPage(): Promise<PageFiles> {
  built ??= readPage();
  return built;
}

async function readPage(): Promise<PageFiles> {
  const read = (name: string) => readFileSync(`${PAGE_FOLDER}${name}`, 'utf8');
  // The installed package has it bundled, and no sources of it.
  const bundle = existsSync(`${PAGE_FOLDER}page.js`)
    ? { script: read('page.js'), style: read('page.css') }
    : await bundlePage();
  return { html: read('page.html'), icon: read('icon.svg'), ...bundle };
}

async function bundlePage(): Promise<Pick<PageFiles, 'script' | 'style'>> {
  // Imported late: only whoever opens the console needs it.
  const { build } = await import('esbuild');
  const { outputFiles } = await build(PAGE_BUNDLE);
  const find = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { script: find('.js'), style: find('.css') };
}

const TYPES = {
  html: 'text/html; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
  style: 'text/css; charset=utf-8',
  icon: 'image/svg+xml',
} as const;

export async function sendPageFile(context: Context, name: keyof PageFiles): Promise<Response> {
  const files = await buildPage();
  return context.body(files[name], 200, { 'Content-Type': TYPES[name] });
}
