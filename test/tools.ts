import { spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Returns the path of the first of these programs that this machine has. If it has none, tests that need one are skipped.
 * With REQUIRE_TOOLS set, as in .ci/run, a missing program fails the run, so that no test is skipped unnoticed.
 */
export function findTool(...names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
  if (found === undefined && process.env.REQUIRE_TOOLS) throw new Error(`${names.join(' or ')} is not on this machine.`)
  return found
}

/** Returns the browser for the tests. The headless shell draws no window: with it, a test file takes 38 s instead of 54. */
export const findChromium = (): string | undefined =>
  findTool('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')

/**
 * Returns the command prefix that starts a program as in a container, with its own process ids and a host name that it can
 * set. Returns undefined if this user is not permitted to do so.
 */
export function findContainer(): string[] | undefined {
  const unshare = findTool('unshare')
  if (unshare === undefined) return undefined
  const isolated = ['--pid', '--uts', '--mount-proc', '--fork', '--kill-child']
  const found = [isolated, ['--user', '--map-root-user', ...isolated]].find(
    (options) => spawnSync(unshare, [...options, 'true']).status === 0,
  )
  if (found === undefined && process.env.REQUIRE_TOOLS) throw new Error('unshare is not permitted on this machine.')
  return found && [unshare, ...found]
}

/** Returns whether this user may mount an in-memory file system and run a program as another user. */
export const canMount = (): boolean =>
  process.getuid?.() === 0 && findTool('mount') !== undefined && findTool('setpriv') !== undefined

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
