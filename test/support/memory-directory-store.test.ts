import { describeDirectoryStore } from '#test/contracts/directory-store.ts';
import { createMemoryDirectoryStore } from './memory-directory-store.ts';

describeDirectoryStore('memory', async (now) => createMemoryDirectoryStore(now));
