import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { UNUSED_PARTS } from '../../src/console/build/unused-parts.js'

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url))
const PLACES = [
  '@tanstack/query-core/build/modern/NAME.js',
  '@tanstack/preact-query/build/modern/NAME.js',
  'preact/jsx-runtime/dist/NAME.module.js',
]

type Exports = Record<string, unknown>

const isClass = (value: unknown): boolean => typeof value === 'function' && /^class\b/.test(String(value))

/** The kind of an export, as those who call it see it. */
const kindOf = (value: unknown): string => (isClass(value) ? 'class' : typeof value)

async function load(text: string): Promise<Exports> {
  const resolved = text.replaceAll("'preact'", `'${new URL('preact/dist/preact.module.js', `file://${MODULES}`)}'`)
  return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(resolved)}`)) as Exports
}

describe.each(Object.entries(UNUSED_PARTS))('the part %s that the console leaves out', (name, text) => {
  // An import of an export that is missing stops the build.
  test('has exports of the kind that those of the library are', async () => {
    const files = PLACES.map((place) => MODULES + place.replace('NAME', name)).filter((file) => existsSync(file))
    expect(files).toHaveLength(1)
    const library = (await import(/* @vite-ignore */ files[0]!)) as Exports
    const ours = await load(text)
    const unlike = Object.entries(ours).filter(
      ([key, value]) => value !== undefined && kindOf(value) !== kindOf(library[key]),
    )
    expect(unlike.map(([key]) => key)).toEqual([])
  })
})
