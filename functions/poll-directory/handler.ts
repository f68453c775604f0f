import { createDirectoryContainer } from './container.ts';
import { directoryHandler } from './directory-handler.ts';

export const handler = directoryHandler(createDirectoryContainer(process.env));
