import { beforeAll, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { operatorAny } from '../../test/posts.js'
import type { SavedSuperpower } from '../interface/generated/types.js'
import { insertSuperpower } from './superpowers.store.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

test('saved superpowers are listed by name, page by page if they are large', async () => {
  const tenant = await Tenant.create(app)
  const long = 'x'.repeat(9_000)
  for (let index = 0; index < 5; index++) {
    await insertSuperpower(app.context.database, tenant.organizationId, {
      creativeTemplateId: `template_${index}`,
      name: index < 3 ? 'Same' : `Unlike ${index}`,
      superpower: { conditionGroups: Array.from({ length: 100 }, () => ({ name: long, link: long })) },
      active: index !== 1,
    })
  }
  const walk = async (
    read: (query: string) => Promise<{ items: SavedSuperpower[]; next: string | undefined }>,
  ): Promise<(string | undefined)[][]> => {
    const pages: (string | undefined)[][] = []
    for (let query = ''; ; ) {
      const { items, next } = await read(query)
      pages.push(items.map(({ creativeTemplateId: id }) => id.at(-1)))
      if (next === undefined) return pages
      query = `?after=${next}`
    }
  }
  const asKey = async (query: string) => {
    const { body, headers } = await tenant.get(200, `/superpowers${query}`)
    return { items: body, next: headers['x-next-cursor'] as string | undefined }
  }
  expect(await walk(asKey)).toEqual([
    ['0', '2'],
    ['3', '4'],
  ])
  const asOperator = async (query: string) => {
    const { body, headers } = await operatorAny(tenant, 'GET', `/superpowers${query}`)
    expect([Object.keys(body), headers['x-next-cursor']]).toEqual([['items', 'nextCursor'], undefined])
    return { items: body.items, next: body.nextCursor ?? undefined }
  }
  expect(await walk(asOperator)).toEqual([['0', '1'], ['2', '3'], ['4']])
  const { body } = await tenant.get(422, '/superpowers?after=x')
  expect(body.error[0]).toMatchObject({ path: ['after'], type: 'cursor.invalid' })
})

test('a saved superpower is replaced as a whole, and keeps its id and name', async () => {
  const tenant = await Tenant.create(app)
  const { body: saved } = await operatorAny(tenant, 'POST', '/superpowers', {
    body: { name: 'Raffle', superpower: { hashtag: '#old', note: 'goes' } },
  })
  const path = `/superpowers/${saved.creativeTemplateId}`
  const superpower = { hashtag: '#new', creativeTemplateId: 'another', active: true }
  const { status, body } = await operatorAny(tenant, 'PATCH', path, { body: { superpower } })
  expect([status, body]).toEqual([
    200,
    {
      creativeTemplateId: saved.creativeTemplateId,
      name: 'Raffle',
      active: true,
      superpower: {
        hashtag: '#new',
        active: true,
        creativeTemplateId: saved.creativeTemplateId,
        creativeTemplateName: 'Raffle',
      },
    },
  ])
  expect((await tenant.get(200, '/superpowers')).body).toEqual([body])
  const refused = await operatorAny(tenant, 'PATCH', path, { body: { superpower: { raffle: { winnersLimit: 0 } } } })
  expect(refused.body.error[0].path).toEqual(['superpower', 'raffle', 'winnersLimit'])
})
