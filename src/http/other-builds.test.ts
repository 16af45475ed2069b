import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, TEST_OPTIONS, type TestApp } from '../../test/harness.js'
import { buildApp } from '../app.js'

describe('the files of other builds of the console', () => {
  let root: string
  let release: TestApp

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'greenroom-builds-'))
    release = await startTestApp()
    // Tests share a database, and each has its own clock.
    await release.context.database.query('delete from console_assets')
    return () => rmSync(root, { recursive: true })
  })

  /** A node that starts with this build, a minute after the previous one, on the same database. */
  async function startNode(build: string): Promise<FastifyInstance> {
    const folder = join(root, build)
    mkdirSync(join(folder, 'assets'), { recursive: true })
    writeFileSync(join(folder, 'index.html'), '<!doctype html>')
    writeFileSync(join(folder, 'assets', `index-${build}.js`), `export const build = '${build}'`)
    writeFileSync(join(folder, 'assets', 'style-same.css'), 'body{}')
    release.clock.advance(60_000)
    return buildApp(release.context, { ...TEST_OPTIONS, consoleFolder: pathToFileURL(`${folder}/`) })
  }
  const ask = async (node: FastifyInstance, build: string): Promise<string> => {
    const reply = await node.inject({ url: `/assets/index-${build}.js` })
    return reply.statusCode === 200 ? reply.body : String(reply.statusCode)
  }

  test('those of the previous release are still served unchanged, and earlier ones are not', async () => {
    await startNode('one')
    const two = await startNode('two')
    const reply = await two.inject({ url: '/assets/index-one.js' })
    expect(reply.statusCode).toBe(200)
    expect(reply.body).toBe(`export const build = 'one'`)
    expect(reply.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(await ask(two, 'two')).toBe(`export const build = 'two'`)
    const three = await startNode('three')
    expect(await ask(three, 'two')).toBe(`export const build = 'two'`)
    expect(await ask(three, 'one')).toBe('404')
    expect((await three.inject({ url: '/assets/style-same.css' })).body).toBe('body{}')
  })

  test('a node of the previous release serves those of the next one while both run', async () => {
    const old = await startNode('old')
    expect(await ask(old, 'next')).toBe('404')
    await startNode('next')
    expect(await ask(old, 'next')).toBe(`export const build = 'next'`)
  })

  test('a release that starts repeatedly keeps the previous one', async () => {
    await startNode('before')
    for (let start = 0; start < 3; start++) await startNode('now')
    expect(await ask(await startNode('now'), 'before')).toBe(`export const build = 'before'`)
  })

  test('for missing names the database is queried once in ten seconds', async () => {
    const node = await startNode('here')
    const { database } = release.context
    const statements: string[] = []
    const query = database.query.bind(database)
    database.query = ((text: string, values?: unknown[]) => {
      statements.push(text)
      return query(text, values)
    }) as typeof database.query
    for (let number = 0; number < 20; number++) expect(await ask(node, `none-${number}`)).toBe('404')
    expect(statements.filter((text) => text.includes('console_assets'))).toHaveLength(1)
    release.clock.advance(10_000)
    expect(await ask(node, 'none')).toBe('404')
    expect(statements.filter((text) => text.includes('console_assets'))).toHaveLength(2)
  })
})
