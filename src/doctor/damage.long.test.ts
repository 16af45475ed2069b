import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { greenroom } from '../../test/cli.js'
import { insertOrganization } from '../access/organizations.store.js'
import { backUpWhenDue } from '../backup/schedule.js'
import { readConfig } from '../config/index.js'
import { type AppContext, createContext } from '../context.js'
import { systemClock } from '../lib/clock.js'
import { startProblem } from '../serve.js'
import { examine } from './doctor.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-damage-'))
const at = new Date('2026-11-22T00:00:00Z')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function withService(env: Record<string, string>, work: (context: AppContext) => Promise<void>): Promise<void> {
  const context = await createContext(readConfig(env), { log: pino({ level: 'silent' }) })
  await work(context).finally(() => context.close())
}

describe('a damaged directory of the embedded database', () => {
  /** Ways in which a disk or a person damages it. */
  const DAMAGE: [string, (database: string) => void][] = [
    ['a control file that is empty', (database) => truncateSync(join(database, 'global', 'pg_control'), 0)],
    ['no control file', (database) => rmSync(join(database, 'global', 'pg_control'))],
    [
      'a control file of noise',
      (database) => writeFileSync(join(database, 'global', 'pg_control'), randomBytes(8_192)),
    ],
    [
      'no log',
      (database) => {
        rmSync(join(database, 'pg_wal'), { recursive: true })
        mkdirSync(join(database, 'pg_wal'))
      },
    ],
    ['no version', (database) => rmSync(join(database, 'PG_VERSION'))],
    [
      'tables of noise',
      (database) => {
        const [own] = readdirSync(join(database, 'base')).toSorted((a, b) => Number(b) - Number(a))
        const folder = join(database, 'base', own!)
        for (const name of readdirSync(folder).filter((name) => /^\d+$/.test(name))) {
          writeFileSync(join(folder, name), randomBytes(8_192))
        }
      },
    ],
    [
      'tables that are not there',
      (database) => {
        const [own] = readdirSync(join(database, 'base')).toSorted((a, b) => Number(b) - Number(a))
        const folder = join(database, 'base', own!)
        for (const name of readdirSync(folder).filter((name) => /^\d{5,}$/.test(name))) rmSync(join(folder, name))
      },
    ],
  ]

  const PASSPHRASE = 'a passphrase for tests'
  const sound = join(directory, 'sound')
  let backup: string
  const environmentOf = (own: string): Record<string, string> => ({
    ...{ DATA_DIR: own, BACKUP_DIR: join(own, 'kept'), BACKUP_PASSPHRASE: PASSPHRASE },
    ...{ PORT: '0', GRAPH_BASE_URL: 'http://127.0.0.1:1' },
  })
  beforeAll(async () => {
    await withService(environmentOf(sound), async (context) => {
      await insertOrganization(context.database, { organizationId: 'org_kept', name: 'Kept', createdAt: at })
      backup = (await backUpWhenDue(context))!
    })
    writeFileSync(join(directory, 'passphrase'), PASSPHRASE)
  })

  test.each(DAMAGE)('%s is reported with its remedy, by doctor and by a start', async (_name, damage) => {
    const own = mkdtempSync(join(directory, 'damaged-'))
    cpSync(sound, own, { recursive: true })
    const env = environmentOf(own)
    damage(join(own, 'database'))

    const [finding] = (await examine({ env })).filter(({ check }) => check === 'database')
    expect(finding).toMatchObject({ state: 'problem', finding: expect.stringContaining(`${own} is damaged`) })
    expect(finding!.remedy).toContain(`mv ${own}/database ${own}/database.damaged`)
    expect(finding!.remedy).toContain(`DATA_DIR=${own} greenroom restore ${own}/kept/${backup}`)
    const config = readConfig(env)
    const error = await createContext(config, { log: pino({ level: 'silent' }) }).then(
      (context) => context.close(),
      (error) => error,
    )
    expect(startProblem(error, config)).toMatch(/^The embedded database in .* is damaged \(.*mv .*greenroom restore/)
  })

  test('is repaired by that remedy, with the existing master key', async () => {
    const own = mkdtempSync(join(directory, 'damaged-'))
    cpSync(sound, own, { recursive: true })
    const env = environmentOf(own)
    renameSync(join(own, 'database'), join(own, 'database.damaged'))
    const restored = await greenroom(
      ['restore', join(own, 'kept', backup), '--passphrase-file', join(directory, 'passphrase')],
      { env, clock: systemClock },
    )
    expect(restored.code, restored.stderr).toBe(0)
    await withService(env, async ({ database }) => {
      const { rows } = await database.query('select organization_id from organizations')
      expect(rows).toEqual([{ organization_id: 'org_kept' }])
    })
  })
})
