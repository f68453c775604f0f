import { describeStartStore } from '#test/contracts/start-store.ts';
import { createMemoryStartStore } from './memory-start-store.ts';

describeStartStore('memory as a store of starts', createMemoryStartStore);
