import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ROOT } from './recipes.js'

const script = (name: string) => import(new URL(`../scripts/${name}.mjs`, import.meta.url).href)
const { stampOf } = (await script('stamp')) as { stampOf(root: string, node?: string): string }
const { ensureBuild } = (await script('builds')) as {
  ensureBuild(
    root: string,
    how: { stampOf(): string; make(folder: string): Promise<void>; force?: boolean },
  ): Promise<boolean>
}

let root: string
const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'greenroom-build-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
})

describe('the stamp of a build', () => {
  const prepare = () => {
    write('src/a.ts', 'a')
    write('src/room/b.css', 'b')
    write('src/room/b.test.ts', 'test')
    write('package.json', '{}')
    write('node_modules/.package-lock.json', '{}')
    write('docs/page.md', 'page')
  }

  test.each<[string, () => void]>([
    ['a changed file', () => write('src/room/b.css', 'c')],
    ['an added file', () => write('src/room/c.ts', '')],
    ['a deleted file', () => rmSync(join(root, 'src/a.ts'))],
    ['a renamed file', () => renameSync(join(root, 'src/a.ts'), join(root, 'src/room/a.ts'))],
    ['another version of a tool', () => write('node_modules/.package-lock.json', '{"vite":"9"}')],
    ['a changed build', () => write('scripts/building.mjs', '')],
  ])('differs after %s', (_, change) => {
    prepare()
    const before = stampOf(root)
    change()
    expect(stampOf(root)).not.toBe(before)
  })

  test('differs for another Node, and notices a change that keeps size and time', () => {
    prepare()
    const before = stampOf(root)
    expect(stampOf(root, '99.0.0')).not.toBe(before)
    const at = new Date(0)
    for (const content of ['x', 'a']) {
      write('src/a.ts', content)
      utimesSync(join(root, 'src/a.ts'), at, at)
      expect(stampOf(root) === before).toBe(content === 'a')
    }
  })

  test('stays the same after a change to a test or a document', () => {
    prepare()
    const before = stampOf(root)
    write('src/room/b.test.ts', 'another test')
    write('docs/page.md', 'another page')
    expect(stampOf(root)).toBe(before)
  })

  test('covers each file that a source imports', () => {
    const outside = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
      .flatMap((name) => {
        const code = readFileSync(join(ROOT, 'src', name), 'utf8')
        return [...code.matchAll(/(?:from|import\(|import) ?'(\.[^']+)'/g)].map(([, path]) =>
          join('src', name, '..', path!),
        )
      })
      .filter((path) => !/^(src|packages\/sandbox)\//.test(path))
    expect(outside).toEqual([])
  })
})

describe('ensureBuild', () => {
  let sources: string
  let made: number
  beforeEach(() => {
    sources = 'one'
    made = 0
  })
  const make = async (folder: string): Promise<void> => {
    made += 1
    writeFileSync(join(folder, 'main.js'), sources)
  }
  const build = (how: Partial<Parameters<typeof ensureBuild>[1]> = {}) =>
    ensureBuild(root, { stampOf: () => sources, make, ...how })
  const built = (folder = 'dist') => readFileSync(join(root, folder, 'main.js'), 'utf8')
  const folders = (): string[] => readdirSync(root).filter((name) => name.startsWith('.dist-'))

  test('builds once, builds again after a change, and reuses an earlier build of the same sources', async () => {
    expect([await build(), await build(), built()]).toEqual([true, false, 'one'])
    sources = 'two'
    expect([await build(), await build(), built()]).toEqual([true, false, 'two'])
    sources = 'one'
    expect([await build(), built(), made]).toEqual([false, 'one', 2])
    expect([await build({ force: true }), built(), made]).toEqual([true, 'one', 3])
  })

  test('keeps the builds in which processes may still run, and removes older ones', async () => {
    const names: string[] = []
    for (const [index, name] of ['one', 'two', 'three', 'four', 'five'].entries()) {
      sources = name
      await build()
      const folder = folders().find((one) => one.startsWith(`.dist-${name}-`))!
      names.push(folder)
      utimesSync(join(root, folder), index, index)
    }
    expect(folders().toSorted()).toEqual(names.slice(1).toSorted())
    expect(built(names[1])).toBe('two')
  })

  test('keeps the earlier build if one fails, and removes the remains of a killed one', async () => {
    await build()
    sources = 'two'
    const failing = async (folder: string): Promise<void> => {
      writeFileSync(join(folder, 'main.js'), 'half')
      throw new Error('no')
    }
    await expect(build({ make: failing })).rejects.toThrow('no')
    expect([built(), folders().length]).toEqual(['one', 1])
    // No process has this id, which is above Linux's maximum.
    write('.dist-draft-4194305-1/main.js', 'half')
    await build()
    expect([built(), existsSync(join(root, '.dist-draft-4194305-1'))]).toEqual(['two', false])
  })

  test('builds again if sources changed during the build, and gives up if they never settle', async () => {
    const changed = async (folder: string): Promise<void> => {
      await make(folder)
      if (made === 1) sources = 'two'
    }
    await build({ make: changed })
    expect([built(), made, folders().length]).toEqual(['two', 2, 1])
    let count = 0
    await expect(build({ stampOf: () => `${++count}` })).rejects.toThrow('The sources kept changing')
    expect([built(), folders().length]).toEqual(['two', 1])
  })

  test('replaces a folder with its link, and is not fooled by a folder', async () => {
    write('dist/main.js', 'of an earlier version')
    await build()
    expect(built()).toBe('one')
    const [name] = folders()
    rmSync(join(root, 'dist'))
    cpSync(join(root, name!), join(root, 'dist'), { recursive: true })
    expect([await build(), made, folders()]).toEqual([false, 1, [name]])
  })
})
