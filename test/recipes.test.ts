import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { codeBlock, ROOT } from './recipes.js'

// test/recipes.long.test.ts runs them.

const page = (name: string): string => `docs/recipes/${name}.md`
const fileOf = (name: string): string => readFileSync(`${ROOT}/docs/recipes/${name}`, 'utf8')

describe('the pages', () => {
  test.each([
    ['birthdays-this-month', 'js', 'birthdays-this-month.mjs'],
    ['insights-to-sqlite', 'python', 'insights_to_sqlite.py'],
    ['rejected-posts-to-draft', 'js', 'rejected-posts-to-draft.mjs'],
    ['rudderstack-node', 'js', 'rudderstack-node.mjs'],
    ['segment-browser', 'js', 'segment-browser.mjs'],
    ['segment-node', 'js', 'segment-node.mjs'],
    ['signed-call', 'bash', 'signed-call.sh'],
    ['signed-call', 'python', 'signed_call.py'],
    ['signed-call', 'bru', 'bruno/collection.bru'],
  ])('%s shows the exact file (%s)', (name, language, file) => {
    expect(codeBlock(page(name), language)).toBe(fileOf(file))
  })

  test("signed-call shows the Postman collection's own script", () => {
    const { event } = JSON.parse(fileOf('greenroom.postman_collection.json'))
    expect(codeBlock(page('signed-call'), 'js')).toBe(`${event[0].script.exec.join('\n')}\n`)
  })
})
