import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, TEST_OPTIONS, Tenant, type TestApp } from '../../../test/harness.js'
import { forgetMails, type MailServer, startMailServer } from '../../../test/mail-server.js'
import { insertPost, publishable } from '../../../test/posts.js'
import { Holder } from '../../../test/review-links.js'
import { takeEmptyApp } from '../../../test/test-app.js'
import { buildApp } from '../../app.js'
import type { Database } from '../../database/database.js'
import { CHANNEL_PERMISSIONS, permissionsOf } from '../../http/principal.js'
import type { ChannelRole, Role } from '../../interface/generated/types.js'
import type { PostStatus } from '../../interface/post-status.js'
import { createNotifier } from '../../news/notifier.js'
import { operations } from '../../operations.js'

let server: MailServer
let app: TestApp
let tenant: Tenant
let workspace: string
/** Two channels: the changes concern the first. */
let here: string
let there: string
beforeAll(async () => {
  server = await startMailServer()
  app = await takeEmptyApp({
    mail: { url: server.url, from: 'Greenroom <greenroom@example.com>' },
    http: { publicUrl: 'https://greenroom.example' },
  })
})
afterAll(() => server.close())
beforeEach(async () => {
  tenant = await Tenant.create(app)
  workspace = await tenant.workspace('VIP')
  here = await tenant.channel([workspace], 'FB_PAGE', 'Mercado')
  there = await tenant.channel([workspace], 'FB_PAGE', 'Padaria')
})

const at = (rest: string): string => `/organizations/${tenant.organizationId}${rest}`
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const roleIn = (channelId: string, role: ChannelRole['role'], mayApprove = false): ChannelRole => ({
  ...{ channelId, role, mayApprove },
})
const setRoles = (status: number, person: Member, body: object): Promise<Reply> =>
  operatorCall(app, status, 'PATCH', at(`/members/${person.id}`), { body })

/** Creates a member with these channel roles. */
async function member(role: Role, mayApprove: boolean, ...channels: ChannelRole[]): Promise<Member> {
  const person = await Member.create(app, { organizationId: tenant.organizationId, role, mayApprove })
  if (channels.length > 0) await setRoles(200, person, { channels })
  return person
}

const post = (status: PostStatus, ...channels: string[]): Promise<string> =>
  insertPost(tenant, { ...publishable(...channels), status })
const statusOf = async (id: string): Promise<string> => (await tenant.get(200, `/scheduled-posts/${id}`)).body.status
const approve = async (status: number, by: Member, id: string): Promise<Reply> => {
  const { headers } = await tenant.get(200, `/scheduled-posts/${id}`)
  return by.call(status, 'POST', at(`/scheduled-posts/${id}/approve`), {
    headers: { 'if-match': String(headers.etag) },
  })
}
const linkTo = (maker: Member, ...posts: string[]): Promise<Holder> => Holder.of(maker, tenant.organizationId, posts)

describe('every operation with a permission by channel', () => {
  type Call = [method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object, etag?: string]
  const RULE = { frequency: 'DAILY', time: '09:00', from: '2026-12-01', count: 2 }
  const onPost = async (status: PostStatus, method: Call[0], rest = '', body?: object): Promise<Call> => [
    method,
    at(`/scheduled-posts/${await post(status, here)}${rest}`),
    body,
    '"1"',
  ]
  const vips = (rest = ''): string => at(`/workspaces/${workspace}/channels/${here}/vips${rest}`)
  const linkOfAnother = async (): Promise<string> =>
    (await linkTo(await member('VIEWER', true), await post('WAITING_FOR_APPROVAL', here))).id

  /** A call of each operation about something on the first channel. */
  const CHECKED: Record<string, (by: Member, mayDo: boolean) => Promise<Call>> = {
    createOrganizationScheduledPost: async () => [
      'POST',
      at('/scheduled-posts'),
      { channels: { [here]: { caption: 'Hello' } } },
    ],
    updateOrganizationScheduledPost: () => onPost('DRAFT', 'PATCH', '', { notes: 'Soon' }),
    deleteScheduledPost: () => onPost('DRAFT', 'DELETE'),
    submitScheduledPostForApproval: () => onPost('DRAFT', 'POST', '/submit-for-approval'),
    revertScheduledPost: () => onPost('SCHEDULED', 'POST', '/revert'),
    rejectScheduledPost: () => onPost('WAITING_FOR_APPROVAL', 'POST', '/reject', { notes: 'No' }),
    approveScheduledPost: () => onPost('WAITING_FOR_APPROVAL', 'POST', '/approve'),
    retryScheduledPost: () => onPost('FAILED', 'POST', '/retry', {}),
    undoDecision: async (by, mayDo) => {
      const id = await post('WAITING_FOR_APPROVAL', here)
      if (mayDo) await approve(200, by, id)
      return ['POST', at(`/scheduled-posts/${id}/undo-decision`)]
    },
    setPostingSlots: async () => ['PUT', at(`/channels/${here}/posting-slots`), { slots: [] }],
    createPostSeries: () => onPost('DRAFT', 'POST', '/series', RULE),
    stopPostSeries: async () => {
      const path = at(`/scheduled-posts/${await post('DRAFT', here)}/series`)
      const { body } = await operatorCall(app, 201, 'POST', path, { body: RULE })
      return ['POST', at(`/post-series/${body.id}/stop`)]
    },
    createReviewLink: async () => [
      'POST',
      at('/review-links'),
      { name: 'Anna', scheduledPostIds: [await post('WAITING_FOR_APPROVAL', here)] },
    ],
    sendReviewLink: async () => {
      await operatorCall(app, 200, 'PATCH', at(''), { body: { reviewers: ['anna@agency.example'] } })
      const scheduledPostIds = [await post('WAITING_FOR_APPROVAL', here)]
      return ['POST', at('/review-links/send'), { name: 'Anna', mail: 'anna@agency.example', scheduledPostIds }]
    },
    revokeReviewLink: async () => ['DELETE', at(`/review-links/${await linkOfAnother()}`)],
    markVip: async () => ['PUT', vips('/c1')],
    unmarkVip: async () => ['DELETE', vips('/c1')],
    changeVipMarks: async () => ['POST', vips(), { mark: ['c1'] }],
  }
  /** A file is checked line by line: a channel without the right is a problem of its line. */
  const BY_LINE = ['importScheduledPosts']
  /** They concern things that belong to no channel, so the right in any channel is enough. */
  const ANYWHERE = ['uploadMedia', 'uploadSmallPicture', 'listWaitingForMe', 'checkPostMedia']
  /** They concern the organization, so its role applies, whatever the roles by channel are. */
  const OF_ORGANIZATION = [
    ...['createSavedText', 'updateSavedText', 'deleteSavedText', 'createSegment', 'updateSegment', 'deleteSegment'],
    'deleteMedia',
  ]

  test('declares how channels restrict it, or that it concerns the organization', () => {
    const found = operations.filter(
      ({ surfaces, permission }) =>
        surfaces.includes('api') && permissionsOf(permission).some((one) => CHANNEL_PERMISSIONS.includes(one)),
    )
    const byKind = (kind: 'checked' | 'anywhere' | undefined): string[] =>
      found
        .filter(({ inChannels }) => inChannels === kind)
        .map(({ operationId }) => operationId)
        .toSorted()
    expect(byKind('checked')).toEqual([...Object.keys(CHECKED), ...BY_LINE].toSorted())
    expect(byKind('anywhere')).toEqual(ANYWHERE.toSorted())
    expect(byKind(undefined)).toEqual(OF_ORGANIZATION.toSorted())
  })

  test.each(Object.keys(CHECKED))('%s needs the right in the channel', async (operationId) => {
    await tenant.conversations(here, [{ id: 'c1' }])
    const call = async (status: number, by: Member): Promise<Reply> => {
      const [method, path, body, etag] = await CHECKED[operationId]!(by, status < 300)
      const headers = etag === undefined ? {} : { 'if-match': etag }
      return by.call(status, method, path, { headers, ...(body && { body }) })
    }
    const elsewhere = await member('VIEWER', false, roleIn(there, 'EDITOR', true))
    const everywhereElse = await member('EDITOR', true, roleIn(here, 'VIEWER'))
    for (const person of [elsewhere, everywhereElse]) {
      const refused = await call(403, person)
      expect(codeOf(refused)).toBe('permission_missing')
      expect(refused.body.message).toContain(here)
    }
    const { status } = operations.find((one) => one.operationId === operationId)!.answers.includes(201)
      ? { status: 201 }
      : { status: 200 }
    await call(status, await member('VIEWER', false, roleIn(here, 'EDITOR', true)))
  })

  test('an operation on the organization needs its role, and a right in any channel is enough to see what waits', async () => {
    const elsewhere = await member('VIEWER', false, roleIn(there, 'EDITOR', true))
    const body = { kind: 'TEXT', name: 'Bye', text: 'See you' }
    expect(codeOf(await elsewhere.call(403, 'POST', at('/saved-texts'), { body }))).toBe('permission_missing')
    const restricted = await member('EDITOR', false, roleIn(here, 'VIEWER'))
    await restricted.call(201, 'POST', at('/saved-texts'), { body })
    await elsewhere.call(200, 'GET', at('/waiting-for-me'))
    await restricted.call(403, 'GET', at('/waiting-for-me'))
    const key = at(`/scheduled-posts/${await post('DRAFT', here)}`)
    await elsewhere.call(200, 'GET', key)
  })

  test('a file has a problem in each line of a channel where the person may not write', async () => {
    const elsewhere = await member('VIEWER', false, roleIn(there, 'EDITOR'))
    const csv = `time,channel,text,media,notes\n,${here},One,,\n,${there},Two,,\n`
    for (const dryRun of [true, false]) {
      const { body } = await elsewhere.call(200, 'POST', at('/scheduled-posts/import'), { body: { csv, dryRun } })
      expect(body.created).toBe(0)
      expect(
        body.lines.map(({ problems }: { problems: { code: string }[] }) => problems.map(({ code }) => code)),
      ).toEqual([['channel_forbidden'], []])
    }
    const own = `time,channel,text,media,notes\n,${there},Two,,\n`
    const made = await elsewhere.call(200, 'POST', at('/scheduled-posts/import'), { body: { csv: own } })
    expect(made.body.created).toBe(1)
  })
})

describe('a post on several channels', () => {
  test('needs the right in all of them, before and after a change', async () => {
    const editor = await member('VIEWER', false, roleIn(there, 'EDITOR', true))
    const both = await post('DRAFT', here, there)
    const path = (id: string): string => at(`/scheduled-posts/${id}`)
    const body = { channels: { [there]: { caption: 'Other' } } }
    expect((await editor.call(403, 'PATCH', path(both), { body })).body.message).toContain('Mercado')
    expect(codeOf(await editor.call(403, 'PATCH', path(both), { body: { channels: { [here]: null } } }))).toBe(
      'permission_missing',
    )
    const own = await post('DRAFT', there)
    await editor.call(403, 'PATCH', path(own), { body: { channels: { [here]: { caption: 'Here too' } } } })
    await editor.call(200, 'PATCH', path(own), { body })
    const made = { channels: { [here]: { caption: 'A' }, [there]: { caption: 'B' } } }
    await editor.call(403, 'POST', at('/scheduled-posts'), { body: made })
    const waiting = await post('WAITING_FOR_APPROVAL', here, there)
    await approve(403, editor, waiting)
    await setRoles(200, editor, { channels: [roleIn(here, 'EDITOR', true), roleIn(there, 'EDITOR', true)] })
    await approve(200, editor, waiting)
  })

  test('needs the role in the organization if it has no channel', async () => {
    const editor = await member('VIEWER', false, roleIn(there, 'EDITOR'))
    const refused = await editor.call(403, 'POST', at('/scheduled-posts'), { body: { notes: 'An idea' } })
    expect(refused.body.message).toContain('name one of these')
    const restricted = await member('EDITOR', false, roleIn(there, 'VIEWER'))
    await restricted.call(201, 'POST', at('/scheduled-posts'), { body: { notes: 'An idea' } })
    const bare = await insertPost(tenant, { status: 'DRAFT' })
    const body = { channels: { [there]: { caption: 'Mine' } } }
    await editor.call(403, 'PATCH', at(`/scheduled-posts/${bare}`), { body })
  })
})

describe('the roles by channel of a member', () => {
  test('are set together, listed, shown to the person, and recorded in the trail with their previous values', async () => {
    const person = await member('VIEWER', false)
    const first = [roleIn(here, 'EDITOR', true)]
    const { body } = await setRoles(200, person, { channels: first })
    expect(body).toMatchObject({ role: 'VIEWER', mayApprove: false, channels: first })
    const second = [roleIn(there, 'EDITOR')]
    await setRoles(200, person, { channels: second })
    await setRoles(200, person, { channels: second })
    const listed = (await operatorCall(app, 200, 'GET', at('/members'))).body
    expect(listed.find(({ id }: { id: string }) => id === person.id).channels).toEqual(second)
    const [own] = (await person.call(200, 'GET', '/me')).body.organizations
    expect(own.permissions).not.toContain('posts:write')
    expect(own.channels).toEqual([
      { channelId: there, permissions: expect.arrayContaining(['posts:write', 'audience:mark']) },
    ])
    expect(own.channels[0].permissions).not.toContain('posts:approve')
    const { items } = (await operatorCall(app, 200, 'GET', at(`/audit?operation=updateMember`))).body
    expect(items.map(({ changes }: { changes: unknown }) => changes)).toEqual([
      { channels: second },
      { channels: first },
    ])
    expect(items[0].before).toEqual({ channels: first })
    await setRoles(200, person, { channels: [] })
    expect((await person.call(200, 'GET', '/me')).body.organizations[0]).not.toHaveProperty('channels')
  })

  test('cannot belong to an administrator: they are refused together, and end when a person becomes one', async () => {
    const person = await member('EDITOR', false, roleIn(here, 'VIEWER'))
    const channels = [roleIn(there, 'EDITOR')]
    expect(codeOf(await setRoles(400, person, { role: 'ADMIN', channels }))).toBe('administrator_everywhere')
    const { body } = await setRoles(200, person, { role: 'ADMIN' })
    expect(body.channels).toEqual([])
    expect(codeOf(await setRoles(400, person, { channels }))).toBe('administrator_everywhere')
    const { items } = (await operatorCall(app, 200, 'GET', at(`/audit?operation=updateMember`))).body
    expect(items[0].changes).toEqual({ role: 'ADMIN', channels: [] })
    await person.call(201, 'POST', at('/scheduled-posts'), { body: { channels: { [here]: { caption: 'A' } } } })
    expect((await setRoles(200, person, { role: 'VIEWER' })).body.channels).toEqual([])
  })

  test('must name channels of the organization, each once, and not an administrator role', async () => {
    const person = await member('EDITOR', false)
    const foreign = await (await Tenant.create(app)).channel()
    expect(codeOf(await setRoles(400, person, { channels: [roleIn(foreign, 'VIEWER')] }))).toBe('channel_unknown')
    await setRoles(422, person, { channels: [roleIn(here, 'VIEWER'), roleIn(here, 'EDITOR')] })
    await setRoles(422, person, { channels: [{ channelId: here, role: 'ADMIN', mayApprove: false }] })
    await setRoles(422, person, { channels: [{ channelId: here, role: 'VIEWER' }] })
  })

  test('are deleted with the channel and with the membership', async () => {
    const person = await member('VIEWER', false, roleIn(here, 'EDITOR'), roleIn(there, 'EDITOR'))
    await operatorCall(app, 200, 'DELETE', at(`/channels/${here}`))
    const [listed] = (await operatorCall(app, 200, 'GET', at('/members'))).body
    expect(listed.channels).toEqual([roleIn(there, 'EDITOR')])
    await operatorCall(app, 200, 'DELETE', at(`/members/${person.id}`))
    const { rows } = await app.context.database.query('select from membership_channels where organization_id = $1', [
      tenant.organizationId,
    ])
    expect(rows).toHaveLength(0)
  })

  test('are not mixed if two are set at the same time', async () => {
    const person = await member('VIEWER', false, roleIn(here, 'VIEWER'))
    const wanted = [[roleIn(here, 'EDITOR')], [roleIn(there, 'EDITOR', true)]]
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(wanted.map((channels) => setRoles(200, person, { channels })))
      const [listed] = (await operatorCall(app, 200, 'GET', at('/members'))).body
      expect(wanted).toContainEqual(listed.channels)
    }
  })

  test('do not approve if the right is withdrawn between the request and its transaction', async () => {
    const person = await member('VIEWER', false, roleIn(here, 'EDITOR', true))
    const waiting = await post('WAITING_FOR_APPROVAL', here)
    const { database } = app.context
    let taken = 0
    const watched: Database = {
      ...database,
      query: (text, values) => database.query(text, values),
      transaction: async (work) => {
        if (taken++ === 0) await setRoles(200, person, { channels: [roleIn(here, 'EDITOR')] })
        return database.transaction(work)
      },
    }
    const other = await buildApp({ ...app.context, database: watched }, TEST_OPTIONS)
    await approve(403, person.on({ ...app, app: other }), waiting)
    expect(taken).toBe(1)
    expect(await statusOf(waiting)).toBe('WAITING_FOR_APPROVAL')
  })

  test('are either withdrawn or used if both happen at the same time', async () => {
    for (let round = 0; round < 2; round += 1) {
      const person = await member('VIEWER', false, roleIn(here, 'EDITOR', true))
      const waiting = await post('WAITING_FOR_APPROVAL', here)
      const approving = app.app.inject({
        method: 'POST',
        url: `/api${at(`/scheduled-posts/${waiting}/approve`)}`,
        headers: { cookie: person.cookie, 'sec-fetch-site': 'same-origin', 'if-match': '"1"' },
      })
      const [{ statusCode }] = await Promise.all([approving, setRoles(200, person, { channels: [] })])
      expect([200, 403]).toContain(statusCode)
      expect(await statusOf(waiting)).toBe(statusCode === 200 ? 'SCHEDULED' : 'WAITING_FOR_APPROVAL')
    }
  })
})

describe('a post that waits for approval', () => {
  test('is shown and mailed to those who may approve it there', async () => {
    await forgetMails(app.context.database)
    server.mails.length = 0
    const everywhere = await member('VIEWER', true)
    const onlyThere = await member('VIEWER', false, roleIn(there, 'VIEWER', true))
    const notThere = await member('VIEWER', true, roleIn(there, 'VIEWER'))
    const both = await post('DRAFT', here, there)
    const one = await post('DRAFT', there)
    await tenant.call(200, 'POST', `/scheduled-posts/${both}/submit-for-approval`)
    await tenant.call(200, 'POST', `/scheduled-posts/${one}/submit-for-approval`)
    const idsOf = async (person: Member): Promise<string[]> =>
      (await person.call(200, 'GET', at('/waiting-for-me'))).body.items.map(({ id }: { id: string }) => id)
    expect((await idsOf(everywhere)).toSorted()).toEqual([both, one].toSorted())
    expect(await idsOf(onlyThere)).toEqual([one])
    expect(await idsOf(notThere)).toEqual([])
    const counted = await member('VIEWER', false, roleIn(here, 'VIEWER', true))
    expect((await counted.call(200, 'GET', at('/waiting-for-me'))).body).toMatchObject({ count: 0, items: [] })
    await createNotifier(app.context, { jitter: (ms) => ms }).tick()
    const notified = server.mails.flatMap(({ to }) => to).toSorted()
    expect(notified).toEqual([everywhere.mail, onlyThere.mail].toSorted())
  })
})

describe('a review link', () => {
  test('to one post ends permanently with the right of its maker in its channel', async () => {
    const maker = await member('VIEWER', false, roleIn(here, 'VIEWER', true))
    const anna = await linkTo(maker, await post('WAITING_FOR_APPROVAL', here))
    await anna.call(200, 'GET', '/posts')
    await setRoles(200, maker, { channels: [roleIn(there, 'VIEWER', true)] })
    await anna.call(401, 'GET', '/posts')
    await anna.call(401, 'POST', '/posts/1/approve', { etag: '"1"' })
    await setRoles(200, maker, { channels: [roleIn(here, 'VIEWER', true)] })
    await anna.call(401, 'GET', '/posts')
  })

  test('to several posts ends only when its maker loses a channel of an undecided post', async () => {
    const maker = await member('VIEWER', false, roleIn(here, 'VIEWER', true), roleIn(there, 'VIEWER', true))
    const ids = [await post('WAITING_FOR_APPROVAL', here), await post('WAITING_FOR_APPROVAL', there)]
    const [anna, second] = [await linkTo(maker, ...ids), await linkTo(maker, ids[1]!, ids[0]!)]
    await anna.approve(2)
    await setRoles(200, maker, { channels: [roleIn(here, 'VIEWER', true)] })
    const { etag } = await anna.post(2)
    // Neither link needs the right to the post there, which no longer waits.
    expect(await second.states()).toEqual(['over', 'open'])
    expect(codeOf(await anna.call(400, 'POST', '/posts/2/undo-decision', { etag }))).toBe('wrong_state')
    await setRoles(200, maker, { channels: [roleIn(there, 'VIEWER', true)] })
    await anna.call(401, 'GET', '/posts')
  })

  test('cannot decide on a post that was moved to a channel where its maker may not approve', async () => {
    const maker = await member('VIEWER', false, roleIn(here, 'VIEWER', true))
    const [moved, other] = [await post('WAITING_FOR_APPROVAL', here), await post('WAITING_FOR_APPROVAL', here)]
    const [anna, single] = [await linkTo(maker, moved, other), await linkTo(maker, moved)]
    const { headers } = await tenant.call(200, 'PATCH', `/scheduled-posts/${moved}`, {
      body: { channels: { [there]: { caption: 'There too' } } },
    })
    const approval = { etag: String(headers.etag) }
    expect(codeOf(await anna.call(400, 'POST', '/posts/1/approve', approval))).toBe('wrong_state')
    // A link without another post does not work while that is so.
    await single.call(401, 'POST', '/posts/1/approve', approval)
    expect(await statusOf(moved)).toBe('WAITING_FOR_APPROVAL')
    await anna.approve(2)
  })

  test('of another person can be revoked by people who may approve in its channels, and one’s own always', async () => {
    const maker = await member('VIEWER', false, roleIn(here, 'VIEWER', true))
    const anna = await linkTo(maker, await post('WAITING_FOR_APPROVAL', here))
    const other = await member('VIEWER', true, roleIn(here, 'VIEWER'))
    const links = async (person: Member) => (await person.call(200, 'GET', at('/review-links'))).body.items
    expect((await links(other))[0].mayRevoke).toBe(false)
    await other.call(403, 'DELETE', at(`/review-links/${anna.id}`))
    expect((await links(maker))[0].mayRevoke).toBe(true)
    await maker.call(200, 'DELETE', at(`/review-links/${anna.id}`))
    await anna.call(401, 'GET', '/posts')
  })
})

describe('the writer of a post cannot arrange its approval through a channel', () => {
  const write = async (by: Member): Promise<string> => {
    const { media, mediaType } = publishable()
    const body = {
      ...{ media, mediaType, status: 'WAITING_FOR_APPROVAL', scheduledFor: '2026-12-20T09:00:00Z' },
      channels: { [here]: { caption: 'Hello' } },
    }
    return (await by.call(201, 'POST', at('/scheduled-posts'), { body })).body.id
  }
  const fourEyes = (): Promise<Reply> => operatorCall(app, 200, 'PATCH', at(''), { body: { fourEyes: true } })
  const give = (by: Member, to: Member, channels: ChannelRole[]): Promise<Reply> =>
    by.call(200, 'PATCH', at(`/members/${to.id}`), { body: { channels } })

  test('a right that the writer granted there counts after an hour', async () => {
    await fourEyes()
    const writer = await member('ADMIN', false)
    const person = await member('VIEWER', false)
    const id = await write(writer)
    await give(writer, person, [roleIn(here, 'VIEWER', true)])
    expect(codeOf(await approve(403, person, id))).toBe('approval_too_new')
    // An unchanged right is not a new grant.
    app.clock.advance(3_600_000)
    await writer.signInAgain()
    await give(writer, person, [roleIn(here, 'EDITOR', true), roleIn(there, 'VIEWER', true)])
    await approve(200, person, id)
  })

  test('a right that applies again because the writer removed a role there counts the same', async () => {
    await fourEyes()
    const writer = await member('ADMIN', false)
    const person = await member('VIEWER', true, roleIn(here, 'VIEWER'))
    const id = await write(writer)
    await give(writer, person, [])
    expect(codeOf(await approve(403, person, id))).toBe('approval_too_new')
    await give(writer, person, [roleIn(here, 'VIEWER', true)])
    expect(codeOf(await approve(403, person, id))).toBe('approval_too_new')
    app.clock.advance(3_600_000)
    await approve(200, person, id)
  })
})
