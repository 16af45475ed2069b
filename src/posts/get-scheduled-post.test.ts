import { beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { insertPost, publishable, wholeSuperpower } from '../../test/posts.js'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})

describe('GET /scheduled-posts/{scheduledPostId}', () => {
  test('interface 2.4: every field of the post and of its channels', async () => {
    const tenant = await Tenant.create(app)
    const page = await tenant.channel([], 'FB_PAGE', 'A page')
    const account = await tenant.channel([], 'INSTAGRAM_ACCOUNT', 'An account')
    const id = await insertPost(tenant, {
      ...publishable(),
      status: 'SCHEDULED',
      notes: 'For the summer',
      channels: [
        { channelId: page, caption: 'Hello\n"world" 💛', superpower: wholeSuperpower(), failedToPublish: true },
        { channelId: account, caption: '' },
      ],
    })
    const { body, headers } = await tenant.get(200, `/scheduled-posts/${id}`)
    expect(body).toEqual({
      id,
      orgId: tenant.organizationId,
      type: 'POST',
      media: 'https://cdn.example.com/summer.jpg',
      mediaType: 'IMAGE',
      scheduledFor: '2026-12-01T10:00:00.000Z',
      taskId: expect.stringMatching(/^task_/),
      mediumsData: {
        [page]: {
          caption: 'Hello\n"world" 💛',
          superpower: wholeSuperpower(),
          mediumType: 'FB_PAGE',
          mediumName: 'A page',
          failedToPublish: true,
        },
        [account]: {
          caption: '',
          mediumType: 'INSTAGRAM_ACCOUNT',
          mediumName: 'An account',
          failedToPublish: false,
        },
      },
      status: 'SCHEDULED',
      notes: 'For the summer',
    })
    expect(headers.etag).toBe('"1"')
  })

  test('a field without a value is left out', async () => {
    const tenant = await Tenant.create(app)
    const id = await insertPost(tenant)
    const { body } = await tenant.get(200, `/scheduled-posts/${id}`)
    expect(body).toEqual({ id, orgId: tenant.organizationId, type: 'POST', mediumsData: {}, status: 'DRAFT' })
  })

  test("another organization's post looks exactly like a missing one", async () => {
    const tenant = await Tenant.create(app)
    const foreign = await insertPost(await Tenant.create(app))
    const missing = await tenant.get(404, '/scheduled-posts/post_missing')
    const hidden = await tenant.get(404, `/scheduled-posts/${foreign}`)
    expect(hidden.body).toEqual(missing.body)
    expect(hidden.headers['x-error-code']).toBe('post_not_found')
  })
})
