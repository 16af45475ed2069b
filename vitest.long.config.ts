import { configDefaults, defineConfig } from 'vitest/config'
import config from './vitest.config.js'

/** Tests that take long: processes that are killed again and again, a thousand posts at once, thousands of odd requests. */
export default defineConfig({
  test: {
    ...config.test,
    include: ['src/**/*.long.test.ts', 'test/**/*.long.test.ts'],
    exclude: configDefaults.exclude,
  },
})
