import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ROOT } from './recipes.js'

/** The command as npm links it: it exists before a build, is executable, and explains what is missing. */

const { NEEDED, problemOf } = createRequire(import.meta.url)('../bin/node-version.cjs') as {
  NEEDED: string
  problemOf(version: string): string | undefined
}
const service = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

let folder: string
/** A folder with the files of the command, as in a clone of the project. */
let clone: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'greenroom-bin-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  clone = join(folder, 'greenroom')
  makeClone()
})

function makeClone(): void {
  rmSync(clone, { recursive: true, force: true })
  mkdirSync(clone)
  const { name, version, type, bin } = service
  writeFileSync(join(clone, 'package.json'), JSON.stringify({ name, version, type, bin }))
  // File modes are kept, and nothing from a build is copied.
  for (const path of Object.values<string>(bin)) {
    if (existsSync(join(ROOT, path)) && !path.startsWith('dist/')) {
      cpSync(join(ROOT, path, '..'), join(clone, path, '..'), { recursive: true })
    }
  }
}

function build(): void {
  mkdirSync(join(clone, 'dist'), { recursive: true })
  writeFileSync(join(clone, 'dist/main.js'), "console.log('it ran', ...process.argv.slice(2))\n")
}

interface Result {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs a program in the clone, with an unused home and cache. */
function run(program: string, args: string[]): Result {
  const env = {
    ...process.env,
    HOME: folder,
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
  }
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: clone, env, encoding: 'utf8', timeout: 60_000 })
  return { status, stdout, stderr }
}

/** Runs a file of bin/ under a Node that claims another version. */
function runAs(version: string, file: string, ...args: string[]): Result {
  const stub = join(folder, 'stub.cjs')
  writeFileSync(stub, `Object.defineProperty(process.versions, 'node', { value: '${version}' })\n`)
  return run(process.execPath, ['--require', stub, join(clone, 'bin', file), ...args])
}

describe('npx greenroom in a checkout', () => {
  test('says before the first build what to run, and works after it, even in another clone at the same path', () => {
    const early = run('npx', ['greenroom', 'whoami'])
    expect(early).toMatchObject({ status: 1, stdout: '' })
    expect(early.stderr).toContain(`Greenroom is not built yet: run npm ci && npm run build in ${clone}`)
    build()
    expect(run('npx', ['greenroom', 'whoami'])).toMatchObject({ status: 0, stdout: 'it ran whoami\n' })
    makeClone()
    expect(run('npx', ['greenroom', 'whoami']).stderr).toContain('Greenroom is not built yet')
    build()
    expect(run('npx', ['greenroom', 'whoami'])).toMatchObject({ status: 0, stdout: 'it ran whoami\n' })
  })

  test('its file is executable, also in git', () => {
    const path = service.bin.greenroom
    expect(statSync(join(ROOT, path)).mode & 0o111).toBe(0o111)
    const listed = execFileSync('git', ['ls-files', '--stage', path], { cwd: ROOT, encoding: 'utf8' })
    expect(listed).toMatch(/^100755 /)
  })
})

describe('a Node that is too old', () => {
  test.each([
    '0.10.48',
    '4.9.1',
    '18.20.4',
    '20.18.3',
    '21.7.3',
    '22.11.0',
  ])('%s is reported before anything is loaded', (version) => {
    build()
    for (const [file, ...args] of [
      ['greenroom.cjs', 'demo'],
      ['npm-run.cjs', 'demo'],
      ['npm-run.cjs', 'build'],
    ] as const) {
      const result = runAs(version, file, ...args)
      expect(result).toMatchObject({ status: 1, stdout: '' })
      expect(result.stderr).toMatch(/^Greenroom needs Node 20\.19 or a later 20, or Node 22\.12 or later\. .*\n$/)
      expect(result.stderr).toContain(`This is Node ${version}: `)
    }
  })

  test.each(['20.19.0', '20.30.1', '22.12.0', '23.0.0', '26.1.0'])('%s is new enough', (version) => {
    build()
    expect(runAs(version, 'greenroom.cjs', 'demo')).toMatchObject({ status: 0, stdout: 'it ran demo\n' })
  })

  test('package.json requires the same versions', () => {
    expect(service.engines.node).toBe(NEEDED)
    expect(problemOf(process.versions.node)).toBeUndefined()
  })

  // An old Node fails at the first unknown syntax, with an error that does not help.
  test.each(['greenroom.cjs', 'npm-run.cjs', 'node-version.cjs'])('%s has no syntax newer than ES5', (file) => {
    const code = readFileSync(join(ROOT, 'bin', file), 'utf8').replaceAll(
      /^\s*\/\/.*$|^#!.*$|'[^']*'|\/\*[\s\S]*?\*\//gm,
      '',
    )
    expect(code).not.toMatch(/=>|`|\b(const|let|class|async|await|import|export)\b|\?\?|\?\.|\.\.\.|\*\*/)
  })
})

describe('npm start and npm run demo', () => {
  test('build nothing in a package or in a checkout without build tools', () => {
    build()
    expect(run(process.execPath, ['bin/npm-run.cjs', 'build'])).toMatchObject({ status: 0, stdout: '', stderr: '' })
    expect(run(process.execPath, ['bin/npm-run.cjs', 'demo'])).toMatchObject({ status: 0, stdout: 'it ran demo\n' })
  })

  test('build in a checkout', () => {
    mkdirSync(join(clone, 'scripts'))
    mkdirSync(join(clone, 'node_modules/typescript'), { recursive: true })
    for (const name of ['build', 'demo']) writeFileSync(join(clone, `scripts/${name}.mjs`), `console.log('${name}')\n`)
    for (const name of ['build', 'demo']) {
      expect(run(process.execPath, ['bin/npm-run.cjs', name])).toMatchObject({ status: 0, stdout: `${name}\n` })
    }
  })
})
