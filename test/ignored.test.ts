import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SECRET_FILES } from '../src/cli/init.js'
import { codeBlocks, ROOT } from './recipes.js'

/** Returns the names of files that a page's commands write into the current folder. */
function writtenFiles(page: string): string[] {
  const commands = [...codeBlocks(page, 'sh'), ...codeBlocks(page, 'bash')].join('\n')
  const writes =
    /(?:^|\s)(?:>>?|--output|--save|--rejects|--master-key-file|greenroom (?:backup|\w+ export)) ?([\w-]+\.\w+)/gm
  return [...commands.matchAll(writes)].map(([, file]) => file!)
}

// A package from the registry has no repository.
test.skipIf(!existsSync(join(ROOT, '.git')))(
  "git ignores each file that the README and the operator's pages write, and each secret of greenroom init",
  () => {
    const pages = ['docs/day-to-day.md', 'docs/backup.md', 'docs/command-line.md']
    const files = [...new Set(pages.flatMap(writtenFiles))]
    expect(files).toEqual(expect.arrayContaining(['audience.csv', 'warehouse.env', 'acme.backup', 'master.key']))
    const places = [
      ...files,
      ...SECRET_FILES,
      '.greenroom/settings.env',
      '.greenroom-demo/demo.json',
      'secrets/master_key',
    ]
    const ignored = execFileSync('git', ['check-ignore', '--no-index', ...places], { cwd: ROOT, encoding: 'utf8' })
    expect(ignored.trim().split('\n')).toEqual(places)
  },
)
