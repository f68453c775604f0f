import { describeNameStore } from '#test/contracts/name-store.ts';
import { createMemoryNameStore } from './memory-name-store.ts';

describeNameStore('memory', async (now) => createMemoryNameStore(now));
