import { testKills } from './kills.ts';

testKills('parent');
