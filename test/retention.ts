import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { RetentionConfig } from '../src/config/retention.js'
import { runDueTasks } from '../src/removal/retention.js'
import { type ConfigChanges, mergeChanges } from './config.js'
import { startTestApp, type TestApp } from './harness.js'
import { openOwnDatabase } from './test-database.js'

export const DAY_MS = 86_400_000

const NONE: RetentionConfig = {
  audit: undefined,
  postContentMs: undefined,
  revokedKeysMs: undefined,
  unusedMediaMs: undefined,
}

export interface RetentionTest extends TestApp {
  /** The directory of the exports and uploads. */
  directory: string
  exportDir: string
  /** Does what is due, as the service does once a minute. */
  run(context?: TestApp['context']): Promise<void>
  logLines(): Record<string, unknown>[]
}

/** Starts the whole app on its own empty database. `days` is the age in days at which each kind is removed. */
export async function startRetentionTest(
  days: { audit?: number; posts?: number; keys?: number; media?: number },
  config: ConfigChanges = {},
): Promise<RetentionTest> {
  const directory = mkdtempSync(join(tmpdir(), 'greenroom-retention-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const exportDir = join(directory, 'trail')
  const ms = (count: number | undefined) => (count === undefined ? undefined : count * DAY_MS)
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const test = await startTestApp(
    mergeChanges(
      {
        media: { dir: join(directory, 'media') },
        http: { publicUrl: 'https://greenroom.example' },
        retention: {
          ...NONE,
          audit: days.audit === undefined ? undefined : { keepMs: days.audit * DAY_MS, exportDir },
          postContentMs: ms(days.posts),
          revokedKeysMs: ms(days.keys),
          unusedMediaMs: ms(days.media),
        },
      },
      config,
    ),
    log,
    await openOwnDatabase(),
  )
  return {
    ...test,
    directory,
    exportDir,
    run: (context = test.context) => runDueTasks(context),
    logLines: () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg !== 'request'),
  }
}

/** Returns the lines of all files, oldest file first. */
export function readExports(exportDir: string): Record<string, unknown>[] {
  return readdirSync(exportDir)
    .filter((name) => name.endsWith('.ndjson'))
    .toSorted()
    .flatMap((name) => readFileSync(join(exportDir, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line))
}
