import { configDefaults, defineConfig } from 'vitest/config'
import config from './vitest.config.js'

/** What takes long: processes that are killed again and again, and a thousand posts at once. */
export default defineConfig({
  test: { ...config.test, include: ['src/**/*.long.test.ts'], exclude: configDefaults.exclude },
})
