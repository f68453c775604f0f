import { fileURLToPath } from 'node:url';

/** Folder of the project. */
export const PROJECT_ROOT = fileURLToPath(new URL('../', import.meta.url));
