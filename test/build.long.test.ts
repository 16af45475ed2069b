import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from './recipes.js'

const run = promisify(execFile)

// A checkout with a build. The tests change its sources.
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-checkout-'))
  for (const name of ['assets', 'bin', 'locales', 'migrations', 'scripts', 'src', 'package.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  for (const name of ['tsconfig.json', 'tsconfig.build.json']) cpSync(join(ROOT, name), join(folder, name))
  const sandbox = join(ROOT, 'packages/sandbox')
  cpSync(sandbox, join(folder, 'packages/sandbox'), {
    recursive: true,
    filter: (path) => !path.startsWith(join(sandbox, 'dist')),
  })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await build()
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

const build = () => run(process.execPath, ['scripts/build.mjs'], { cwd: folder })
const startBuild = (): ChildProcess => spawn(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'ignore' })
const change = (text: string): void => appendFileSync(join(folder, 'src/main.ts'), text)
const drafts = (): string[] => readdirSync(folder).filter((name) => name.startsWith('.dist-draft-'))

test('two simultaneous builds both succeed, and leave one that works', async () => {
  change('// changed\n')
  await Promise.all([build(), build()])
  const { stdout } = await run(process.execPath, ['bin/greenroom.cjs', '--version'], { cwd: folder })
  expect(stdout).toMatch(/\d+\.\d+\.\d+/)
  expect(drafts()).toEqual([])
})

test('a command that starts during complete, killed and failing builds never sees half a build', async () => {
  let goesOn = true
  let starts = 0
  const commands = (async () => {
    while (goesOn) {
      const { stdout } = await run(process.execPath, ['bin/greenroom.cjs', '--version'], { cwd: folder })
      expect(stdout).toMatch(/^\d+\.\d+\.\d+/)
      starts += 1
    }
  })()
  try {
    for (const [index, signal] of (['SIGKILL', 'SIGINT', undefined] as const).entries()) {
      change(`// ${index}\n`)
      const before = readlinkSync(join(folder, 'dist'))
      const child = startBuild()
      if (signal !== undefined) {
        await expect
          .poll(() => drafts().flatMap((name) => readdirSync(join(folder, name))), { timeout: 60_000 })
          .not.toEqual([])
        child.kill(signal)
      }
      await once(child, 'close')
      expect(readlinkSync(join(folder, 'dist')) === before).toBe(signal !== undefined)
      if (signal !== 'SIGKILL') expect(drafts().join(' ')).not.toContain(`-${child.pid}-`)
    }
    writeFileSync(join(folder, 'src/app.ts'), 'not a program (')
    const { code, stderr } = await build().catch((error) => error)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/src\/app\.ts[\s\S]*The build failed: /)])
  } finally {
    goesOn = false
    await commands
  }
  expect(starts).toBeGreaterThan(3)
})
