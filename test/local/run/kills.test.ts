import { testKills } from './kills.ts';

testKills('group');
