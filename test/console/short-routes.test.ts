import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { shortRoutes } from '../../src/console/build/short-routes.ts'
import { readRoute } from '../../src/interface/calls.js'
import { API_ROUTES, REVIEW_ROUTES } from '../../src/interface/generated/routes.js'

test('the console is built with the method and the path of each route, and nothing else of it', () => {
  const table = new URL('../../src/interface/generated/routes.ts', import.meta.url)
  const built = shortRoutes(readFileSync(table, 'utf8')).matchAll(/^ {2}(\w{1,80}): '([^'\n]{1,300})',$/gm)
  const routes = new Map([...built].map(([, name, route]) => [name, route]))
  const ids = new Proxy({}, { get: () => 'id' })
  for (const [name, route] of Object.entries({ ...API_ROUTES, ...REVIEW_ROUTES })) {
    const { method, path } = readRoute(route, ids)
    expect(readRoute(routes.get(name)!, ids), name).toEqual({ method, path, names: [], words: [], shape: 'object' })
  }
})
