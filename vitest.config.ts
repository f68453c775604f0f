import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The package by its own name is its source here, and what is built of it elsewhere. The others are Vite's own.
  ssr: {
    resolve: {
      conditions: ['@workforce-change-notifier/source', 'node', 'development|production'],
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
