import { describeDirectoryStore } from '#test/contracts/name-store.ts';
import { createMemoryDirectoryStore } from './memory-name-store.ts';

describeDirectoryStore('memory', async (now) => createMemoryDirectoryStore(now));
