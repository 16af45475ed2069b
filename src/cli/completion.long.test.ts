import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toNodeArgs } from '../../test/child.js'
import { greenroom } from '../../test/cli.js'
import { findTool } from '../../test/tools.js'

let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'greenroom-completion-'))
  const profiles = { current: 'acme', profiles: { acme: { url: 'http://127.0.0.1:1' }, acid: { url: 'http://a' } } }
  writeFileSync(join(directory, 'profiles.json'), JSON.stringify(profiles), { mode: 0o600 })
  // The shell finds these programs on its path.
  const words = [process.execPath, ...toNodeArgs(new URL('../main.ts', import.meta.url))]
  const program = `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`
  writeFileSync(join(directory, 'greenroom'), program)
  chmodSync(join(directory, 'greenroom'), 0o755)
  // In a project the program is only available through npx, which must not ask to download anything when TAB is pressed.
  const npx = `#!/bin/sh\n[ "$1 $2 $3" = '--no greenroom --' ] || exit 1\nshift 3\nexec ${directory}/greenroom "$@"\n`
  writeFileSync(join(directory, 'npx'), npx)
  chmodSync(join(directory, 'npx'), 0o755)
  writeFileSync(join(directory, 'fans of mine.csv'), '')
})
afterAll(() => rmSync(directory, { recursive: true }))

const env = (): Record<string, string> => ({ GREENROOM_PROFILES_FILE: join(directory, 'profiles.json') })

/** Returns the completions of the last word. */
async function complete(...words: string[]): Promise<string[]> {
  const { code, stdout } = await greenroom(['__complete', ...words], { env: env() })
  expect(code).toBe(0)
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t')[0]!)
}

describe('completions', () => {
  test.each([
    [['po'], ['posts']],
    [
      ['profiles', ''],
      ['add', 'list', 'use', 'remove', 'help'],
    ],
    [['nonsense', 'po'], ['posts']],
    [['posts', 'list', '--a'], ['--all']],
    [
      ['posts', 'list', '--c'],
      ['--channel', '--csv'],
    ],
    [['posts', 'list', '--status', 'S'], ['SCHEDULED']],
    [
      ['posts', 'list', '--status', '=', 'P'],
      ['PUBLISHING', 'PUBLISHED'],
    ],
    [
      ['posts', 'create', '--media-type', '='],
      ['IMAGE', 'VIDEO'],
    ],
    [['posts', 'list', '--channel', 'x', '--status', 'D'], ['DRAFT']],
    [
      ['--json', 'completion', ''],
      ['bash', 'zsh'],
    ],
    [['completion', 'bash', ''], []],
    [['posts', 'get', ''], []],
    [
      ['profiles', 'use', 'a'],
      ['acme', 'acid'],
    ],
    [
      ['posts', 'list', '--profile', 'ac'],
      ['acme', 'acid'],
    ],
    [['conversations', 'import', 'fa'], [':files']],
    [['vip-users', 'export', '--output', ''], [':files']],
  ])('after %j are %j', async (words, offered) => {
    expect(await complete(...words)).toEqual(offered)
  })

  test('exist for every command, with all its options, and its help has an example', async () => {
    const paths: string[][] = []
    const walk = async (path: string[]): Promise<void> => {
      const below = (await complete(...path, '')).filter((word) => /^[a-z-]+$/.test(word) && word !== 'help')
      if (path.length > 0 && path.at(-1) !== 'completion') paths.push(path)
      if (path.length < 2 && path[0] !== 'completion') for (const word of below) await walk([...path, word])
    }
    await walk([])
    expect(paths.length).toBeGreaterThan(40)
    for (const path of paths) {
      const { stdout } = await greenroom([...path, '--help'])
      const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
      expect(new Set(await complete(...path, '-')), path.join(' ')).toEqual(new Set(flags))
      // `backup` is a command and a group.
      const isGroup = stdout.includes('\nCommands:\n') && path[0] !== 'backup'
      expect(stdout.includes('\nExample:\n'), path.join(' ')).toBe(!isGroup)
    }
  })

  test('are empty if the profiles cannot be read', async () => {
    const { stdout } = await greenroom(['__complete', 'profiles', 'use', ''], {
      env: { GREENROOM_PROFILES_FILE: directory },
    })
    expect(stdout).toBe('')
  })
})

/** Runs a script in a shell that finds `greenroom` and ignores the user's configuration. */
const runShell = (shell: string, args: string[], script: string): string[] =>
  execFileSync(shell, [...args, '-c', script], {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: `${directory}:${process.env.PATH}`, HOME: directory, ...env() },
  })
    .split('\n')
    .slice(0, -1)

describe.skipIf(findTool('bash') === undefined)('in bash (needs bash)', () => {
  test('complete commands, values, profiles and files', () => {
    const script = `
      source <(greenroom completion bash)
      offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _greenroom; (IFS='|'; echo "\${COMPREPLY[*]}"); }
      complete -p greenroom npx
      offer greenroom insig
      offer npx greenroom insig
      offer npx greenroom posts list --status = SCH
      offer npx greenr
      offer npx prettier --wri
      offer greenroom posts list --status = SCH
      offer greenroom profiles use ''
      offer greenroom conversations import fans
      offer greenroom posts get ''`
    expect(runShell('bash', ['--norc', '--noprofile'], script)).toEqual([
      'complete -F _greenroom greenroom',
      'complete -o default -F _greenroom npx',
      'insights',
      'insights',
      'SCHEDULED',
      '',
      '',
      'SCHEDULED',
      'acme|acid',
      'fans of mine.csv',
      '',
    ])
  })
})

describe.skipIf(findTool('bash') === undefined)('beside another completion of npx, in bash (needs bash)', () => {
  test('keeps that completion', () => {
    const script = `
      complete -W prettier npx
      source <(greenroom completion bash)
      complete -p npx`
    expect(runShell('bash', ['--norc', '--noprofile'], script)).toEqual(["complete -W 'prettier' npx"])
  })
})

describe.skipIf(findTool('zsh') === undefined)('in zsh (needs zsh)', () => {
  test('complete commands with their descriptions, values, profiles and files', () => {
    // The completion functions of zsh only work in its line editor. These replacements print their arguments.
    const script = `
      compdef() { print -r -- "compdef $*" }
      _describe() { print -rl -- "\${(@P)2}" }
      _files() { print files }
      source <(greenroom completion zsh)
      offer() { words=("$@"); CURRENT=$#; _greenroom }
      offer greenroom completi
      offer npx greenroom completi
      offer npx prettier --wri
      offer greenroom posts list --status SCH
      offer greenroom profiles use ac
      offer greenroom vip-users export --output ''
      offer greenroom posts get ''`
    expect(runShell('zsh', ['-f'], script)).toEqual([
      'compdef _greenroom greenroom npx',
      'completion:print a script for bash or zsh that completes commands, options and their values',
      'completion:print a script for bash or zsh that completes commands, options and their values',
      'files',
      'SCHEDULED',
      'acme',
      'acid',
      'files',
    ])
  })
})
